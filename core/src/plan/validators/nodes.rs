//! There is a node, no two have one id, and each says which capability does it.

use crate::{
    error::Error,
    plan::{
        PlanCode,
        facts::Facts,
        report::{Finding, Report},
    },
};

pub(super) fn check<'a>(facts: &Facts<'a>, report: &mut Report<'a, '_>) -> Result<(), Error> {
    if facts.steps.is_empty() {
        report.add(Finding::new(PlanCode::EmptyPlan))?;
    }
    for step in facts.repeated() {
        let finding = Finding::new(PlanCode::DuplicateNode).at(step).with("node", step.node.id);
        report.add(finding.suggest(["Give each node an id of its own.".into()]))?;
    }
    for step in facts.steps.iter().filter(|step| step.node.capability.is_none()) {
        report.add(Finding::new(PlanCode::IncompleteNode).at(*step).with("missing", "capabilityId"))?;
    }
    Ok(())
}
