//! No node comes before itself.

use alloc::format;

use adjudicate_lang::Error;

use crate::plan::{
    PlanCode,
    advice::name,
    facts::Facts,
    report::{Finding, Report},
};

pub(super) fn check<'a>(facts: &Facts<'a>, report: &mut Report<'a, '_>) -> Result<(), Error> {
    // Which of several nodes of one id an edge means cannot be told.
    if facts.repeated().next().is_some() {
        return Ok(());
    }
    for cycle in &facts.graph.cycles {
        let steps = || cycle.iter().filter_map(|node| facts.step(*node));
        let (Some(first), Some(last)) = (steps().next(), steps().next_back()) else { continue };
        // Closed, so that it reads as what it is.
        let path = steps().chain([first]).map(|step| step.node.id);
        let (from, to) = (name(last.node.id), name(first.node.id));
        let others = if cycle.len() > 1 { ", or another one of the cycle" } else { "" };
        report.add(
            Finding::new(PlanCode::Cycle)
                .at(first)
                .with_list("path", path)
                .suggest([format!("Remove the edge from {from} to {to}{others}.")]),
        )?;
    }
    Ok(())
}
