//! The Common Test Report Format. Its schema is closed, but changes between its early versions, so unknown fields are ignored.

use alloc::{format, string::String, vec::Vec};

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
    name: "ctrf",
    writers: &["ctrf reporters of Playwright, Cypress, Jest, Vitest, pytest, Go and others"],
    file_names: &["ctrf-report.json", "*ctrf.json", "ctrf*.json"],
    sniff,
    read,
};

fn sniff(text: &str) -> bool {
    let (mut has_format, mut has_results, mut parts) = (false, false, 0);
    json::keys(text, |level, key| match (level, key) {
        (1, "reportFormat") => has_format = true,
        (1, "results") => has_results = true,
        (2, "tool" | "summary" | "tests") => parts += usize::from(has_results),
        _ => {}
    });
    text.trim_start().starts_with('{') && has_results && (has_format || parts >= 2)
}

fn read(text: &str) -> Result<Reading, Error> {
    let json = JsonText::new(text);
    let tape = json.parse()?;
    let results = tape.root().member("results");
    let tests = results.and_then(|results| results.member("tests"));
    let Some(tests) = tests.filter(|tests| json::is_array(*tests)) else {
        return Err(json.unexpected("/results/tests", "an array", tests));
    };
    let mut cases = CaseList::default();
    let (mut listed, mut failures) = (0, 0);
    for (index, test) in tests.items().enumerate() {
        let line = || json.line_of(&format!("/results/tests/{index}"));
        let case = case(test);
        listed += 1;
        failures += u64::from(case.status == CaseStatus::Failed);
        cases.add(case, line)?;
    }
    if let Some(summary) = results.and_then(|results| results.member("summary")) {
        let total = |name| json::count(summary, name).unwrap_or(0);
        cases.incomplete.compare("the summary", "cases", total("tests"), listed);
        cases.incomplete.compare("the summary", "failures", total("failed"), failures);
    }
    Ok(Reading::Tests(cases.finish()))
}

fn case(test: Node<'_>) -> CaseResult {
    let word = json::text(test, "status").unwrap_or_default();
    let is_rerun =
        json::is_true(test, "flaky") || json::count(test, "retries").is_some_and(|count| count > 0);
    let status = match word {
        "passed" if is_rerun => CaseStatus::Flaky,
        "passed" => CaseStatus::Passed,
        "skipped" | "pending" => CaseStatus::Skipped,
        // The status `other` tells nothing, and an unknown status must not look like a success.
        _ => CaseStatus::Failed,
    };
    let message =
        ["message", "trace"].into_iter().filter_map(|name| json::text(test, name)).find_map(first_line);
    let is_known = matches!(word, "passed" | "skipped" | "pending" | "failed");
    let unknown = (!is_known).then(|| one_line(&format!("the report gives the status `{word}`")));
    let file = json::text(test, "filePath");
    CaseResult {
        id: case_id(test, file),
        status,
        message: message.or(unknown),
        file: file.map(Into::into),
        location: Location::new(file, json::line_number(test, "line")),
        duration_ms: json::duration(test, "duration", Unit::Milliseconds),
    }
}

/// Returns the suites and the name of a test. Older versions write the suites as one text. Without suites, the file distinguishes
/// tests of one name.
fn case_id(test: Node<'_>, file: Option<&str>) -> String {
    let mut parts: Vec<&str> = json::items(test, "suite").filter_map(Node::as_str).collect();
    parts.extend(json::text(test, "suite"));
    if parts.is_empty() {
        parts.extend(file);
    }
    parts.push(json::text(test, "name").unwrap_or("unnamed"));
    id(&parts)
}
