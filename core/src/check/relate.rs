//! Narrows facts by the relations between them.

use alloc::vec::Vec;

use adjudicate_lang::logic::Types;

use super::{
    abstract_state::{AbstractState, Conflict},
    domain::{Domain, add},
    range::Range,
    relations::GROUPS,
    scope::Key,
};
use crate::policy::Fact;

/// The number of passes over the relations, because one can enable another.
const ROUNDS: usize = 2;

/// Relations that apply if one of these facts is restricted.
pub(super) struct Group {
    pub about: &'static [&'static [Fact]],
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
    Known(&'static [Fact]),
    Absent(Fact),
    SomeOf(Fact),
    NoneOf(&'static [Fact]),
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
            let applies = group.about.iter().any(|facts| state.restricts_any(facts));
            for Relation(conditions, then) in group.relations.iter().filter(|_| applies) {
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
    match *then {
        Then::Is(fact, value) => narrow(state, fact, &|domain| domain.be(value)),
        Then::Known(facts) => facts.iter().try_for_each(|fact| state.know(Key::Fact(*fact), true)),
        Then::Absent(fact) => exclude(state.fact(fact)),
        Then::SomeOf(fact) => narrow(state, fact, &|domain| measure(domain).be_positive()),
        Then::NoneOf(facts) => {
            facts.iter().try_for_each(|fact| narrow(state, *fact, &|domain| measure(domain).be_zero()))
        }
        Then::Has(fact, text) => narrow(state, fact, &|domain| add(&mut domain.list.has, &[text])),
        Then::Only(fact, text) => narrow(state, fact, &|domain| domain.one_of(&[text])),
        Then::Never(fact, text) => narrow(state, fact, &|domain| add(&mut domain.texts.not, &[text])),
        Then::AtMost(less, more) => at_most(state, less, more),
        Then::SameCount(list, count) => {
            let range = state.fact(count).range.clone();
            narrow(state, list, &|domain| domain.list.length.meet(&range))?;
            let length = state.fact(list).list.length.clone();
            narrow(state, count, &|domain| domain.range.meet(&length))
        }
        Then::Items(list, other) => implies_items(state, list, other),
        Then::Among(list, other) => {
            let has = state.fact(list).list.has.clone();
            implies_items(state, list, other)?;
            narrow(state, other, &|domain| add(&mut domain.list.has, &has))
        }
        Then::Apart(list, other) => {
            let has = state.fact(list).list.has.clone();
            narrow(state, other, &|domain| add(&mut domain.list.lacks, &has))
        }
        Then::With(flag, value, certain, perhaps) => known_with(state, (flag, value), certain, perhaps),
    }
}

/// Narrows a fact. Fails if it has no possible value left.
pub(super) fn narrow<'p>(
    state: &mut AbstractState<'p>,
    fact: Fact,
    change: &dyn Fn(&mut Domain<'p>),
) -> Propagation {
    let domain = state.fact(fact);
    change(domain);
    keep(domain)
}

/// Applies [`Then::With`].
fn known_with(
    state: &mut AbstractState<'_>,
    (flag, value): (Fact, bool),
    certain: &[Fact],
    perhaps: &[Fact],
) -> Propagation {
    // Without such paths in the policy, these lists are known to be empty.
    let is_always_known =
        |fact: &Fact| matches!(fact, Fact::DiffForbidden | Fact::DiffProtected) && !state.has_paths(*fact);
    let facts = certain.iter().chain(perhaps).copied().filter(|fact| !is_always_known(fact));
    let facts: Vec<Fact> = facts.collect();
    for fact in &facts {
        if state.restricts_any(&[*fact]) && state.fact(*fact).is_known() {
            // A restricted fact must be known.
            follow(state, &Then::Is(flag, value)).map_err(|_| Conflict::Absent)?;
        }
    }
    let truth = state.fact(flag).truth();
    for fact in facts {
        let is_certain = certain.contains(&fact);
        match truth {
            Some(found) if found != value => exclude(state.fact(fact))?,
            Some(_) if is_certain => state.know(Key::Fact(fact), true)?,
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
    if let Some((low, inclusive)) = measure(state.fact(less)).low.clone() {
        narrow(state, more, &|domain| measure(domain).at_least(&low, inclusive))?;
    }
    if let Some((high, inclusive)) = measure(state.fact(more)).high.clone() {
        narrow(state, less, &|domain| measure(domain).at_most(&high, inclusive))?;
    }
    Ok(())
}

fn implies_items(state: &mut AbstractState<'_>, list: Fact, other: Fact) -> Propagation {
    if is_so(state, &If::SomeOf(list)) {
        follow(state, &Then::SomeOf(other))?;
    }
    if is_so(state, &If::NoneOf(other)) {
        narrow(state, list, &|domain| measure(domain).be_zero())?;
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
