//! The plan has a node, and no two nodes share an id.

use alloc::format;

use adjudicate_lang::Error;

use crate::plan::{
    PlanCode,
    advice::name,
    diagnostic_report::{DiagnosticBuilder, DiagnosticReport},
    facts::PlanFacts,
};

pub(super) fn check<'a>(facts: &PlanFacts<'a>, report: &mut DiagnosticReport<'a, '_>) -> Result<(), Error> {
    if facts.nodes.is_empty() {
        report.add(DiagnosticBuilder::new(PlanCode::EmptyPlan).suggest([facts.ways_to_begin()]))?;
    }
    for step in facts.repeated() {
        let finding =
            DiagnosticBuilder::new(PlanCode::DuplicateNode).at(step).with("node", step.node.node_id.0);
        report.add(
            finding.suggest([format!("Rename all but one of the nodes {}.", name(step.node.node_id.0))]),
        )?;
    }
    Ok(())
}
