//! JUnit XML.
//!
//! There is no standard, so the reader takes what the writers have in common: suites, which may nest, with cases. An element of a case
//! tells its status.

use alloc::{format, string::String};

use adjudicate_core::Error;
use roxmltree::Node;

use super::FormatRow;
use crate::{
    CaseResult, CaseStatus, Location, Reading,
    case_list::CaseList,
    duration::{Unit, milliseconds},
    lines::malformed,
    location::PanicText,
    text::{first_line, id, one_line},
    xml::{self, attribute},
};

pub(super) const ROW: FormatRow = FormatRow {
    name: "junit",
    writers: &[
        "pytest",
        "jest-junit",
        "vitest",
        "Surefire",
        "Gradle",
        "gtest",
        "nextest",
        "go-junit-report",
        "node",
    ],
    file_names: &["junit.xml", "junit-*.xml", "*-junit.xml", "TEST-*.xml", "test-results.xml"],
    sniff,
    read,
};

fn sniff(text: &str) -> bool {
    let mut rest = text.trim_start();
    for (start, end) in [("<?", "?>"), ("<!--", "-->")] {
        while let Some(inside) = rest.strip_prefix(start) {
            rest = inside.split_once(end).map_or("", |(_, behind)| behind).trim_start();
        }
    }
    let name = rest.strip_prefix('<').unwrap_or_default();
    let end = name.find(|character: char| !character.is_ascii_alphanumeric()).unwrap_or(name.len());
    matches!(name.get(..end), Some("testsuites" | "testsuite"))
}

fn read(text: &str) -> Result<Reading, Error> {
    let text = xml::allowed(text);
    let document = xml::parse(&text)?;
    let root = document.root_element();
    let mut reader = JunitReader {
        cases: CaseList::default(),
        is_pytest: is_pytest(root),
        is_vitest: root.attribute("name") == Some("vitest tests"),
    };
    match root.tag_name().name() {
        "testsuites" | "testsuite" => drop(reader.suite(root, "", None)?),
        other => {
            let found = adjudicate_core::json::shorten(other);
            let problem =
                format_args!("expected the root element `testsuites` or `testsuite`, found `{found}`");
            return Err(malformed(xml::line_of(root), problem));
        }
    }
    Ok(Reading::Tests(reader.cases.finish()))
}

/// Returns whether pytest wrote the report. Its lines begin with 0.
fn is_pytest(root: Node<'_, '_>) -> bool {
    let first = root.children().find(Node::is_element);
    root.attribute("name") == Some("pytest tests")
        || [Some(root), first].into_iter().flatten().any(|suite| suite.attribute("name") == Some("pytest"))
}

/// The number of results that a part of the report lists, reruns included.
#[derive(Clone, Copy, Default)]
struct JunitCounts {
    cases: u64,
    failures: u64,
}

struct JunitReader {
    cases: CaseList,
    is_pytest: bool,
    /// True if vitest wrote the report. Its suites are named after their files.
    is_vitest: bool,
}

impl JunitReader {
    /// Reads a suite with the suites in it. The depth of the text is limited, and so is that of these calls.
    fn suite(
        &mut self,
        suite: Node<'_, '_>,
        outer: &str,
        outer_file: Option<&str>,
    ) -> Result<JunitCounts, Error> {
        let is_root = suite.tag_name().name() == "testsuites";
        let name = attribute(suite, "name").unwrap_or_default();
        let path = if is_root { outer.into() } else { id(&[outer, name]) };
        let file = attribute(suite, "file").or_else(|| attribute(suite, "filepath"));
        let file = file.or((self.is_vitest && !is_root).then_some(name)).or(outer_file);
        let mut listed = JunitCounts::default();
        for child in suite.children().filter(Node::is_element) {
            let inner = match child.tag_name().name() {
                "testsuite" | "testsuites" => self.suite(child, &path, file)?,
                "testcase" => self.case(child, &path, file)?,
                // Some writers report a failure outside of all cases.
                "failure" | "error" => self.suite_failure(child, &path, file)?,
                _ => JunitCounts::default(),
            };
            listed.cases += inner.cases;
            listed.failures += inner.failures;
        }
        self.compare(suite, &path, listed);
        Ok(listed)
    }

    /// Compares the totals in the header of a suite with its cases.
    fn compare(&mut self, suite: Node<'_, '_>, path: &str, listed: JunitCounts) {
        let total = |name| attribute(suite, name).and_then(|count| count.parse().ok()).unwrap_or(0_u64);
        let scope = if path.is_empty() { "the report".into() } else { alloc::format!("the suite `{path}`") };
        self.cases.incomplete.compare(&scope, "cases", total("tests"), listed.cases);
        let failures = total("failures").saturating_add(total("errors"));
        self.cases.incomplete.compare(&scope, "failures", failures, listed.failures);
    }

    fn case(
        &mut self,
        case: Node<'_, '_>,
        suite: &str,
        suite_file: Option<&str>,
    ) -> Result<JunitCounts, Error> {
        let outcome = CaseOutcome::of(case);
        let [class, name] = ["classname", "name"].map(|name| attribute(case, name).unwrap_or_default());
        let file = attribute(case, "file").or_else(|| attribute(case, "filepath")).or(suite_file);
        let line = attribute(case, "line").and_then(|line| line.parse::<u32>().ok());
        let line = line.map(|line| line.saturating_add(self.is_pytest.into()));
        let result = CaseResult {
            id: id(&[suite, class, if name.is_empty() { "unnamed" } else { name }]),
            status: outcome.status,
            message: outcome.reason.message,
            file: file.map(Into::into),
            location: outcome.reason.location.or_else(|| Location::new(file, line)),
            duration_ms: attribute(case, "time").and_then(|time| milliseconds(time, Unit::Seconds)),
        };
        self.cases.add(result, || xml::line_of(case))?;
        // Some writers report a failure in an attribute alone.
        let failures = outcome.failures.max((outcome.status == CaseStatus::Failed).into());
        Ok(JunitCounts { cases: 1 + outcome.reruns, failures: failures + outcome.reruns })
    }

