//! What the schema of the result requires is given by some node.

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
    for key in facts.required.iter().filter(|key| coverage.givers.at(**key).is_empty()) {
        let ways = facts.ways_to_give(*key, &coverage.givers);
        let finding = Finding::new(PlanCode::UncoveredOutput).with("property", facts.key(*key));
        report.add(finding.suggest(line(None, &ways)))?;
    }
    Ok(())
}
