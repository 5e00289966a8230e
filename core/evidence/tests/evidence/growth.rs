//! Long hostile texts: each reader ends soon, because its time is linear in the text and its memory is bounded.

use std::time::{Duration, Instant};

use adjudicate_evidence::{Format, limits::MAX_REPORT_BYTES, read};

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
