//! How the relations between facts narrow them.

use adjudicate_lang::logic::Types;

use super::{
    domain::{Domain, add, only},
    env::{Conflict, Env},
    range::Range,
    relations::GROUPS,
};
use crate::policy::Fact;

/// How often the relations are gone through: what one finds out, another may use.
const ROUNDS: usize = 2;

/// Relations that are looked at where something is asked of one of the facts that they are about.
pub(super) struct Group {
    pub about: &'static [Fact],
    pub relations: &'static [Relation],
}

/// What follows where all of these are so.
pub(super) struct Relation(pub &'static [If], pub Then);

/// What is known of a fact.
pub(super) enum If {
    /// It is true, or false.
    Is(Fact, bool),
    /// It is known.
    Known(Fact),
    /// It is unknown.
    Absent(Fact),
    /// Something is asked of it.
    Required(Fact),
    /// It is at least one, or has an item.
    SomeOf(Fact),
    /// It is zero, or has no item.
    NoneOf(Fact),
    /// It has that item.
    Has(Fact, &'static str),
    /// It can be that word alone.
    Only(Fact, &'static str),
    /// It cannot be that word.
    Never(Fact, &'static str),
}

/// What follows.
pub(super) enum Then {
    Is(Fact, bool),
    Known(Fact),
    Absent(Fact),
    SomeOf(Fact),
    NoneOf(Fact),
    Has(Fact, &'static str),
    Only(Fact, &'static str),
    Never(Fact, &'static str),
    /// Where both are known, a count or a length is at most another.
    AtMost(Fact, Fact),
    /// The number of items is that number.
    SameCount(Fact, Fact),
    /// Where a list has items, another has some too.
    Items(Fact, Fact),
    /// The items of a list are among those of another.
    Among(Fact, Fact),
    /// The items of a list are not among those of another.
    Apart(Fact, Fact),
    /// Some facts are known exactly where another has a truth value; those of the second list, only there.
    With(Fact, bool, &'static [Fact], &'static [Fact]),
}

/// Whether something is left.
pub(super) type Outcome = Result<(), Conflict>;

/// Narrows the facts by what they say of each other.
pub(super) fn propagate(env: &mut Env<'_>) -> Outcome {
    for _ in 0..ROUNDS {
        super::given::link(env)?;
        for group in GROUPS {
            if !env.asks_any(group.about) {
                continue;
            }
            for Relation(conditions, then) in group.relations {
                if conditions.iter().all(|condition| is_so(env, condition)) {
                    follow(env, then)?;
                }
            }
        }
    }
    Ok(())
}

fn is_so(env: &mut Env<'_>, condition: &If) -> bool {
    match *condition {
        If::Is(fact, value) => env.fact(fact).truth() == Some(value),
        If::Known(fact) => env.fact(fact).is_known(),
        If::Absent(fact) => env.fact(fact).types == Types::NONE,
        If::Required(fact) => env.asks_any(&[fact]),
        If::SomeOf(fact) => env.fact(fact).is_known() && measure(env.fact(fact)).is_positive(),
        If::NoneOf(fact) => env.fact(fact).is_known() && measure(env.fact(fact)).is_zero(),
        If::Has(fact, text) => env.fact(fact).list.has.contains(&text),
        If::Only(fact, text) => env.fact(fact).texts.only.as_deref() == Some(&[text]),
        If::Never(fact, text) => env.fact(fact).texts.only.as_ref().is_some_and(|only| !only.contains(&text)),
    }
}

#[inline(never)]
pub(super) fn follow(env: &mut Env<'_>, then: &Then) -> Outcome {
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
    let domain = env.fact(fact);
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
        Then::AtMost(_, more) => return at_most(env, fact, more),
        Then::SameCount(_, count) => {
            let range = env.fact(count).range.clone();
            let length = &mut env.fact(fact).list.length;
            length.meet(&range);
            let length = length.clone();
            keep(env.fact(fact))?;
            env.fact(count).range.meet(&length);
            return keep(env.fact(count));
        }
        Then::Items(_, other) => return implies_items(env, fact, other),
        Then::Among(_, other) => {
            let has = domain.list.has.clone();
            implies_items(env, fact, other)?;
            add(&mut env.fact(other).list.has, &has);
            return keep(env.fact(other));
        }
        Then::Apart(_, other) => {
            let has = domain.list.has.clone();
            add(&mut env.fact(other).list.lacks, &has);
            return keep(env.fact(other));
        }
        Then::With(_, value, facts, perhaps) => return known_with(env, (fact, value), facts, perhaps),
    }
    keep(domain)
}

/// Some facts are known exactly where another has a truth value; those among `perhaps`, only there.
fn known_with(env: &mut Env<'_>, (flag, value): (Fact, bool), facts: &[Fact], perhaps: &[Fact]) -> Outcome {
    // Without such paths in the policy it is known that nothing is under them.
    let is_always_known = |env: &Env<'_>, fact: Fact| {
        matches!(fact, Fact::DiffForbidden | Fact::DiffProtected) && !env.has_paths(fact)
    };
    let facts = || facts.iter().copied();
    for fact in facts() {
        if !is_always_known(env, fact) && env.asks_any(&[fact]) && env.fact(fact).is_known() {
            // What is asked for is there only then.
            follow(env, &Then::Is(flag, value)).map_err(|_| Conflict::Absent)?;
        }
    }
    let truth = env.fact(flag).truth();
    for fact in facts() {
        if is_always_known(env, fact) {
            continue;
        }
        let is_certain = !perhaps.contains(&fact);
        match truth {
            Some(found) if found != value => follow(env, &Then::Absent(fact))?,
            Some(_) if is_certain => follow(env, &Then::Known(fact))?,
            None if is_certain && env.asks_any(&[fact]) && env.fact(fact).types == Types::NONE => {
                follow(env, &Then::Is(flag, !value))?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Where both are known, a count or a length is at most another.
fn at_most(env: &mut Env<'_>, less: Fact, more: Fact) -> Outcome {
    if !env.fact(less).is_known() || !env.fact(more).is_known() {
        return Ok(());
    }
    let low = measure(env.fact(less)).low.clone();
    let high = measure(env.fact(more)).high.clone();
    if let Some((low, inclusive)) = low {
        measure(env.fact(more)).at_least(&low, inclusive);
        keep(env.fact(more))?;
    }
    if let Some((high, inclusive)) = high {
        measure(env.fact(less)).at_most(&high, inclusive);
        keep(env.fact(less))?;
    }
    Ok(())
}

fn implies_items(env: &mut Env<'_>, list: Fact, other: Fact) -> Outcome {
    if is_so(env, &If::SomeOf(list)) {
        follow(env, &Then::SomeOf(other))?;
    }
    if is_so(env, &If::NoneOf(other)) {
        follow(env, &Then::NoneOf(list))?;
    }
    Ok(())
}

/// The number that a fact is, or that of its items.
fn measure<'d>(domain: &'d mut Domain<'_>) -> &'d mut Range {
    if domain.types.meets(Types::LIST) { &mut domain.list.length } else { &mut domain.range }
}

/// Whether something is left of a variable that was narrowed.
#[inline(never)]
pub(super) fn keep(domain: &mut Domain<'_>) -> Outcome {
    domain.settle();
    if domain.is_empty() { Err(Conflict::Values) } else { Ok(()) }
}

/// What something says cannot be there.
pub(super) fn exclude(domain: &mut Domain<'_>) -> Outcome {
    if !domain.unknown {
        return Err(Conflict::Absent);
    }
    domain.types = Types::NONE;
    Ok(())
}
