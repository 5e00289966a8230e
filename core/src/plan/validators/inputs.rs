//! Every input that a node requires comes from the task or an earlier node.

use adjudicate_lang::Error;

use crate::plan::{
    PlanCode,
    advice::line,
    coverage::Coverage,
    diagnostic_report::{DiagnosticBuilder, DiagnosticReport},
    facts::PlanFacts,
};

pub(super) fn check<'a>(
    facts: &PlanFacts<'a>,
    coverage: &Coverage,
    report: &mut DiagnosticReport<'a, '_>,
) -> Result<(), Error> {
    for (key, node) in coverage.lacking.pairs() {
        let Some(step) = facts.step(node) else { continue };
        // The cost of the search for nodes to connect.
        report.steps.spend(1_024)?;
        report.add(
            DiagnosticBuilder::new(PlanCode::UnsuppliedInput)
                .at(step)
                .with("property", facts.key(key))
                .suggest(line(None, &facts.ways_to_supply(key, node, coverage))),
        )?;
    }
    Ok(())
}
