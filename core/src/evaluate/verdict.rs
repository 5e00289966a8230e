//! What the conditions of a policy's rules come to.
//!
//! They are evaluated with the facts, for this can fail and rules cannot; what a verdict means for the decision is said
//! in `rules/policy_rules.rs`.

use alloc::{string::String, vec::Vec};

use super::{facts::Facts, variables::Variables};
use crate::{
    error::Error,
    json::{Node, Pointer},
    logic::Scope as _,
    order,
    policy::{Index, Rule},
    steps::Steps,
};

/// That the condition of a rule holds, or that it is unknown.
#[derive(Clone, Debug)]
pub(super) struct Verdict {
    /// The place of the rule in the policy.
    pub rule: u32,
    /// If the condition is unknown, which of its variables are, by number.
    pub unknown: Option<Vec<u32>>,
    /// The first part of the envelope that the condition asks for and that is there; else empty.
    pub evidence_ref: String,
}

/// The verdicts on all rules, in the policy's order, those whose conditions do not hold left out.
pub(super) fn verdicts<'f>(
    facts: &'f Facts<'f>,
    input: Node<'f>,
    steps: &mut Steps,
) -> Result<Vec<Verdict>, Error> {
    let rules = facts.policy().rules();
    let mut verdicts = Vec::new();
    if rules.is_empty() {
        return Ok(verdicts);
    }
    let variables = Variables::new(facts, input);
    let candidates =
        candidates(facts.policy().index(), &variables, steps).map_err(|error| error.at("/rules"))?;
    for place in candidates {
        let Some(rule) = rules.get(place as usize) else { continue };
        let verdict = verdict(place, rule, &variables, steps).map_err(|error| {
            let path = Pointer::new("/rules").index(place as usize).key("when").into_string() + error.path();
            error.at(path)
        })?;
        verdicts.extend(verdict);
    }
    Ok(verdicts)
}

/// The rules that are worth evaluating, in the policy's order.
fn candidates(index: &Index, variables: &Variables<'_>, steps: &mut Steps) -> Result<Vec<u32>, Error> {
    let mut candidates = index.scanned().to_vec();
    for guard in index.guards() {
        if let Some(value) = variables.numbered(guard.variable(), steps)? {
            candidates.extend(guard.rules(value));
        }
    }
    order::sort_by(&mut candidates, Ord::cmp);
    Ok(candidates)
}

fn verdict<'f>(
    place: u32,
    rule: &'f Rule,
    variables: &Variables<'f>,
    steps: &mut Steps,
) -> Result<Option<Verdict>, Error> {
    let unknown = match rule.condition().holds(variables, steps)? {
        Some(false) => return Ok(None),
        Some(true) => None,
        None => {
            let mut unknown = Vec::new();
            for number in rule.asks() {
                if variables.is_unknown(*number, steps)? {
                    unknown.push(*number);
                }
            }
            Some(unknown)
        }
    };
    let mut evidence_ref = String::new();
    for number in rule.inputs() {
        if !variables.is_unknown(*number, steps)? {
            evidence_ref = variables.pointer(*number).unwrap_or_default();
            break;
        }
    }
    Ok(Some(Verdict { rule: place, unknown, evidence_ref }))
}
