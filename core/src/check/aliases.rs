//! Aliases: facts, and the parts of the envelope from which they are read. A condition may use either.
//!
//! `input.evidence.validation.mechanical_outcome` is the fact `outcome` under another name, so both are one variable (`scope`). The
//! other relations follow from how evaluation reads each fact (`evaluate/facts.rs`). A stale result is in the envelope and in no fact.

use alloc::vec::Vec;

use adjudicate_lang::logic::{Number, Types};

use super::{
    abstract_state::{AbstractState, Conflict},
    domain::add,
    orders::Orders,
    relate::{Propagation, Then, follow, keep, narrow},
    scope::Key,
};
use crate::{
    documents::policy::Profile,
    policy::{Fact, Policy, Root},
};

/// Narrows facts and parts of the envelope by their relations.
pub(super) fn link(state: &mut AbstractState<'_>) -> Propagation {
    let Some(policy) = state.policy() else { return Ok(()) };
    let keys: Vec<Key<'_>> = state.variables.iter().map(|(key, _)| *key).collect();
    for key in keys {
        match names(policy, key).as_slice() {
            ["evidence", "validation", "exit_codes", id] => exit(state, key, id)?,
            // Only a part that is present shows anything.
            _ if !state.domain(key).is_known() => {}
            ["evidence", "validation", "timeouts"] => {
                let late = state.domain(key).list.has.clone();
                narrow(state, Fact::ValidatorsPassing, &|passing| add(&mut passing.list.lacks, &late))?;
            }
            ["evidence", "diff", ..] => {
                follow(state, &Then::Is(Fact::DiffOpaque, false)).map_err(|_| Conflict::Absent)?;
            }
            ["evidence", "step_intent"] => same(state, key, Fact::Intent)?,
            ["evidence", "claims"] => same(state, key, Fact::Claims)?,
            ["evidence", "approvals", "granted"] => same(state, key, Fact::ApprovalsGranted)?,
            // The history may show more.
            ["refinement", "spent"] if policy.profile() != Profile::Oa06_1 => {
                same(state, key, Fact::RefinementSpent)?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// The path of a part of the envelope.
fn names<'p>(policy: &'p Policy, key: Key<'p>) -> Vec<&'p str> {
    let Key::Path(path) = key else { return Vec::new() };
    let variable = policy.variable(path).filter(|variable| variable.root() == Root::Input);
    variable.map_or_else(Vec::new, |variable| variable.rest().iter().map(|name| &**name).collect())
}

/// The fact is known, and equal to a part of the envelope.
fn same<'p>(state: &mut AbstractState<'p>, key: Key<'p>, fact: Fact) -> Propagation {
    state.know(Key::Fact(fact), true)?;
    let mut shared = state.fact(fact).clone();
    shared.meet(state.domain(key));
    keep(&mut shared)?;
    let part = state.domain(key);
    part.meet(&shared);
    keep(part)?;
    *state.fact(fact) = shared;
    Ok(())
}

/// A validator that passed has the exit code 0.
fn exit<'p>(state: &mut AbstractState<'p>, key: Key<'p>, id: &'p str) -> Propagation {
    let passes = state.fact(Fact::ValidatorsPassing).list.has.contains(&id);
    let code = state.domain(key);
    if passes {
        code.unknown = false;
        code.range.compare(Orders::EQUAL, &Number::ZERO);
        if code.types == Types::NONE {
            return Err(Conflict::Absent);
        }
        keep(code)?;
    }
    let (is_known, is_failure) = (code.is_known(), !code.range.has(&Number::ZERO));
    let fails = code.types == Types::NONE || is_failure;
    if is_known && is_failure {
        // A stale result counts, too.
        narrow(state, Fact::Failures, &|failures| failures.range.be_positive())?;
    }
    if fails {
        narrow(state, Fact::ValidatorsPassing, &|passing| add(&mut passing.list.lacks, &[id]))?;
    }
    Ok(())
}
