//! The corpus: reports in `fixtures/reports/FORMAT/`, and the case of each in `FORMAT.json`, with its reading or error.

use adjudicate_evidence::{Format, read};
use adjudicate_tests::{CaseFile, workspace_root};

/// A report and its expected reading.
pub(crate) struct Report {
    pub format: Format,
    /// The format and the name, for messages.
    pub name: String,
    pub file_name: String,
    pub text: Vec<u8>,
    /// The reading or the error, if the case has one.
    pub expected: Option<String>,
}

impl Report {
    /// Reads all reports, in the order of their names.
    pub(crate) fn all() -> Vec<Self> {
        Format::ALL.iter().flat_map(|format| Self::of_format(*format)).collect()
    }

    fn of_format(format: Format) -> Vec<Self> {
        let cases = cases(format).cases().expect("these are cases").into_iter();
        let mut reports: Vec<_> = cases
            .map(|case| Self {
                format,
                name: format!("{}/{}", format.name(), case.name),
                file_name: case.name,
                text: case.call,
                expected: case.answer,
            })
            .collect();
        reports.sort_by(|left, right| left.name.cmp(&right.name));
        reports
    }

    /// Returns the reading or the error as JSON.
    pub(crate) fn answer(&self) -> String {
        reading(self.format, &self.text)
    }
}

/// Returns the reading of a report, or the error, as JSON.
pub(crate) fn reading(format: Format, text: &[u8]) -> String {
    read(format, text).map_or_else(|error| error.to_json(), |reading| reading.to_json())
}

/// The case file of a format.
pub(crate) fn cases(format: Format) -> CaseFile {
    let path = workspace_root().join("fixtures/reports").join(format.name()).with_extension("json");
    CaseFile::read(path).expect("each format has a case file")
}
