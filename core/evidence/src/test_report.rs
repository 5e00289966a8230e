//! Test reports: cases, and the reason why a report cannot be complete.

use alloc::{string::String, vec::Vec};

use adjudicate_core::document::Describe;
use serde::Serialize;

use crate::{Location, relative};

pub use adjudicate_core::evaluate::CaseStatus;

/// The cases of one test report.
///
/// ```
/// use adjudicate_evidence::{CaseStatus, Format, Reading, read};
/// let Reading::Tests(report) = read(Format::Tap, b"TAP version 14\n1..3\nok 1 - adds\nnot ok 2 - pays\n")? else { panic!() };
/// assert_eq!(report.cases[1].id, "pays");
/// assert_eq!(report.count(CaseStatus::Failed), 1);
/// assert_eq!(report.incomplete.as_deref(), Some("the plan is `1..3`, cases found: 2"));
/// # Ok::<(), adjudicate_evidence::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Describe, Serialize)]
pub struct TestReport {
    /// The cases, in the order of the report. Ids are unique.
    pub cases: Vec<CaseResult>,
    /// The reason why the report cannot be complete, for example because a suite did not end. A report with a reason is never
    /// evidence of success, whatever its cases say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<String>,
    /// The number of lines that are not a part of the report, for example output of the tests.
    pub unread_lines: u64,
}

/// The result of one case.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
pub struct CaseResult {
    /// The names of suite, class and case, joined by `/`, as far as the format has them.
    pub id: String,
    /// The status. Of several results with one id, the worst counts: failed, then flaky, passed, skipped.
    pub status: CaseStatus,
    /// The first line of the failure, or the reason of a skipped case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The file that has the case, as the report names it. A failure can be at a place in another file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The place of the case or of its failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// The duration in milliseconds; the sum of all results with this id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

impl TestReport {
    /// Returns the number of cases with a status.
    #[must_use]
    pub fn count(&self, status: CaseStatus) -> usize {
        self.cases.iter().filter(|case| case.status == status).count()
    }

    /// Makes paths below `root` relative to it.
    pub(crate) fn relative_to(&mut self, root: &str) {
        for case in &mut self.cases {
            relative::cut(&mut case.id, root);
            if let Some(file) = &mut case.file {
                relative::cut(file, root);
            }
            relative::cut_location(&mut case.location, root);
        }
    }

    /// Lets relative files count from the folder in which the tests ran.
    pub(crate) fn ran_in(&mut self, folder: &str) {
        for case in &mut self.cases {
            case.file = case.file.take().and_then(|file| relative::from_folder(file, folder));
        }
    }
}
