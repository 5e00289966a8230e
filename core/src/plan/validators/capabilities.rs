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
            (None, _) => Finding::new(PlanCode::IncompleteNode).with("missing", "capabilityId"),
            (Some(_), None) => Finding::new(PlanCode::UnknownCapability),
            (_, Some(capability)) => match capability.inactive {
                Some(status) => Finding::new(PlanCode::InactiveCapability).with("status", status),
                None => continue,
            },
        };
        let instead = instead(facts, at, *step, report)?;
        report.add(finding.at(*step).suggest(instead))?;
    }
    Ok(())
}

/// The capability whose id was probably meant, and usable ones that give all that the node says it gives, whoever does it.
fn instead<'a>(
    facts: &Facts<'a>,
    at: u32,
    step: Step<'a>,
    report: &mut Report<'a, '_>,
) -> Result<Vec<String>, Error> {
    let wanted = facts.gives.at(at);
    let givers = wanted.first().map_or(&[][..], |first| facts.able.at(*first));
    report.steps.spend(16 * givers.len() * wanted.len())?;
    let gives_all = |capability: &u32| {
        let given = facts.capability_gives.at(*capability);
        wanted.iter().all(|key| given.binary_search(key).is_ok())
    };
    let mut able = facts.few(&mut givers.iter().copied().filter(gives_all));
    if let (Some(id), None) = (step.node.capability, step.capability) {
        able.extend(facts.closest_capability(id, report.steps)?);
    }
    let node = name(step.node.id);
    if able.is_empty() {
        let way = match step.capability {
            Some(capability) => {
                format!("Use another capability than {} in {node}, or make it active.", name(capability.id))
            }
            None => format!("Name a capability of the registry in {node}."),
        };
        return Ok(Vec::from([way]));
    }
    Ok(able.into_iter().map(|id| format!("Use {} in {node}.", name(id))).collect())
}
