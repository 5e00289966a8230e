//! Each constraint can be satisfied: by some result, and by the contract of its only producer. All hard ones can be satisfied
//! together.

use adjudicate_lang::Error;

use crate::plan::{
    coverage::Coverage,
    diagnostic_report::DiagnosticReport,
    facts::PlanFacts,
    symbolic::{self, Excluded},
};

pub(super) fn check<'a>(
    facts: &PlanFacts<'a>,
    coverage: &Coverage,
    report: &mut DiagnosticReport<'a, '_>,
) -> Result<(), Error> {
    let excluded = Excluded::all(facts, coverage, report.steps)?;
    let contract = &facts.call.task.contract;
    // A schema that does not compile is reported elsewhere.
    match &facts.output {
        Ok(schema) => symbolic::findings(schema, &contract.constraints, facts.demands, &excluded, report),
        Err(_) => excluded.iter().try_for_each(|one| one.report(facts.demands, report)),
    }
}
