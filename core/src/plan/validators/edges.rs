//! Edges begin and end at nodes that there are.

use alloc::{format, vec::Vec};

use adjudicate_lang::Error;

use crate::plan::{
    PlanCode,
    advice::{line, name},
    facts::Facts,
    report::{Finding, Report},
};

pub(super) fn check<'a>(facts: &Facts<'a>, report: &mut Report<'a, '_>) -> Result<(), Error> {
    let mut before = ("", "");
    for edge in facts.loose.iter().filter_map(|at| facts.call.plan.edges.get(*at)) {
        // Once more says no more.
        if core::mem::replace(&mut before, (edge.from, edge.to)) == (edge.from, edge.to) {
            continue;
        }
        for (end, id, other) in [("from", edge.from, edge.to), ("to", edge.to, edge.from)] {
            if facts.node(id).is_some() {
                continue;
            }
            let other = facts.node(other);
            let its_name = name(id);
            let its_edge = format!("the edge from {} to {}", name(edge.from), name(edge.to));
            let mut ways = Vec::new();
            if let Some(meant) = facts.closest_node(id, other, report.steps)? {
                let ends = facts.node(meant).zip(other);
                // Looking for whether it would close a cycle.
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
            let mut finding = Finding::new(PlanCode::UnknownEdgeEnd)
                .with("end", end)
                .with("from", edge.from)
                .with("to", edge.to)
                .suggest(line(None, &ways));
            if let Some(step) = other.and_then(|node| facts.step(node)) {
                finding = finding.at(step);
            }
            report.add(finding)?;
        }
    }
    Ok(())
}
