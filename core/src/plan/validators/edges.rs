//! Both ends of every edge are nodes of the plan.

use alloc::{format, vec::Vec};

use adjudicate_lang::Error;

use crate::plan::{
    PlanCode,
    advice::{line, name},
    diagnostic_report::{DiagnosticBuilder, DiagnosticReport},
    facts::PlanFacts,
};

pub(super) fn check<'a>(facts: &PlanFacts<'a>, report: &mut DiagnosticReport<'a, '_>) -> Result<(), Error> {
    let mut before = ("", "");
    for edge in facts.loose.iter().filter_map(|at| facts.call.plan.edges.get(*at)) {
        // A repeated edge adds no finding.
        if core::mem::replace(&mut before, (edge.from.0, edge.to.0)) == (edge.from.0, edge.to.0) {
            continue;
        }
        for (end, id, other) in [("from", edge.from.0, edge.to.0), ("to", edge.to.0, edge.from.0)] {
            if facts.node(id).is_some() {
                continue;
            }
            let other = facts.node(other);
            let its_name = name(id);
            let its_edge = format!("the edge from {} to {}", name(edge.from.0), name(edge.to.0));
            let mut ways = Vec::new();
            if let Some(meant) = facts.closest_node(id, other, report.steps)? {
                let ends = facts.node(meant).zip(other);
                // The cost of the search for a cycle.
                report.steps.spend(256)?;
                let can_be = ends.is_none_or(|(meant, other)| match end {
                    "from" => facts.graph.can_join(meant, other),
                    _ => facts.graph.can_join(other, meant),
                });
                if can_be {
                    ways.push(format!("use {} in place of {its_name} in {its_edge}", name(meant)));
                }
            }
            ways.push(format!("remove {its_edge}"));
            ways.push(format!("add a node {its_name}"));
            let mut finding = DiagnosticBuilder::new(PlanCode::UnknownEdgeEnd)
                .with("end", end)
                .with("from", edge.from.0)
                .with("to", edge.to.0)
                .suggest(line(None, &ways));
            if let Some(step) = other.and_then(|node| facts.step(node)) {
                finding = finding.at(step);
            }
            report.add(finding)?;
        }
    }
    Ok(())
}
