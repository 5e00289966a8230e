//! Properties of all texts: no panic, bounded readings, no prefix of a report that looks better than the report, and linear time.

use std::time::{Duration, Instant};

use adjudicate_evidence::{
    CaseStatus, Format, Reading, TestReport, detect,
    limits::{MAX_CASES, MAX_ID_CHARACTERS, MAX_MESSAGE_CHARACTERS, MAX_REPORT_BYTES},
    read,
};
use proptest::{prelude::*, sample::Index};

use crate::corpus::Report;

/// Reads a text as each format and checks the bounds of the reading.
fn check(text: &[u8]) {
    let _ = detect("report.json", text);
    for format in Format::ALL {
        match read(*format, text) {
            Ok(reading) => check_bounds(&reading),
            Err(error) => {
                let is_known = matches!(error.code().as_str(), "malformed_report" | "limit_exceeded");
                assert!(is_known && error.message().contains("line "), "{error}");
            }
        }
    }
}

fn check_bounds(reading: &Reading) {
    if let Some(reason) = reading.incomplete() {
        assert!(reason.chars().count() <= 6 * MAX_MESSAGE_CHARACTERS);
    }
    match reading {
        Reading::Tests(report) => {
            assert!(report.cases.len() <= MAX_CASES);
            assert!(!report.cases.is_empty() || report.incomplete.is_some());
            for case in &report.cases {
                let message = case.message.as_deref().unwrap_or_default();
                assert!(
                    message.chars().count() <= MAX_MESSAGE_CHARACTERS && !message.contains(char::is_control)
                );
                assert!(case.id.chars().count() <= MAX_ID_CHARACTERS);
            }
            let mut ids: Vec<&str> = report.cases.iter().map(|case| case.id.as_str()).collect();
            ids.sort_unstable();
            assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "ids are unique");
        }
        Reading::Review(report) => {
            for issue in &report.issues {
                assert!(issue.message.chars().count() <= MAX_MESSAGE_CHARACTERS);
            }
        }
        Reading::Coverage(coverage) => {
            assert!(!coverage.files.is_empty() || coverage.incomplete.is_some());
            for count in [coverage.lines, coverage.branches, coverage.functions] {
                assert!(count.hit <= count.found);
            }
        }
    }
    // The text is JSON.
    let text = reading.to_json();
    let limits = adjudicate_core::json::ReadLimits::ANSWER;
    assert!(adjudicate_core::json::read(text.as_bytes(), limits).is_ok(), "{text}");
}

/// A piece of a report, or noise between pieces.
fn piece() -> impl Strategy<Value = String> {
    let words = [
        "<testsuite name='a' tests='2'>",
        "<testcase name='b'>",
        "<failure message='c'/>",
        "<skipped/>",
        "</testcase>",
        "</testsuite>",
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
        "<?xml version='1.0' encoding='utf-8'?>",
        "&#x1b;",
        "ok 1 - a",
        "not ok 2 # TODO",
        "1..2",
        "    ",
        "  ---",
        "  ...",
        "message: |",
        "{",
        "}",
        "[",
        "]",
        "\"",
        ":",
        ",",
        "\\ud800",
        "{\"type\":\"test\",\"event\":\"ok\",\"name\":\"a$b#2\"}",
        "{\"type\":\"suite\",\"event\":\"started\",\"test_count\":1}",
        "{\"Action\":\"run\",\"Package\":\"p\",\"Test\":\"T\"}",
        "{\"Action\":\"fail\",\"Package\":\"p\"}",
        "\"testResults\":[",
        "\"assertionResults\":[",
        "\"version\":\"2.1.0\"",
        "\"runs\":[",
        "\"results\":",
        "\"tests\":[",
        "SF:a",
        "DA:1,1",
        "BRDA:1,0,0,-",
        "FNA:0,1,a,b",
        "end_of_record",
        "\n",
        "\r\n",
        "\u{1b}[31m",
        "é",
        "1e9",
    ];
    prop_oneof![8 => prop::sample::select(words.to_vec()).prop_map(String::from), 1 => "[ -~\n]{0,9}"]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_or_refused(text in prop::collection::vec(any::<u8>(), 0..300)) {
        check(&text);
    }

    #[test]
    fn any_pieces_are_read_or_refused(pieces in prop::collection::vec(piece(), 0..40)) {
        check(pieces.concat().as_bytes());
    }

    #[test]
    fn any_change_of_a_report_is_read_or_refused(
        report in any::<Index>(),
        changes in prop::collection::vec((any::<Index>(), any::<u8>(), 0..3_u8), 1..6),
    ) {
        let reports = Report::all();
        let mut text = report.get(&reports).text.clone();
        for (at, byte, kind) in changes {
            let at = at.index(text.len() + 1);
            match kind {
                0 if at < text.len() => text[at] = byte,
                1 if at < text.len() => drop(text.remove(at)),
                _ => text.insert(at, byte),
            }
        }
        check(&text);
    }
}

