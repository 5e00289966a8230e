//! Nodes name capabilities that there are and that can be used.

use alloc::{format, string::String, vec::Vec};

use crate::{
    error::Error,
    plan::{
        PlanCode,
        advice::name,
        facts::{Facts, Step},
        report::{Finding, Report},
    },
};

pub(super) fn check<'a>(facts: &Facts<'a>, report: &mut Report<'a, '_>) -> Result<(), Error> {
    for (at, step) in (0..).zip(&facts.steps) {
        let finding = match (step.node.capability, step.capability) {
            (Some(_), None) => Finding::new(PlanCode::UnknownCapability),
            (_, Some(capability)) => match capability.inactive {
                Some(status) => Finding::new(PlanCode::InactiveCapability).with("status", status),
                None => continue,
            },
            (None, None) => continue,
        };
        let instead = instead(facts, at, *step, report)?;
        report.add(finding.at(*step).suggest(instead))?;
    }
    Ok(())
}

/// Usable capabilities that give all that the node says it gives, whoever does it.
fn instead<'a>(
    facts: &Facts<'a>,
    at: u32,
    step: Step<'a>,
    report: &mut Report<'a, '_>,
) -> Result<Vec<String>, Error> {
    let wanted = facts.gives.at(at);
    let Some(first) = wanted.first() else { return Ok(Vec::new()) };
    let givers = facts.able.at(*first);
    report.steps.spend(16 * givers.len() * wanted.len())?;
    let gives_all = |capability: &u32| {
        let given = facts.capability_gives.at(*capability);
        wanted.iter().all(|key| given.binary_search(key).is_ok())
    };
    let able = facts.few(givers.iter().copied().filter(gives_all));
    Ok(able.into_iter().map(|id| format!("Use {} in {}.", name(id), name(step.node.id))).collect())
}
