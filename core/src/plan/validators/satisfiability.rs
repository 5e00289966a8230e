//! Each constraint can be satisfied by some result, and by what its only producer gives; the hard ones by one result.

use adjudicate_lang::Error;

use crate::plan::{
    coverage::Coverage,
    facts::Facts,
    report::Report,
    symbolic::{self, Excluded},
};

pub(super) fn check<'a>(
    facts: &Facts<'a>,
    coverage: &Coverage,
    report: &mut Report<'a, '_>,
) -> Result<(), Error> {
    let excluded = Excluded::all(facts, coverage, report.steps)?;
    let contract = &facts.call.task.contract;
    // What is wrong with a schema that does not compile is told elsewhere.
    match &facts.output {
        Ok(schema) => symbolic::findings(schema, &contract.constraints, facts.demands, &excluded, report),
        Err(_) => excluded.iter().try_for_each(|one| one.report(facts.demands, report)),
    }
}
