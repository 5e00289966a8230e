//! What facts and the envelope as it was given say of each other: a condition may ask for either.
//!
//! `input.evidence.validation.mechanical_outcome` is the fact `outcome` under another name, so both are one variable
//! (`env`). Whatever else is here holds because evaluation reads the fact from there (`evaluate/facts.rs`).

use alloc::vec::Vec;

use adjudicate_lang::logic::{Number, Types};

use super::{
    domain::{Domain, add},
    env::{Conflict, Env},
    relate::{Outcome, Then, follow, keep},
    world::Key,
};
use crate::policy::{Fact, Policy, Profile, Root};

/// How a fact is read from a part of the envelope.
enum Link {
    /// It is known if that part is there, and then it is the same.
    Same(Fact),
    /// It has the same items, in another order, each once.
    Items(Fact),
    /// It is true, or false, where that part is there.
    Shows(Fact, bool),
    /// The exit code of a validator.
    Exit,
}

/// What a part of the envelope says, by the names that lead there.
fn links(names: &[&str]) -> Option<Link> {
    Some(match names {
        ["evidence", "step_intent"] => Link::Same(Fact::Intent),
        ["evidence", "claims"] => Link::Same(Fact::Claims),
        ["evidence", "approvals", "granted"] => Link::Same(Fact::ApprovalsGranted),
        ["refinement", "spent"] => Link::Same(Fact::RefinementSpent),
        ["evidence", "validation", "timeouts"] => Link::Items(Fact::ValidatorsTimedOut),
        ["evidence", "validation", "exit_codes", _] => Link::Exit,
        ["evidence", "diff", ..] => Link::Shows(Fact::DiffOpaque, false),
        ["evidence", "review", ..] => Link::Shows(Fact::ReviewPresent, true),
        // The report itself may be null.
        ["evidence", "harness_report", _, ..] => Link::Shows(Fact::HarnessPresent, true),
        _ => return None,
    })
}

/// Narrows facts and parts of the envelope by what they say of each other.
pub(super) fn link(env: &mut Env<'_>) -> Outcome {
    let Some(policy) = env.policy() else { return Ok(()) };
    let paths: Vec<Key<'_>> = env.variables.iter().map(|(key, _)| *key).collect();
    let mut exits = 0;
    for key in paths {
        let Key::Path(path) = key else { continue };
        let names = names(policy, key);
        let Some(link) = links(&names) else { continue };
        let mut part = env.domain(key).clone();
        match link {
            Link::Exit => {
                exits += u64::from(part.is_known());
                // The last name is that of the validator.
                if let Some(id) = path.segments().last() {
                    exit(env, key, &mut part, id)?;
                }
            }
            _ if !part.is_known() => {}
            // The history may show more.
            Link::Same(Fact::RefinementSpent) if policy.profile() == Profile::Oa06_1 => {}
            Link::Shows(fact, value) => {
                follow(env, &Then::Is(fact, value)).map_err(|_| Conflict::Absent)?;
            }
            Link::Same(fact) | Link::Items(fact) => {
                follow(env, &Then::Known(fact))?;
                let mut shared = env.fact(fact).clone();
                meet(&mut shared, &part);
                meet(&mut part, &shared);
                if let Link::Same(_) = link {
                    shared.list.length.meet(&part.list.length);
                    part.list.length.meet(&shared.list.length);
                }
                keep(&mut shared)?;
                keep(&mut part)?;
                *env.fact(fact) = shared;
                *env.domain(key) = part;
            }
        }
    }
    if exits > 0 {
        let count = env.fact(Fact::ValidatorsCount);
        count.range.at_least(&Number::from(exits), true);
        keep(count)?;
    }
    Ok(())
}

/// The names that lead to a part of the envelope.
fn names<'p>(policy: &'p Policy, key: Key<'p>) -> Vec<&'p str> {
    let Key::Path(path) = key else { return Vec::new() };
    let number = policy.variable_number(path);
    let variable = number.and_then(|number| policy.variables().get(number as usize));
    let variable = variable.filter(|variable| variable.root() == Root::Input);
    variable.map_or_else(Vec::new, |variable| variable.rest().iter().map(|name| &**name).collect())
}

/// Narrows a domain to what another may be too.
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

/// A validator passed if its exit code is 0 and it did not time out.
fn exit<'p>(env: &mut Env<'p>, key: Key<'p>, code: &mut Domain<'p>, id: &'p str) -> Outcome {
    let has = |env: &mut Env<'p>, fact: Fact| env.fact(fact).list.has.contains(&id);
    if has(env, Fact::ValidatorsPassing) {
        code.unknown = false;
        code.range.be_zero();
        code.range.at_least(&Number::ZERO, true);
        if code.types == Types::NONE {
            return Err(Conflict::Absent);
        }
        keep(code)?;
    }
    if code.is_known() && code.range.is_without_zero() {
        list(env, Fact::ValidatorsFailing, |domain| add(&mut domain.list.has, &[id]))?;
    }
    if code.is_known() && env.fact(Fact::ValidatorsFailing).list.lacks.contains(&id) {
        code.range.be_zero();
        code.range.at_least(&Number::ZERO, true);
        keep(code)?;
        list(env, Fact::ValidatorsPassing, |domain| add(&mut domain.list.has, &[id]))?;
    }
    if code.types == Types::NONE || code.range.is_without_zero() {
        list(env, Fact::ValidatorsPassing, |domain| add(&mut domain.list.lacks, &[id]))?;
    }
    *env.domain(key) = code.clone();
    Ok(())
}

fn list<'p>(env: &mut Env<'p>, fact: Fact, change: impl FnOnce(&mut Domain<'p>)) -> Outcome {
    let domain = env.fact(fact);
    change(domain);
    keep(domain)
}
