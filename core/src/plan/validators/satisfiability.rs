//! Each constraint can be satisfied by some result, and the hard ones by one result.

use crate::{
    error::Error,
    plan::{coverage::Coverage, facts::Facts, report::Report, symbolic},
};

pub(super) fn check<'a>(facts: &Facts<'a>, _: &Coverage, report: &mut Report<'a, '_>) -> Result<(), Error> {
    let contract = &facts.call.task.contract;
    // What is wrong with a schema that does not compile is told elsewhere.
    match &facts.output {
        Ok(schema) => symbolic::findings(schema, &contract.constraints, facts.demands, report),
        Err(_) => Ok(()),
    }
}