/// The cases of a report that looks like a success, and their number.
fn failures(report: &TestReport) -> usize {
    report.count(CaseStatus::Failed)
}

/// Returns the end of the events of a suite or package, behind which a text of events may end without a trace.
fn is_between_suites(format: Format, prefix: &[u8]) -> bool {
    let text = String::from_utf8_lossy(prefix);
    let last = text.trim_end().lines().next_back().unwrap_or_default().to_owned();
    match format {
        Format::Libtest => last.contains("\"suite\"") && !last.contains("\"started\""),
        Format::GoTest => last.contains("\"Package\"") && !last.contains("\"Test\""),
        _ => false,
    }
}

/// A prefix of a complete report is never a complete report with fewer failures. The texts of events are the exception: nothing in them
/// says how many suites or packages follow.
#[test]
fn a_prefix_of_a_report_looks_no_better_than_the_report() {
    check_prefixes(13);
}

#[test]
#[ignore = "takes long: `cargo xtask test tests-further`"]
fn no_prefix_of_a_report_looks_better_than_the_report() {
    check_prefixes(1);
}

/// Checks each prefix whose length is a multiple of `step`.
fn check_prefixes(step: usize) {
    for report in Report::all() {
        let Ok(Reading::Tests(whole)) = read(report.format, &report.text) else { continue };
        if whole.incomplete.is_some() {
            continue;
        }
        for end in (0..report.text.len()).step_by(step) {
            let prefix = &report.text[..end];
            let Ok(Reading::Tests(part)) = read(report.format, prefix) else { continue };
            if part.incomplete.is_some() || is_between_suites(report.format, prefix) {
                continue;
            }
            let (part, whole) = (failures(&part), failures(&whole));
            assert!(part >= whole, "{}: {part} of {whole} failures in the first {end} bytes", report.name);
        }
    }
}

/// Coverage that was cut says so, or is as it was.
#[test]
fn a_prefix_of_coverage_is_incomplete() {
    for report in Report::all().into_iter().filter(|report| report.format == Format::Lcov) {
        for end in 0..report.text.len() {
            let prefix = &report.text[..end];
            let Ok(reading) = read(Format::Lcov, prefix) else { continue };
            let is_at_end = String::from_utf8_lossy(prefix).trim_end().ends_with("end_of_record")
                || String::from_utf8_lossy(prefix)
                    .lines()
                    .next_back()
                    .is_some_and(|line| line.starts_with('T'));
            assert!(is_at_end || reading.incomplete().is_some(), "{}: {end}", report.name);
        }
    }
}

/// Far above the time of a linear reader without optimization, and far below that of a quadratic one.
const LONG: Duration = Duration::from_secs(10);

/// The size of the texts: enough to reach the limits of counts, and a time without optimization that a test can take.
const SIZE: usize = 2 << 20;

/// Repeats `middle` up to the size.
fn fill(start: &str, middle: &str, end: &str) -> String {
    let count = (SIZE - start.len() - end.len()) / middle.len();
    [start, &middle.repeat(count), end].concat()
}

fn assert_quick(format: Format, text: &str) {
    let start = Instant::now();
    let answer =
        read(format, text.as_bytes()).map_or_else(|error| error.to_json(), |reading| reading.to_json());
    let beginning: String = text.chars().take(60).collect();
    assert!(start.elapsed() < LONG, "{} took {:?}: {beginning}", format.name(), start.elapsed());
    assert!(answer.len() < 8 * SIZE, "{} gives {} bytes: {beginning}", format.name(), answer.len());
}

