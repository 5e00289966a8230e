//! Each report of the corpus gives its expected reading. To write the expected readings, run
//! `BLESS=1 cargo test -p adjudicate-evidence --test evidence`, and review their differences.

use std::{collections::BTreeSet, env, fs};

use adjudicate_evidence::{Format, detect};
use adjudicate_tests::{Case, workspace_root};

use super::corpus::{Report, cases, reading};

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
