//! What a node cannot do without comes from a node before it, or with the task.

use adjudicate_lang::Error;

use crate::plan::{
    PlanCode,
    advice::line,
    coverage::Coverage,
    facts::Facts,
    report::{Finding, Report},
};

pub(super) fn check<'a>(
    facts: &Facts<'a>,
    coverage: &Coverage,
    report: &mut Report<'a, '_>,
) -> Result<(), Error> {
    for (key, node) in coverage.lacking.pairs() {
        let Some(step) = facts.step(node) else { continue };
        // Looking for what could be joined to it.
        report.steps.spend(1_024)?;
        report.add(
            Finding::new(PlanCode::UnsuppliedInput)
                .at(step)
                .with("property", facts.key(key))
                .suggest(line(None, &facts.ways_to_supply(key, node, coverage))),
        )?;
    }
    Ok(())
}
