//! Some node gives each field that the result schema requires.

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
    for key in facts.required.iter().filter(|key| coverage.givers.at(**key).is_empty()) {
        let ways = facts.ways_to_give(*key, &coverage.givers);
        let finding = DiagnosticBuilder::new(PlanCode::UncoveredOutput).with("property", facts.key(*key));
        report.add(finding.suggest(line(None, &ways)))?;
    }
    Ok(())
}
