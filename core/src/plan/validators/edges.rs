//! Edges begin and end at nodes that there are.

use alloc::format;

use crate::{
    error::Error,
    plan::{
        PlanCode,
        advice::name,
        facts::Facts,
        report::{Finding, Report},
    },
};

pub(super) fn check<'a>(facts: &Facts<'a>, report: &mut Report<'a, '_>) -> Result<(), Error> {
    for edge in facts.loose.iter().filter_map(|at| facts.call.plan.edges.get(*at)) {
        for (end, id, other) in [("from", edge.from, edge.to), ("to", edge.to, edge.from)] {
            if facts.node(id).is_some() {
                continue;
            }
            let mut finding = Finding::new(PlanCode::UnknownEdgeEnd)
                .with("end", end)
                .with("from", edge.from)
                .with("to", edge.to)
                .suggest([format!(
                    "Add a node {}, or remove the edge from {} to {}.",
                    name(id),
                    name(edge.from),
                    name(edge.to)
                )]);
            if let Some(meant) = facts.closest_node(id, report.steps)? {
                finding = finding.suggest([format!(
                    "Use {} in place of {} in the edge from {} to {}.",
                    name(meant),
                    name(id),
                    name(edge.from),
                    name(edge.to)
                )]);
            }
            if let Some(step) = facts.node(other).and_then(|node| facts.step(node)) {
                finding = finding.at(step);
            }
            report.add(finding)?;
        }
    }
    Ok(())
}
