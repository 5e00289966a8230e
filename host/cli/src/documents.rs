//! The documents with a JSON Schema, by name.
//!
//! To add a document of the command or of a crate below it, add a row to [`OF_HOSTS`], or to `modules.rs` if it is about policy modules.

#[cfg(feature = "modules")]
mod modules;

use adjudicate_core::{
    schemas::{self, DocumentRow, row},
    verdict::VerdictReport,
};
#[cfg(feature = "collect")]
use adjudicate_evidence::collect::{Configuration, ExternalEvidence};
use adjudicate_trust::TrustPolicy;

#[cfg(feature = "collect")]
use crate::{backtest::BacktestReport, collect::NeedsReport, goal::GoalReport};
use crate::{
    check::ReportJson,
    test::{Cases, SuiteReport},
};

/// The documents that the engine does not read.
const OF_HOSTS: &[DocumentRow] = &[
    #[cfg(feature = "collect")]
    row::<Configuration<'_>>(
        "configuration",
        "The configuration of a repository, `adjudicate.yaml`: the workflow, its steps, and the validators.",
    ),
    #[cfg(feature = "collect")]
    row::<ExternalEvidence<'_>>(
        "external-evidence",
        "Evidence that no command of a repository shows, the file of `adjudicate run --with`.",
    ),
    #[cfg(feature = "collect")]
    row::<NeedsReport>(
        "needs",
        "The evidence that policies read, with the places that read it: `adjudicate needs --format json`.",
    ),
    #[cfg(feature = "collect")]
    row::<GoalReport>("goal", "The active goal, and its latest decision: `adjudicate goal --format json`."),
    #[cfg(feature = "collect")]
    row::<BacktestReport>(
        "backtest-report",
        "The report of `adjudicate backtest --format json`: what a policy would have done about past turns.",
    ),
    row::<Cases>("cases", "A file of cases: tests of policies, `adjudicate test --case`."),
    row::<TrustPolicy>("trust-policy", "A trust policy: the modules that a host accepts."),
    row::<SuiteReport>(
        "test-report",
        "The report of `adjudicate test`: the results of the tests, and their coverage.",
    ),
    row::<ReportJson<'_>>(
        "check-report",
        "The report of `adjudicate check --format json`: the problems of policies, with their places.",
    ),
    row::<VerdictReport<'_>>(
        "verdict-report",
        "The report of `adjudicate verdict verify`: the comparison of the answers, the digests and the signature.",
    ),
];

/// The documents about policy modules.
#[cfg(feature = "modules")]
const OF_MODULES: &[DocumentRow] = modules::OF_MODULES;
#[cfg(not(feature = "modules"))]
const OF_MODULES: &[DocumentRow] = &[];

/// Returns all documents, the engine's first.
pub(crate) fn all() -> impl Iterator<Item = &'static DocumentRow> {
    schemas::all().chain(OF_HOSTS).chain(OF_MODULES)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use adjudicate_core::document::definitions;

    use super::*;

    /// A schema has one place for each name, and `schema --of` finds one document.
    #[test]
    fn documents_and_types_of_one_document_have_names_of_their_own() {
        let mut documents = BTreeMap::new();
        for row in all() {
            assert_eq!(documents.insert(row.name, row.about), None, "{}", row.name);
            let mut names = BTreeMap::new();
            for definition in definitions(&(row.describe)()) {
                let other = names.insert(definition.name, definition.source);
                assert_eq!(other, None, "{}: {}", row.name, definition.source);
            }
        }
    }
}
