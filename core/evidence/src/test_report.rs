//! Test reports: cases, and the reason why a report cannot be complete.

use alloc::{string::String, vec::Vec};

use adjudicate_core::json::object::{ObjectWriter, write_list};

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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestReport {
    /// The cases, in the order of the report. Ids are unique.
    pub cases: Vec<CaseResult>,
    /// The reason why the report cannot be complete, for example because a suite did not end. A report with a reason is never
    /// evidence of success, whatever its cases say.
    pub incomplete: Option<String>,
    /// The number of lines that are not a part of the report, for example output of the tests.
    pub unread_lines: u64,
}

/// The result of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseResult {
    /// The names of suite, class and case, joined by `/`, as far as the format has them.
    pub id: String,
    /// The status. Of several results with one id, the worst counts: failed, then flaky, passed, skipped.
    pub status: CaseStatus,
    /// The first line of the failure, or the reason of a skipped case.
    pub message: Option<String>,
    /// The file that has the case, as the report names it. A failure can be at a place in another file.
    pub file: Option<String>,
    /// The place of the case or of its failure.
    pub location: Option<Location>,
    /// The duration in milliseconds; the sum of all results with this id.
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

    /// Writes the report as a JSON object.
    pub(crate) fn write(&self, out: &mut String) {
        let mut fields = ObjectWriter::open(out);
        fields.part("cases", |out| write_list(&self.cases, out, CaseResult::write));
        fields.text("incomplete", self.incomplete.as_deref());
        fields.count("unread_lines", self.unread_lines);
        fields.close();
    }
}

impl CaseResult {
    fn write(&self, out: &mut String) {
        let mut fields = ObjectWriter::open(out);
        fields.text("id", Some(&self.id));
        fields.text("status", Some(status_word(self.status)));
        fields.text("message", self.message.as_deref());
        fields.text("file", self.file.as_deref());
        if let Some(location) = &self.location {
            fields.part("location", |out| location.write(out));
        }
        if let Some(duration) = self.duration_ms {
            fields.count("duration_ms", duration);
        }
        fields.close();
    }
}

/// Returns the word of a status in documents.
const fn status_word(status: CaseStatus) -> &'static str {
    match status {
        CaseStatus::Passed => "passed",
        CaseStatus::Failed => "failed",
        CaseStatus::Skipped => "skipped",
        CaseStatus::Flaky => "flaky",
    }
}
