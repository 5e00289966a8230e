//! In a plan of several nodes, every node has an edge. Separate components are fine.

use alloc::vec;

use adjudicate_lang::Error;

use crate::plan::{
    PlanCode,
    advice::line,
    diagnostic_report::{DiagnosticBuilder, DiagnosticReport},
    facts::PlanFacts,
};

pub(super) fn check<'a>(facts: &PlanFacts<'a>, report: &mut DiagnosticReport<'a, '_>) -> Result<(), Error> {
    if facts.nodes.len() < 2 {
        return Ok(());
    }
    // An edge with an unknown end still counts as an edge.
    let mut is_loose = vec![false; facts.nodes.len()];
    for edge in facts.loose.iter().filter_map(|at| facts.call.plan.edges.get(*at)) {
        for node in [edge.from.0, edge.to.0].into_iter().filter_map(|id| facts.node(id)) {
            if let Some(is_loose) = is_loose.get_mut(node as usize) {
                *is_loose = true;
            }
        }
    }
    let has_edge = |node: u32| {
        is_loose.get(node as usize) == Some(&true)
            || !facts.graph.before.at(node).is_empty()
            || !facts.graph.after.at(node).is_empty()
    };
    // Givers and takers of each field; built on first use.
    let mut links = None;
    for (at, step) in (0..).zip(&facts.nodes) {
        // Of several nodes with one id, the first has all edges.
        if has_edge(at) || facts.node(step.node.node_id.0).is_some_and(has_edge) {
            continue;
        }
        let keys = facts.key_count();
        let (givers, takers) =
            links.get_or_insert_with(|| (facts.gives.transposed(keys), facts.takes.transposed(keys)));
        let finding =
            DiagnosticBuilder::new(PlanCode::IsolatedNode).at(*step).with("node", step.node.node_id.0);
        report.add(finding.suggest(line(None, &facts.ways_to_connect(at, givers, takers))))?;
    }
    Ok(())
}
