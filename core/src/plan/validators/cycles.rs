//! The graph has no cycle.

use alloc::format;

use adjudicate_lang::Error;

use crate::plan::{
    PlanCode,
    advice::name,
    diagnostic_report::{DiagnosticBuilder, DiagnosticReport},
    facts::PlanFacts,
};

pub(super) fn check<'a>(facts: &PlanFacts<'a>, report: &mut DiagnosticReport<'a, '_>) -> Result<(), Error> {
    // With a repeated id, it is unknown which of the nodes an edge means.
    if facts.repeated().next().is_some() {
        return Ok(());
    }
    for cycle in &facts.graph.cycles {
        let steps = || cycle.iter().filter_map(|node| facts.step(*node));
        let (Some(first), Some(last)) = (steps().next(), steps().next_back()) else { continue };
        // The path repeats its first node, so that it reads as a cycle.
        let path = steps().chain([first]).map(|step| step.node.node_id.0);
        let (from, to) = (name(last.node.node_id.0), name(first.node.node_id.0));
        let others = if cycle.len() > 1 { ", or another one of the cycle" } else { "" };
        report.add(
            DiagnosticBuilder::new(PlanCode::Cycle)
                .at(first)
                .with_list("path", path)
                .suggest([format!("Remove the edge from {from} to {to}{others}.")]),
        )?;
    }
    Ok(())
}
