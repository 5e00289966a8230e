//! The validators: one table, one file each (docs/reference/plans.md).
//!
//! The order of the table does not affect the answer, because diagnostics are merged into one order.

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

use super::{coverage::Coverage, diagnostic_report::DiagnosticReport, facts::PlanFacts};

/// A validator, by the plans that it can check.
enum Validator {
    /// Checks any plan, sound or not.
    Always(for<'a> fn(&PlanFacts<'a>, &mut DiagnosticReport<'a, '_>) -> Result<(), Error>),
    /// Checks plans with a known order of nodes: no cycle, no repeated id, no loose edge.
    Sound(for<'a> fn(&PlanFacts<'a>, &Coverage, &mut DiagnosticReport<'a, '_>) -> Result<(), Error>),
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
    // Limits of the task.
    Validator::Always(variants::check),
];

/// Runs all validators; those for sound plans only if there is a coverage.
pub(super) fn run<'a>(
    facts: &PlanFacts<'a>,
    coverage: Option<&Coverage>,
    report: &mut DiagnosticReport<'a, '_>,
) -> Result<(), Error> {
    VALIDATORS.iter().try_for_each(|validator| match (validator, coverage) {
        (Validator::Always(check), _) => check(facts, report),
        (Validator::Sound(check), Some(coverage)) => check(facts, coverage, report),
        (Validator::Sound(_), None) => Ok(()),
    })
}
