//! The corpus: reports in `fixtures/reports/FORMAT/`, and the case of each in `FORMAT.json`, with its reading or error. To write the
//! expected readings, run `BLESS=1 cargo test -p adjudicate-evidence --test evidence`, and review their differences.

use std::{collections::BTreeSet, env, fs};

use adjudicate_evidence::{Format, detect, read};
use adjudicate_tests::{Case, CaseFile, workspace_root};

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

/// Returns whether the run writes the expected readings. CI compares only.
pub(crate) fn is_blessed() -> bool {
    let is_ci = env::var_os("CI").is_some_and(|ci| ci == "true");
    env::var_os("BLESS").is_some_and(|bless| bless == "1") && !is_ci
}

#[test]
fn each_report_gives_its_expected_reading() {
    if is_blessed() {
        for format in Format::ALL {
            let answer = |case: &Case| reading(*format, &case.call);
            cases(*format).bless(|_| true, answer).expect("the expected readings can be written");
        }
    }
    for report in Report::all() {
        assert_eq!(Some(report.answer()), report.expected, "{}", report.name);
    }
}

#[test]
fn each_report_has_a_case() {
    for format in Format::ALL {
        let folder = workspace_root().join("fixtures/reports").join(format.name());
        let files = fs::read_dir(folder).expect("each format has a folder");
        let files: BTreeSet<_> = files.map(|file| file.expect("it can be listed").file_name()).collect();
        let reports = Report::all().into_iter().filter(|report| report.format == *format);
        assert_eq!(files, reports.map(|report| report.file_name.into()).collect());
    }
}

#[test]
fn each_format_has_reports_that_are_read_and_reports_that_are_not() {
    for format in Format::ALL {
        let answers: Vec<_> =
            Report::all().iter().filter(|report| report.format == *format).map(Report::answer).collect();
        let needed = if *format == Format::Junit { 8 } else { 5 };
        assert!(answers.len() >= needed, "{}: {}", format.name(), answers.len());
        let is_trusted =
            |answer: &&String| !answer.contains("\"error\"") && !answer.contains("\"incomplete\"");
        let trusted = answers.iter().filter(is_trusted).count();
        assert!((1..answers.len()).contains(&trusted), "{}: {trusted} of {}", format.name(), answers.len());
    }
}

#[test]
fn each_report_that_has_a_shape_is_detected_by_its_content() {
    for report in Report::all() {
        let found = detect("report", &report.text);
        let is_shapeless = [
            "junit/empty.xml",
            "junit/not-a-report.xml",
            "junit/shift-jis.xml",
            "junit/not-utf-8.xml",
            "junit/entity-bomb.xml",
            "tap/not-tap.tap",
            "tap/no-plan.tap",
            "libtest/empty.ndjson",
            "lcov/no-file.info",
        ];
        if is_shapeless.contains(&report.name.as_str()) {
            assert!(found.is_none_or(|found| found == report.format), "{}: {found:?}", report.name);
        } else {
            assert_eq!(found, Some(report.format), "{}", report.name);
        }
        // The name never leads to another format.
        let by_name = detect(&report.file_name, &report.text);
        assert!(by_name.is_none_or(|found| found == report.format), "{}: {by_name:?}", report.name);
    }
}
