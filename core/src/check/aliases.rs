//! Aliases: facts, and the parts of the envelope from which they are read. A condition may use either.
//!
//! `input.evidence.validation.mechanical_outcome` is the fact `outcome` under another name, so both are one variable (`scope`). The
//! other relations follow from how evaluation reads each fact (`evaluate/facts.rs`). A stale result is in the envelope and in no fact.

use alloc::vec::Vec;

use adjudicate_lang::logic::{Number, Types};

use super::{
    abstract_state::{AbstractState, Conflict},
    domain::{Domain, add},
    relate::{Propagation, Then, follow, keep},
    scope::Key,
};
use crate::{
    documents::policy::Profile,
    policy::{Fact, Policy, Root},
};

/// The relation between a fact and a part of the envelope.
enum Link {
    /// If the part is present, the fact is known and equal to it.
    Same(Fact),
    /// The fact has this truth value if the part is present.
    Shows(Fact, bool),
    /// The part is the exit code of a validator.
    Exit,
    /// The part lists the validators that timed out.
    Late,
}

/// The relation of a part of the envelope, by its path.
fn links(names: &[&str]) -> Option<Link> {
    Some(match names {
        ["evidence", "step_intent"] => Link::Same(Fact::Intent),
        ["evidence", "claims"] => Link::Same(Fact::Claims),
        ["evidence", "approvals", "granted"] => Link::Same(Fact::ApprovalsGranted),
        ["refinement", "spent"] => Link::Same(Fact::RefinementSpent),
        ["evidence", "validation", "exit_codes", _] => Link::Exit,
        ["evidence", "validation", "timeouts"] => Link::Late,
        ["evidence", "diff", ..] => Link::Shows(Fact::DiffOpaque, false),
        _ => return None,
    })
}

/// Narrows facts and parts of the envelope by their relations.
pub(super) fn link(state: &mut AbstractState<'_>) -> Propagation {
    let Some(policy) = state.policy() else { return Ok(()) };
    let paths: Vec<Key<'_>> = state.variables.iter().map(|(key, _)| *key).collect();
    for key in paths {
        let Key::Path(path) = key else { continue };
        let names = names(policy, key);
        let Some(link) = links(&names) else { continue };
        let mut part = state.domain(key).clone();
        match link {
            Link::Exit => {
                // The last name is the validator's id.
                if let Some(id) = path.segments().last() {
                    exit(state, key, &mut part, id)?;
                }
            }
            _ if !part.is_known() => {}
            Link::Late => {
                list(state, Fact::ValidatorsPassing, |passing| add(&mut passing.list.lacks, &part.list.has))?;
            }
            // The history may show more.
            Link::Same(Fact::RefinementSpent) if policy.profile() == Profile::Oa06_1 => {}
            Link::Shows(fact, value) => {
                follow(state, &Then::Is(fact, value)).map_err(|_| Conflict::Absent)?;
            }
            Link::Same(fact) => {
                follow(state, &Then::Known(fact))?;
                let mut shared = state.fact(fact).clone();
                meet(&mut shared, &part);
                meet(&mut part, &shared);
                shared.list.length.meet(&part.list.length);
                part.list.length.meet(&shared.list.length);
                keep(&mut shared)?;
                keep(&mut part)?;
                *state.fact(fact) = shared;
                *state.domain(key) = part;
            }
        }
    }
    Ok(())
}

/// The path of a part of the envelope.
fn names<'p>(policy: &'p Policy, key: Key<'p>) -> Vec<&'p str> {
    let Key::Path(path) = key else { return Vec::new() };
    let number = policy.variable_number(path);
    let variable = number.and_then(|number| policy.variables().get(number as usize));
    let variable = variable.filter(|variable| variable.root() == Root::Input);
    variable.map_or_else(Vec::new, |variable| variable.rest().iter().map(|name| &**name).collect())
}

/// Intersects a domain with another.
fn meet<'p>(domain: &mut Domain<'p>, other: &Domain<'p>) {
    domain.keep(other.types);
    domain.range.meet(&other.range);
    if let Some(only) = &other.texts.only {
        domain.one_of(only);
    }
    add(&mut domain.texts.not, &other.texts.not);
    add(&mut domain.list.has, &other.list.has);
    add(&mut domain.list.lacks, &other.list.lacks);
}

/// A validator that passed has the exit code 0.
fn exit<'p>(state: &mut AbstractState<'p>, key: Key<'p>, code: &mut Domain<'p>, id: &'p str) -> Propagation {
    let has = |state: &mut AbstractState<'p>, fact: Fact| state.fact(fact).list.has.contains(&id);
    if has(state, Fact::ValidatorsPassing) {
        code.unknown = false;
        code.range.be_zero();
        code.range.at_least(&Number::ZERO, true);
        if code.types == Types::NONE {
            return Err(Conflict::Absent);
        }
        keep(code)?;
    }
    if code.is_known() && code.range.is_without_zero() {
        // A stale result counts, too.
        let failures = state.fact(Fact::Failures);
        failures.range.at_least(&Number::from(1_u64), true);
        keep(failures)?;
    }
    if code.types == Types::NONE || code.range.is_without_zero() {
        list(state, Fact::ValidatorsPassing, |domain| add(&mut domain.list.lacks, &[id]))?;
    }
    *state.domain(key) = code.clone();
    Ok(())
}

fn list<'p>(state: &mut AbstractState<'p>, fact: Fact, change: impl FnOnce(&mut Domain<'p>)) -> Propagation {
    let domain = state.fact(fact);
    change(domain);
    keep(domain)
}
