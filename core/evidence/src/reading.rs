//! The result of reading a report: the cases of a test report, the issues of a review, or coverage.

use alloc::{format, string::String, vec::Vec};
use core::fmt::Display;

use adjudicate_core::{
    codes::Severity,
    document::{Describe, Type},
    json,
};
use serde::{Serialize, Serializer};

use crate::{Coverage, Location, limits::MAX_REASONS, location, text::one_line};

pub use adjudicate_core::evaluate::CaseStatus;

/// The typed evidence of one report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// The cases of a test report.
    Tests(TestReport),
    /// The issues of a SARIF log.
    Review(ReviewReport),
    /// The counts of a coverage report.
    Coverage(Coverage),
}

/// The content of a report, as JSON: one of the three fields is present.
#[derive(Default, Describe, Serialize)]
#[document(
    name = "Reading",
    schema = r#"{"oneOf": [{"required": ["tests"]}, {"required": ["review"]}, {"required": ["coverage"]}]}"#
)]
struct ReadingFields<'a> {
    /// The cases of a test report.
    #[serde(skip_serializing_if = "Option::is_none")]
    tests: Option<&'a TestReport>,
    /// The issues of a SARIF log.
    #[serde(skip_serializing_if = "Option::is_none")]
    review: Option<&'a ReviewReport>,
    /// The counts of a coverage report, in the form of `x-coverage` in an envelope.
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<&'a Coverage>,
}

impl Serialize for Reading {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let none = ReadingFields::default();
        let fields = match self {
            Self::Tests(report) => ReadingFields { tests: Some(report), ..none },
            Self::Review(report) => ReadingFields { review: Some(report), ..none },
            Self::Coverage(report) => ReadingFields { coverage: Some(report), ..none },
        };
        fields.serialize(serializer)
    }
}

impl Describe for Reading {
    fn describe() -> Type {
        ReadingFields::describe()
    }
}

impl Reading {
    /// Returns the reason why the report cannot be complete, or `None` if it looks complete.
    ///
    /// ```
    /// use adjudicate_evidence::{Format, read};
    /// let reading = read(Format::Tap, b"1..1\nok 1\nBail out! no database\n")?;
    /// assert_eq!(reading.incomplete(), Some("line 3: Bail out! no database"));
    /// # Ok::<(), adjudicate_evidence::Error>(())
    /// ```
    #[must_use]
    pub fn incomplete(&self) -> Option<&str> {
        match self {
            Self::Tests(report) => report.incomplete.as_deref(),
            Self::Review(report) => report.incomplete.as_deref(),
            Self::Coverage(report) => report.incomplete.as_deref(),
        }
    }

    /// Makes the paths below `root` relative to it: files, and ids that begin with a file. Some tools write absolute paths, which
    /// differ between machines.
    ///
    /// ```
    /// use adjudicate_evidence::{Format, Reading, read};
    /// let text = b"SF:/work/app/src/a.js\nDA:1,1\nend_of_record\n";
    /// let Reading::Coverage(coverage) = read(Format::Lcov, text)?.relative_to("/work/app") else { panic!() };
    /// assert_eq!(coverage.files[0].path, "src/a.js");
    /// # Ok::<(), adjudicate_evidence::Error>(())
    /// ```
    #[must_use]
    pub fn relative_to(mut self, root: &str) -> Self {
        match &mut self {
            Self::Tests(report) => report.relative_to(root),
            Self::Review(report) => report.relative_to(root),
            Self::Coverage(report) => report.relative_to(root),
        }
        self
    }

    /// Returns the reading as compact JSON: an object with the field `tests`, `review` or `coverage`. Fields without a value are
    /// absent. The same report gives the same bytes on every target.
    ///
    /// ```
    /// use adjudicate_evidence::{Format, read};
    /// let text = r#"{"tests":{"cases":[{"id":"adds","status":"passed"}],"unread_lines":0}}"#;
    /// assert_eq!(read(Format::Tap, b"1..1\nok 1 - adds\n")?.to_json(), text);
    /// # Ok::<(), adjudicate_evidence::Error>(())
    /// ```
    #[must_use]
    pub fn to_json(&self) -> String {
        json::write(self)
    }
}

