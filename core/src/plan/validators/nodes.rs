//! There is a node, and no two have one id.

use alloc::format;

use adjudicate_lang::Error;

use crate::plan::{
    PlanCode,
    advice::name,
    facts::Facts,
    report::{Finding, Report},
};

pub(super) fn check<'a>(facts: &Facts<'a>, report: &mut Report<'a, '_>) -> Result<(), Error> {
    if facts.nodes.is_empty() {
        report.add(Finding::new(PlanCode::EmptyPlan).suggest([facts.ways_to_begin()]))?;
    }
    for step in facts.repeated() {
        let finding = Finding::new(PlanCode::DuplicateNode).at(step).with("node", step.node.id);
        report.add(finding.suggest([format!("Rename all but one of the nodes {}.", name(step.node.id))]))?;
    }
    Ok(())
}
