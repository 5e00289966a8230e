//! The result of reading a report.

use alloc::string::String;

use adjudicate_core::{
    document::{Describe, Type},
    json,
};
use serde::{Serialize, Serializer};

use crate::{Coverage, ReviewReport, TestReport};

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