/// A list of reasons. The first [`MAX_REASONS`] are kept, the others are counted.
#[derive(Debug, Default)]
pub(crate) struct IncompleteReasons {
    kept: Vec<String>,
    more: usize,
}

impl IncompleteReasons {
    /// Adds a reason, unless the list already has it.
    pub(crate) fn add(&mut self, reason: impl Display) {
        if self.kept.len() >= MAX_REASONS {
            self.more += 1;
            return;
        }
        let reason = one_line(&format!("{reason}"));
        if !self.kept.contains(&reason) {
            self.kept.push(reason);
        }
    }

    /// Adds a reason if the report claims more than it lists.
    pub(crate) fn compare(&mut self, scope: &str, noun: &str, claimed: u64, listed: u64) {
        if claimed > listed {
            self.add(format!("{scope} counts more {noun} ({claimed}) than it lists ({listed})"));
        }
    }

    /// Returns the reasons as one text, or `None` if there are none.
    pub(crate) fn into_text(self) -> Option<String> {
        let mut text = self.kept.join("; ");
        if self.more > 0 {
            text.push_str(&format!("; and {} more", self.more));
        }
        (!text.is_empty()).then_some(text)
    }
}

/// The issues of one SARIF log, and the number of results that are not issues.
#[derive(Clone, Debug, Default, PartialEq, Eq, Describe, Serialize)]
pub struct ReviewReport {
    /// The issues, in the order of the log. Ids are unique.
    pub issues: Vec<ReportedIssue>,
    /// The reason why the log cannot be complete, for example because the tool failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<String>,
    /// The number of suppressed results.
    pub suppressed: u64,
    /// The number of results that the baseline has, too (`unchanged`), or that no longer occur (`absent`).
    pub in_baseline: u64,
    /// The number of results of level `none`, for example of rules that hold.
    pub without_level: u64,
}

/// One result of an analysis tool.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
pub struct ReportedIssue {
    /// The rule and the place, for example `no-eval:src/a.js:3`.
    pub id: String,
    /// The severity: high for the level `error`, medium for `warning`, low for `note`.
    pub severity: Severity,
    /// The first line of the message.
    pub message: String,
    /// The place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// The fix that the tool suggests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edit: Option<SuggestedEdit>,
}

/// A change that fixes an issue.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
pub struct SuggestedEdit {
    /// The place to change, for example `src/a.js:3`.
    pub target: String,
    /// The change, for example ``replace line 3 by `x` ``.
    pub action: String,
    /// The description of the fix, or the message of the issue.
    pub rationale: String,
}

impl ReviewReport {
    /// Makes paths below `root` relative to it.
    pub(crate) fn relative_to(&mut self, root: &str) {
        for issue in &mut self.issues {
            let before = issue.location.as_ref().map(|location| location.file.clone()).unwrap_or_default();
            location::cut_location(&mut issue.location, root);
            if let Some(location) = issue.location.as_ref().filter(|location| location.file != before) {
                issue.id = issue.id.replacen(&before, &location.file, 1);
            }
            if let Some(edit) = &mut issue.edit {
                location::cut(&mut edit.target, root);
            }
        }
    }
}

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
            location::cut(&mut case.id, root);
            if let Some(file) = &mut case.file {
                location::cut(file, root);
            }
            location::cut_location(&mut case.location, root);
        }
    }

    /// Lets relative files count from the folder in which the tests ran.
    pub(crate) fn ran_in(&mut self, folder: &str) {
        for case in &mut self.cases {
            case.file = case.file.take().and_then(|file| location::from_folder(file, folder));
        }
    }
}
