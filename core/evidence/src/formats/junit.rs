//! JUnit XML.
//!
//! There is no standard, so the reader takes what the writers have in common: suites, which may nest, with cases. An element of a case
//! tells its status.

use adjudicate_core::Error;
use roxmltree::Node;

use super::row::FormatRow;
use crate::{
    CaseResult, CaseStatus, Location, Reading,
    case_list::CaseList,
    duration::{Unit, milliseconds},
    fault::malformed,
    text::id,
    xml::{self, attribute},
};

mod outcome;

use outcome::{CaseOutcome, FailureReason};

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