#[test]
#[ignore = "takes long: `cargo xtask test tests-further`"]
fn hostile_xml_ends_soon() {
    for (start, middle, end) in [
        ("", "<a>", ""),
        ("<testsuite>", "<a b='c'/>", "</testsuite>"),
        ("<testsuite>", "<![CDATA[a]]>", "</testsuite>"),
        ("<testsuite ", "a=", "/>"),
        ("<testsuite xmlns:a='b'>", "<a:c/>", "</testsuite>"),
        ("<testsuite><testcase>", "<failure/>", "</testcase></testsuite>"),
        ("<testsuite><testcase name='", "a&amp;", "'/></testsuite>"),
        ("<testsuite>", "&#65;", "</testsuite>"),
        ("<!--", "-", "-->"),
        ("<testsuite>", "=\n", "</testsuite>"),
        ("<testsuite><testcase><failure>", "\n \u{1b}[0m", "</failure></testcase></testsuite>"),
    ] {
        assert_quick(Format::Junit, &fill(start, middle, end));
    }
}

#[test]
#[ignore = "takes long: `cargo xtask test tests-further`"]
fn hostile_json_ends_soon() {
    for (format, start, middle, end) in [
        (Format::Jest, "", "[", ""),
        (Format::Jest, r#"{"testResults":["#, "{},", "{}]}"),
        (Format::Jest, r#"{"testResults":[{"assertionResults":["#, "{},", "{}]}]}"),
        (Format::Ctrf, r#"{"results":{"tests":["#, "0,", "0]}}"),
        (Format::Ctrf, r#"{"results":{"tests":[],"a":""#, r"\ud83d", r#""}}"#),
        (Format::Ctrf, r#"{"results":{"tests":[],"#, "\"a\":\n0,", "\"b\":0}}"),
        (Format::Sarif, r#"{"version":"2.1.0","runs":["#, "{},", "{}]}"),
        (Format::Sarif, r#"{"version":"2.1.0","runs":[{"results":["#, r#"{"ruleIndex":9},"#, "{}]}]}"),
        (Format::Libtest, "", "{\"type\":\"test\",\"event\":\"started\",\"name\":\"a\"}\n", ""),
        (Format::Libtest, "", "{\n", ""),
        (Format::GoTest, "", "{\"Action\":\"start\",\"Package\":\"a\"}\n", ""),
        (Format::GoTest, "", "{\"Action\"\n", ""),
    ] {
        assert_quick(format, &fill(start, middle, end));
    }
}

#[test]
#[ignore = "takes long: `cargo xtask test tests-further`"]
fn hostile_lines_end_soon() {
    for (format, start, middle, end) in [
        (Format::Tap, "", "ok\n", ""),
        (Format::Tap, "", "1..1\n", ""),
        (Format::Tap, "ok 1\n", "    ok 1\nok\n", ""),
        (Format::Tap, "not ok 1\n  ---\n", "a:\n", ""),
        (Format::Tap, "ok 1 - ", "\\# ", ""),
        (Format::Lcov, "", "SF:a\nDA:1,1\nend_of_record\n", ""),
        (Format::Lcov, "SF:a\n", "BRDA:1,0,0,1\n", ""),
        (Format::Lcov, "SF:a\nFNL:0,1\n", "FNA:0,1,a\n", ""),
    ] {
        assert_quick(format, &fill(start, middle, end));
    }
    // Each line is another file, line or function.
    let numbered: String = (0..100_000).map(|line| format!("DA:{line},1\nFN:{line},f{line}\n")).collect();
    assert_quick(Format::Lcov, &["SF:a\n", &numbered].concat());
    let files: String = (0..110_000).map(|file| format!("SF:{file}\nend_of_record\n")).collect();
    assert_quick(Format::Lcov, &files);
}

#[test]
fn a_report_over_the_size_limit_is_refused() {
    let text = vec![b' '; MAX_REPORT_BYTES + 1];
    for format in Format::ALL {
        let error = read(*format, &text).expect_err("it is too large");
        assert_eq!(error.code().as_str(), "limit_exceeded");
        assert_eq!(error.message(), "the report has 16777217 bytes; the limit is 16777216");
    }
}
