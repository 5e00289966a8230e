//! The steps by which relations between facts narrow them.

use super::{
    domain::{Domain, only},
    env::{Conflict, Env},
    range::Range,
};
use crate::{
    logic::{Number, Types},
    policy::Fact,
};

/// Whether something is left.
pub(super) type Outcome = Result<(), Conflict>;

/// Some facts are known exactly where another has a truth value; those among `perhaps`, only there.
pub(super) fn known_with(
    env: &mut Env<'_>,
    flag: Fact,
    value: bool,
    facts: &[Fact],
    perhaps: &[Fact],
) -> Outcome {
    if facts.iter().any(|fact| env.asks_any(&[*fact]) && is_known(env, *fact)) {
        // What is asked for is there only then.
        edit(env, flag, |flag| flag.truths = only(flag.truths, value)).map_err(|_| Conflict::Absent)?;
    }
    match truth(env, flag) {
        Some(found) if found == value => {
            for fact in facts.iter().filter(|fact| !perhaps.contains(fact)) {
                require(env, *fact)?;
            }
        }
        Some(_) => {
            for fact in facts {
                exclude(env, *fact)?;
            }
        }
        None => {
            if facts
                .iter()
                .any(|fact| !perhaps.contains(fact) && env.asks_any(&[*fact]) && !may_be_known(env, *fact))
            {
                set_truth(env, flag, !value)?;
            }
        }
    }
    Ok(())
}

/// Where both are known, a count or a length is at most another.
pub(super) fn at_most(env: &mut Env<'_>, less: Fact, more: Fact) -> Outcome {
    if !is_known(env, less) || !is_known(env, more) {
        return Ok(());
    }
    let low = edit(env, less, |domain| measure(domain).low.clone())?;
    let high = edit(env, more, |domain| measure(domain).high.clone())?;
    if let Some((low, inclusive)) = low {
        edit(env, more, |domain| measure(domain).at_least(&low, inclusive))?;
    }
    if let Some((high, inclusive)) = high {
        edit(env, less, |domain| measure(domain).at_most(&high, inclusive))?;
    }
    Ok(())
}

/// The number that a fact is, or that of its items.
pub(super) fn measure<'d>(domain: &'d mut Domain<'_>) -> &'d mut Range {
    if domain.types.meets(Types::LIST) { &mut domain.list.length } else { &mut domain.range }
}

/// Where a list has items, another has some too.
pub(super) fn implies_items(env: &mut Env<'_>, list: Fact, other: Fact) -> Outcome {
    if is_known(env, list) && edit(env, list, |list| list.list.length.is_positive())? {
        edit(env, other, |other| other.list.length.at_least(&Number::from(1_u64), true))?;
    }
    if is_known(env, other) && edit(env, other, |other| other.list.length.is_zero())? {
        edit(env, list, |list| list.list.length.at_most(&Number::ZERO, true))?;
    }
    Ok(())
}

/// Changes what a fact may be, or looks at it.
pub(super) fn edit<'p, T>(
    env: &mut Env<'p>,
    fact: Fact,
    change: impl FnOnce(&mut Domain<'p>) -> T,
) -> Result<T, Conflict> {
    let domain = env.fact(fact);
    let result = change(domain);
    domain.settle();
    if domain.is_empty() { Err(Conflict::Values) } else { Ok(result) }
}

pub(super) fn truth(env: &mut Env<'_>, fact: Fact) -> Option<bool> {
    env.fact(fact).truth()
}

pub(super) fn set_truth(env: &mut Env<'_>, fact: Fact, value: bool) -> Outcome {
    edit(env, fact, |domain| domain.truths = only(domain.truths, value))
}

pub(super) fn is_positive(env: &mut Env<'_>, fact: Fact) -> Result<bool, Conflict> {
    Ok(is_known(env, fact) && edit(env, fact, |domain| measure(domain).is_positive())?)
}

pub(super) fn is_known(env: &mut Env<'_>, fact: Fact) -> bool {
    env.fact(fact).is_known()
}

pub(super) fn may_be_known(env: &mut Env<'_>, fact: Fact) -> bool {
    env.fact(fact).types != Types::NONE
}

/// What a fact says must be there.
pub(super) fn require(env: &mut Env<'_>, fact: Fact) -> Outcome {
    let domain = env.fact(fact);
    domain.unknown = false;
    if domain.is_empty() { Err(Conflict::Absent) } else { Ok(()) }
}

/// What a fact says cannot be there.
pub(super) fn exclude(env: &mut Env<'_>, fact: Fact) -> Outcome {
    let domain = env.fact(fact);
    if !domain.unknown {
        return Err(Conflict::Absent);
    }
    domain.types = Types::NONE;
    Ok(())
}
