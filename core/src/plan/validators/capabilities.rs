//! Nodes name capabilities that there are and that can be used.

use alloc::{format, string::String};

use adjudicate_lang::Error;

use crate::plan::{
    PlanCode,
    advice::{listed, name},
    facts::{BoundNode, Facts},
    report::{Finding, Report},
};

pub(super) fn check<'a>(facts: &Facts<'a>, report: &mut Report<'a, '_>) -> Result<(), Error> {
    for (at, step) in (0..).zip(&facts.nodes) {
        let finding = match (step.node.capability, step.capability) {
            (None, _) => Finding::new(PlanCode::IncompleteNode).with("missing", "capabilityId"),
            (Some(_), None) => Finding::new(PlanCode::UnknownCapability),
            (_, Some(capability)) => match capability.inactive {
                Some(status) => Finding::new(PlanCode::InactiveCapability).with("status", status),
                None => continue,
            },
        };
        let instead = instead(facts, at, *step, report)?;
        report.add(finding.at(*step).suggest([instead]))?;
    }
    Ok(())
}

/// The capability whose id was probably meant, and usable ones that give all that the node says it gives, whoever does it.
fn instead<'a>(
    facts: &Facts<'a>,
    at: u32,
    step: BoundNode<'a>,
    report: &mut Report<'a, '_>,
) -> Result<String, Error> {
    let wanted = facts.gives.at(at);
    let givers = wanted.first().map_or(&[][..], |first| facts.able.at(*first));
    report.steps.spend(16 * givers.len() * wanted.len())?;
    let gives_all = |capability: &u32| {
        let given = facts.capability_gives.at(*capability);
        wanted.iter().all(|key| given.binary_search(key).is_ok())
    };
    let meant = facts.meant.binary_search_by_key(&at, |(node, _)| *node).ok();
    let meant = meant.and_then(|place| facts.meant.get(place)).map(|(_, meant)| *meant);
    let others = givers.iter().copied().filter(|one| Some(*one) != meant && gives_all(one));
    let able = facts.few(&mut meant.into_iter().chain(others));
    let node = name(step.node.id);
    Ok(match step.capability {
        _ if !able.is_empty() => format!("Use {} in {node}.", listed(&able, " or ")),
        Some(capability) => format!(
            "Use another capability than {0} in {node}, or have the registry make {0} active.",
            name(capability.id)
        ),
        None => format!("Use a capability of the registry in {node}."),
    })
}