    fn suite_failure(
        &mut self,
        failure: Node<'_, '_>,
        suite: &str,
        file: Option<&str>,
    ) -> Result<JunitCounts, Error> {
        let result = CaseResult {
            id: id(&[if suite.is_empty() { "unnamed" } else { suite }]),
            status: CaseStatus::Failed,
            message: FailureReason::of(failure).message,
            file: file.map(Into::into),
            location: Location::new(file, None),
            duration_ms: None,
        };
        self.cases.add(result, || xml::line_of(failure))?;
        Ok(JunitCounts { cases: 0, failures: 1 })
    }
}

/// The status of a case and its reason.
struct CaseOutcome {
    status: CaseStatus,
    reason: FailureReason,
    /// The failures and errors of the last run.
    failures: u64,
    /// The runs that failed in addition to the last run.
    reruns: u64,
}

/// The elements of a case that tell its status.
#[derive(Default)]
struct StatusElements<'t, 'i> {
    /// The first failure of the last run.
    failure: Option<Node<'t, 'i>>,
    failures: u64,
    /// The first failure of another run.
    rerun: Option<Node<'t, 'i>>,
    reruns: u64,
    skipped: Option<Node<'t, 'i>>,
}

impl CaseOutcome {
    fn of(case: Node<'_, '_>) -> Self {
        let marks = StatusElements::of(case);
        // The test runner of Node reports a failed TODO as both. It does not count as a failure there.
        let is_todo = marks.skipped.is_some_and(|skipped| skipped.attribute("type") == Some("todo"));
        let (status, reason) = if let Some(failure) = marks.failure.filter(|_| !is_todo) {
            (CaseStatus::Failed, Some(failure))
        } else if is_word_of(case, &["failed", "failure", "fail", "error", "broken"]) {
            (CaseStatus::Failed, None)
        } else if let Some(rerun) = marks.rerun {
            (CaseStatus::Flaky, Some(rerun))
        } else if marks.skipped.is_some()
            || is_word_of(case, &["notrun", "suppressed", "skipped", "disabled", "ignored"])
        {
            (CaseStatus::Skipped, marks.skipped)
        } else {
            (CaseStatus::Passed, None)
        };
        let mut reason = reason.map(FailureReason::of).unwrap_or_default();
        if let (CaseStatus::Failed, Some(text), 2..) = (status, &mut reason.message, marks.failures) {
            *text = one_line(&format!("{text} (and {} more)", marks.failures - 1));
        }
        Self { status, reason, failures: marks.failures, reruns: marks.reruns }
    }
}

impl<'t, 'i> StatusElements<'t, 'i> {
    fn of(case: Node<'t, 'i>) -> Self {
        let mut marks = Self::default();
        for child in case.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "failure" | "error" => {
                    marks.failure = marks.failure.or(Some(child));
                    marks.failures += 1;
                }
                "flakyFailure" | "flakyError" | "rerunFailure" | "rerunError" => {
                    marks.rerun = marks.rerun.or(Some(child));
                    marks.reruns += 1;
                }
                "skipped" | "disabled" | "ignored" => marks.skipped = marks.skipped.or(Some(child)),
                _ => {}
            }
        }
        marks
    }
}

/// Returns whether the attribute `status` or `result` of a case, as gtest and others write them, is one of these words.
fn is_word_of(case: Node<'_, '_>, words: &[&str]) -> bool {
    let values = ["status", "result"].into_iter().filter_map(|name| attribute(case, name));
    values.into_iter().any(|value| words.iter().any(|word| value.eq_ignore_ascii_case(word)))
}

/// The message of a failure, and the place that it names.
#[derive(Default)]
struct FailureReason {
    message: Option<String>,
    location: Option<Location>,
}

impl FailureReason {
    /// Reads the attribute `message` of a failure, its text, its stack trace, or its type: the first of them that tells something.
    fn of(failure: Node<'_, '_>) -> Self {
        if let Some(panic) = failure.text().and_then(PanicText::find) {
            return Self { message: panic.message, location: panic.location };
        }
        let trace = failure.children().find(|child| child.has_tag_name("stackTrace"));
        let texts = [
            failure.attribute("message"),
            failure.text(),
            trace.and_then(|trace| trace.text()),
            failure.attribute("type"),
        ];
        let mut telling =
            texts.into_iter().flatten().filter(|text| !text.trim().is_empty() && !is_general(text.trim()));
        telling.next().map_or_else(
            || Self { message: failure.attribute("message").and_then(first_line), location: None },
            Self::of_text,
        )
    }

    /// Takes the first line. gtest writes the place alone in the first line.
    fn of_text(text: &str) -> Self {
        let (first, rest) = text.trim_start().split_once('\n').unwrap_or((text, ""));
        let location = Location::parse(first).filter(|_| !first.trim().contains(char::is_whitespace));
        match (location, first_line(rest)) {
            (Some(location), Some(message)) => Self { message: Some(message), location: Some(location) },
            _ => Self { message: first_line(text), location: None },
        }
    }
}

/// Returns whether a message only repeats the status. go-junit-report and pytest write the message into the text.
fn is_general(message: &str) -> bool {
    matches!(message, "Failed" | "Skipped" | "Build error" | "Runtime error" | "collection failure")
}
