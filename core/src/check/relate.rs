//! Narrows facts by the relations between them.

use adjudicate_lang::logic::Types;

use super::{
    abstract_state::{AbstractState, Conflict},
    domain::{Domain, add, only},
    range::Range,
    relations::GROUPS,
};
use crate::policy::Fact;

/// The number of passes over the relations, because one can enable another.
const ROUNDS: usize = 2;

/// Relations that apply if one of these facts is restricted.
pub(super) struct Group {
    pub about: &'static [Fact],
    pub relations: &'static [Relation],
}

/// A relation: the consequence if all conditions hold.
pub(super) struct Relation(pub &'static [If], pub Then);

/// A condition on a fact.
pub(super) enum If {
    /// The fact has this truth value.
    Is(Fact, bool),
    /// The fact is known.
    Known(Fact),
    /// The fact is unknown.
    Absent(Fact),
    /// The fact is restricted.
    Required(Fact),
    /// The fact is at least one, or a non-empty list.
    SomeOf(Fact),
    /// The fact is zero, or an empty list.
    NoneOf(Fact),
    /// The list has this item.
    Has(Fact, &'static str),
    /// Only this word is possible.
    Only(Fact, &'static str),
    /// This word is not possible.
    Never(Fact, &'static str),
    /// The policy accepts no known failures.
    Refuses,
}

/// A consequence.
pub(super) enum Then {
    Is(Fact, bool),
    Known(Fact),
    Absent(Fact),
    SomeOf(Fact),
    NoneOf(Fact),
    Has(Fact, &'static str),
    Only(Fact, &'static str),
    Never(Fact, &'static str),
    /// If both are known, a count or length is at most another.
    AtMost(Fact, Fact),
    /// A list has exactly this number of items.
    SameCount(Fact, Fact),
    /// If a list has items, so has another.
    Items(Fact, Fact),
    /// The items of a list are among those of another.
    Among(Fact, Fact),
    /// No item of a list is among those of another.
    Apart(Fact, Fact),
    /// The facts of the first list are known exactly if the flag has this truth value; those of the second list, only then.
    With(Fact, bool, &'static [Fact], &'static [Fact]),
}

/// `Err` if no value is left.
pub(super) type Propagation = Result<(), Conflict>;

/// Applies all relations.
pub(super) fn propagate(state: &mut AbstractState<'_>) -> Propagation {
    for _ in 0..ROUNDS {
        super::aliases::link(state)?;
        for group in GROUPS {
            if !state.restricts_any(group.about) {
                continue;
            }
            for Relation(conditions, then) in group.relations {
                if conditions.iter().all(|condition| is_so(state, condition)) {
                    follow(state, then)?;
                }
            }
        }
    }
    Ok(())
}

fn is_so(state: &mut AbstractState<'_>, condition: &If) -> bool {
    match *condition {
        If::Refuses => state.policy().is_some_and(|policy| !policy.accepts_known_failures()),
        If::Is(fact, value) => state.fact(fact).truth() == Some(value),
        If::Known(fact) => state.fact(fact).is_known(),
        If::Absent(fact) => state.fact(fact).types == Types::NONE,
        If::Required(fact) => state.restricts_any(&[fact]),
        If::SomeOf(fact) => state.fact(fact).is_known() && measure(state.fact(fact)).is_positive(),
        If::NoneOf(fact) => state.fact(fact).is_known() && measure(state.fact(fact)).is_zero(),
        If::Has(fact, text) => state.fact(fact).list.has.contains(&text),
        If::Only(fact, text) => state.fact(fact).texts.only.as_deref() == Some(&[text]),
        If::Never(fact, text) => {
            state.fact(fact).texts.only.as_ref().is_some_and(|only| !only.contains(&text))
        }
    }
}

#[inline(never)]
pub(super) fn follow(state: &mut AbstractState<'_>, then: &Then) -> Propagation {
    let (Then::Is(fact, _)
    | Then::Known(fact)
    | Then::Absent(fact)
    | Then::SomeOf(fact)
    | Then::NoneOf(fact)
    | Then::Has(fact, _)
    | Then::Only(fact, _)
    | Then::Never(fact, _)
    | Then::AtMost(fact, _)
    | Then::SameCount(fact, _)
    | Then::Items(fact, _)
    | Then::Among(fact, _)
    | Then::Apart(fact, _)
    | Then::With(fact, ..)) = *then;
    let domain = state.fact(fact);
    match *then {
        Then::Is(_, value) => domain.truths = only(domain.truths, value),
        Then::Known(_) => {
            domain.unknown = false;
            return if domain.is_empty() { Err(Conflict::Absent) } else { Ok(()) };
        }
        Then::Absent(_) => return exclude(domain),
        Then::SomeOf(_) => measure(domain).be_positive(),
        Then::NoneOf(_) => measure(domain).be_zero(),
        Then::Has(_, text) => add(&mut domain.list.has, &[text]),
        Then::Only(_, text) => domain.one_of(&[text]),
        Then::Never(_, text) => domain.texts.not.push(text),
        Then::AtMost(_, more) => return at_most(state, fact, more),
        Then::SameCount(_, count) => {
            let range = state.fact(count).range.clone();
            let length = &mut state.fact(fact).list.length;
            length.meet(&range);
            let length = length.clone();
            keep(state.fact(fact))?;
            state.fact(count).range.meet(&length);
            return keep(state.fact(count));
        }
        Then::Items(_, other) => return implies_items(state, fact, other),
        Then::Among(_, other) => {
            let has = domain.list.has.clone();
            implies_items(state, fact, other)?;
            add(&mut state.fact(other).list.has, &has);
            return keep(state.fact(other));
        }
        Then::Apart(_, other) => {
            let has = domain.list.has.clone();
            add(&mut state.fact(other).list.lacks, &has);
            return keep(state.fact(other));
        }
        Then::With(_, value, facts, perhaps) => return known_with(state, (fact, value), facts, perhaps),
    }
    keep(domain)
}

/// Applies [`Then::With`]; `perhaps` is the second list.
fn known_with(
    state: &mut AbstractState<'_>,
    (flag, value): (Fact, bool),
    facts: &[Fact],
    perhaps: &[Fact],
) -> Propagation {
    // Without such paths in the policy, these lists are known to be empty.
    let is_always_known = |state: &AbstractState<'_>, fact: Fact| {
        matches!(fact, Fact::DiffForbidden | Fact::DiffProtected) && !state.has_paths(fact)
    };
    let facts = || facts.iter().copied();
    for fact in facts() {
        if !is_always_known(state, fact) && state.restricts_any(&[fact]) && state.fact(fact).is_known() {
            // A restricted fact must be known.
            follow(state, &Then::Is(flag, value)).map_err(|_| Conflict::Absent)?;
        }
    }
    let truth = state.fact(flag).truth();
    for fact in facts() {
        if is_always_known(state, fact) {
            continue;
        }
        let is_certain = !perhaps.contains(&fact);
        match truth {
            Some(found) if found != value => follow(state, &Then::Absent(fact))?,
            Some(_) if is_certain => follow(state, &Then::Known(fact))?,
            None if is_certain && state.restricts_any(&[fact]) && state.fact(fact).types == Types::NONE => {
                follow(state, &Then::Is(flag, !value))?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// If both are known, a count or length is at most another.
fn at_most(state: &mut AbstractState<'_>, less: Fact, more: Fact) -> Propagation {
    if !state.fact(less).is_known() || !state.fact(more).is_known() {
        return Ok(());
    }
    let low = measure(state.fact(less)).low.clone();
    let high = measure(state.fact(more)).high.clone();
    if let Some((low, inclusive)) = low {
        measure(state.fact(more)).at_least(&low, inclusive);
        keep(state.fact(more))?;
    }
    if let Some((high, inclusive)) = high {
        measure(state.fact(less)).at_most(&high, inclusive);
        keep(state.fact(less))?;
    }
    Ok(())
}

fn implies_items(state: &mut AbstractState<'_>, list: Fact, other: Fact) -> Propagation {
    if is_so(state, &If::SomeOf(list)) {
        follow(state, &Then::SomeOf(other))?;
    }
    if is_so(state, &If::NoneOf(other)) {
        follow(state, &Then::NoneOf(list))?;
    }
    Ok(())
}

/// The range of a number, or of the number of items.
fn measure<'d>(domain: &'d mut Domain<'_>) -> &'d mut Range {
    if domain.types.meets(Types::LIST) { &mut domain.list.length } else { &mut domain.range }
}

/// Fails if a narrowed variable has no possible value.
#[inline(never)]
pub(super) fn keep(domain: &mut Domain<'_>) -> Propagation {
    domain.settle();
    if domain.is_empty() { Err(Conflict::Values) } else { Ok(()) }
}

/// Requires a variable to be unknown.
pub(super) fn exclude(domain: &mut Domain<'_>) -> Propagation {
    if !domain.unknown {
        return Err(Conflict::Absent);
    }
    domain.types = Types::NONE;
    Ok(())
}
