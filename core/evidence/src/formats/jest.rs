//! The JSON results of jest and vitest.

use alloc::{format, vec::Vec};

use adjudicate_core::{Error, json::Node};

use super::FormatRow;
use crate::{
    CaseResult, CaseStatus, Location, Reading,
    case_list::CaseList,
    duration::Unit,
    json::{self, JsonText},
    text::{first_line, id, one_line},
};

pub(super) const ROW: FormatRow = FormatRow {
    name: "jest",
    writers: &["jest --json", "vitest --reporter=json"],
    file_names: &["jest*.json", "vitest*.json"],
    sniff,
    read,
};

fn sniff(text: &str) -> bool {
    let (mut has_suites, mut has_total) = (false, false);
    json::keys(text, |level, key| {
        has_suites |= level == 1 && key == "testResults";
        has_total |= level == 1 && key == "numTotalTests";
    });
    // The totals come first, so a text that was cut has them.
    text.trim_start().starts_with('{') && (has_suites || has_total)
}

/// The results that the report lists.
#[derive(Default)]
struct JestCounts {
    cases: u64,
    failures: u64,
}

fn read(text: &str) -> Result<Reading, Error> {
    let json = JsonText::new(text);
    let tape = json.parse()?;
    let root = tape.root();
    let suites = root.member("testResults");
    let Some(suites) = suites.filter(|suites| json::is_array(*suites)) else {
        return Err(json.unexpected("/testResults", "an array", suites));
    };
    let (mut cases, mut listed) = (CaseList::default(), JestCounts::default());
    for (index, suite) in suites.items().enumerate() {
        read_suite(suite, &format!("/testResults/{index}"), &json, &mut cases, &mut listed)?;
    }
    let total = |name| json::count(root, name).unwrap_or(0);
    cases.incomplete.compare("the report", "cases", total("numTotalTests"), listed.cases);
    cases.incomplete.compare("the report", "failures", total("numFailedTests"), listed.failures);
    if json::is_true(root, "wasInterrupted") {
        cases.incomplete.add("the run was interrupted");
    }
    if root.member("success").is_some() && !json::is_true(root, "success") && listed.failures == 0 {
        cases.incomplete.add("the run failed, and the report lists no failure");
    }
    Ok(Reading::Tests(cases.finish()))
}

fn read_suite(
    suite: Node<'_>,
    path: &str,
    json: &JsonText<'_>,
    cases: &mut CaseList,
    listed: &mut JestCounts,
) -> Result<(), Error> {
    let file = json::text(suite, "name");
    let mut has_failure = false;
    for (index, test) in json::items(suite, "assertionResults").enumerate() {
        let case = case(test, file);
        has_failure |= case.status == CaseStatus::Failed;
        listed.cases += 1;
        listed.failures += u64::from(case.status == CaseStatus::Failed);
        cases.add(case, || json.line_of(&format!("{path}/assertionResults/{index}")))?;
    }
    // A suite that cannot be loaded has no test, and a hook that fails belongs to no test.
    if json::text(suite, "status") == Some("failed") && !has_failure {
        listed.failures += 1;
        cases.add(failed_suite(suite, file), || json.line_of(path))?;
    }
    Ok(())
}

fn case(test: Node<'_>, file: Option<&str>) -> CaseResult {
    let word = json::text(test, "status").unwrap_or_default();
    let (status, is_known) = match word {
        "passed" => (CaseStatus::Passed, true),
        "pending" | "skipped" | "todo" | "disabled" => (CaseStatus::Skipped, true),
        "failed" => (CaseStatus::Failed, true),
        _ => (CaseStatus::Failed, false),
    };
    let unknown = (!is_known).then(|| one_line(&format!("the report gives the status `{word}`")));
    let message = json::items(test, "failureMessages").filter_map(Node::as_str).find_map(first_line);
    let line = test.member("location").and_then(|location| json::line_number(location, "line"));
    let titles = json::items(test, "ancestorTitles").filter_map(Node::as_str);
    let title = json::text(test, "title").or_else(|| json::text(test, "fullName")).unwrap_or("unnamed");
    let parts: Vec<&str> = [file.unwrap_or("unnamed")].into_iter().chain(titles).chain([title]).collect();
    CaseResult {
        id: id(&parts),
        status,
        message: message.or(unknown),
        file: file.map(Into::into),
        location: Location::new(file, line),
        duration_ms: json::duration(test, "duration", Unit::Milliseconds),
    }
}

/// Returns the case that stands for a suite that failed outside of its tests.
fn failed_suite(suite: Node<'_>, file: Option<&str>) -> CaseResult {
    let lines = json::text(suite, "message").unwrap_or_default().lines();
    // The first line of jest only says that the suite failed.
    let message = lines.filter(|line| !line.contains("Test suite failed to run")).find_map(first_line);
    CaseResult {
        id: id(&[file.unwrap_or("unnamed")]),
        status: CaseStatus::Failed,
        message: message.or_else(|| Some("the suite failed outside of its tests".into())),
        file: file.map(Into::into),
        location: Location::new(file, None),
        duration_ms: None,
    }
}
