//! The validators: one table, one file each (SPEC section 7.2).
//!
//! The order of the table is not that of the answer: diagnostics are merged into one order whoever reported them first.

mod capabilities;
mod constraints;
mod cycles;
mod edges;
mod facets;
mod inputs;
mod isolated;
mod nodes;
mod outputs;
mod satisfiability;
mod schemas;
mod variants;

use adjudicate_lang::Error;

use super::{coverage::Coverage, facts::Facts, report::Report};

/// What a validator looks at.
enum Validator {
    /// The plan as it is, whatever is wrong with it.
    Always(for<'a> fn(&Facts<'a>, &mut Report<'a, '_>) -> Result<(), Error>),
    /// A plan in which it can be told what comes before what: no cycle, no id twice, no edge that leads nowhere.
    Sound(for<'a> fn(&Facts<'a>, &Coverage, &mut Report<'a, '_>) -> Result<(), Error>),
}

const VALIDATORS: &[Validator] = &[
    // Structure.
    Validator::Always(nodes::check),
    Validator::Always(edges::check),
    Validator::Always(cycles::check),
    Validator::Always(isolated::check),
    Validator::Always(capabilities::check),
    Validator::Always(schemas::check),
    // Facets.
    Validator::Sound(facets::check),
    Validator::Sound(inputs::check),
    Validator::Sound(outputs::check),
    // Constraints.
    Validator::Sound(constraints::check),
    Validator::Sound(satisfiability::check),
    // Policies against the contract.
    Validator::Always(variants::check),
];

/// Runs all validators; those that need a sound plan run if there is what it covers.
pub(super) fn run<'a>(
    facts: &Facts<'a>,
    coverage: Option<&Coverage>,
    report: &mut Report<'a, '_>,
) -> Result<(), Error> {
    VALIDATORS.iter().try_for_each(|validator| match (validator, coverage) {
        (Validator::Always(check), _) => check(facts, report),
        (Validator::Sound(check), Some(coverage)) => check(facts, coverage, report),
        (Validator::Sound(_), None) => Ok(()),
    })
}
