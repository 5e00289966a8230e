//! Every node names a capability that exists and is active.

use alloc::{format, string::String};

use adjudicate_lang::Error;

use crate::plan::{
    PlanCode,
    advice::{listed, name},
    bound_node::BoundNode,
    diagnostic_report::{DiagnosticBuilder, DiagnosticReport},
    facts::PlanFacts,
};

pub(super) fn check<'a>(facts: &PlanFacts<'a>, report: &mut DiagnosticReport<'a, '_>) -> Result<(), Error> {
    for (at, step) in (0..).zip(&facts.nodes) {
        let finding = match (step.node.capability_id, step.capability) {
            (None, _) => DiagnosticBuilder::new(PlanCode::IncompleteNode).with("missing", "capabilityId"),
            (Some(_), None) => DiagnosticBuilder::new(PlanCode::UnknownCapability),
            (_, Some(capability)) => match capability.inactive() {
                Some(status) => DiagnosticBuilder::new(PlanCode::InactiveCapability).with("status", status),
                None => continue,
            },
        };
        let instead = instead(facts, at, *step, report)?;
        report.add(finding.at(*step).suggest([instead]))?;
    }
    Ok(())
}

/// Alternatives: the capability with the closest id, and active ones that give everything that the node declares.
fn instead<'a>(
    facts: &PlanFacts<'a>,
    at: u32,
    step: BoundNode<'a>,
    report: &mut DiagnosticReport<'a, '_>,
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
    let node = name(step.node.node_id.0);
    Ok(match step.capability {
        _ if !able.is_empty() => format!("Use {} in {node}.", listed(&able, " or ")),
        Some(capability) => format!(
            "Use another capability than {0} in {node}, or have the registry make {0} active.",
            name(capability.capability_id.0)
        ),
        None => format!("Use a capability of the registry in {node}."),
    })
}
