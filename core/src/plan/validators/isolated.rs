//! In a plan of several nodes each has an edge; parts that have nothing to do with each other are fine.

use alloc::vec;

use crate::{
    error::Error,
    plan::{
        PlanCode,
        facts::Facts,
        report::{Finding, Report},
    },
};

pub(super) fn check<'a>(facts: &Facts<'a>, report: &mut Report<'a, '_>) -> Result<(), Error> {
    if facts.steps.len() < 2 {
        return Ok(());
    }
    let mut has_edge = vec![false; facts.steps.len()];
    for edge in &facts.call.plan.edges {
        for node in [edge.from, edge.to].into_iter().filter_map(|id| facts.node(id)) {
            if let Some(has_edge) = has_edge.get_mut(node as usize) {
                *has_edge = true;
            }
        }
    }
    let is_named = |step: &&crate::plan::facts::Step<'a>| facts.node(step.node.id);
    let is_isolated = |step: &&crate::plan::facts::Step<'a>| {
        is_named(step).and_then(|node| has_edge.get(node as usize)) == Some(&false)
    };
    for step in facts.steps.iter().filter(is_isolated) {
        let finding = Finding::new(PlanCode::IsolatedNode).at(*step).with("node", step.node.id);
        report.add(finding.suggest(["Connect the node, or remove it.".into()]))?;
    }
    Ok(())
}
