//! SARIF 2.1.0: results of analysis tools, which become the issues of a review.

mod fix;
mod message;
mod place;
mod run;

use alloc::{
    collections::BTreeMap,
    format,
    string::{String, ToString as _},
};

use adjudicate_core::{Error, codes::Severity, json::Node};

use super::row::FormatRow;
use crate::{
    Reading, ReportedIssue, ReviewReport,
    fault::over_limit,
    incomplete::IncompleteReasons,
    json::{self, JsonText},
    limits::{MAX_CASES, MAX_RUNS},
    text::bounded_id,
};

use run::SarifRun;

pub(super) const ROW: FormatRow = FormatRow {
    name: "sarif",
    writers: &["CodeQL", "Semgrep", "ESLint", "clippy-sarif", "golangci-lint", "ruff", "adjudicate"],
    file_names: &["*.sarif", "*.sarif.json"],
    sniff,
    read,
};

fn sniff(text: &str) -> bool {
    let (mut has_runs, mut has_version) = (false, false);
    json::keys(text, |level, key| {
        has_runs |= level == 1 && key == "runs";
        has_version |= level == 1 && matches!(key, "version" | "$schema");
    });
    text.trim_start().starts_with('{') && has_runs && has_version
}

fn read(text: &str) -> Result<Reading, Error> {
    let json = JsonText::new(text);
    let tape = json.parse()?;
    let root = tape.root();
    let version = root.member("version");
    if !version.and_then(Node::as_str).is_some_and(|version| version.starts_with("2.1")) {
        return Err(json.unexpected("/version", "the version `2.1.0`", version));
    }
    let runs = root.member("runs");
    let Some(runs) = runs.filter(|runs| json::is_array(*runs)) else {
        return Err(json.unexpected("/runs", "an array", runs));
    };
    let mut reader = SarifReader::default();
    for (index, run) in runs.items().enumerate() {
        if index >= MAX_RUNS {
            let line = json.line_of(&format!("/runs/{index}"));
            return Err(over_limit(line, format!("the log has more than {MAX_RUNS} runs")));
        }
        reader.run(run, &format!("/runs/{index}"), &json)?;
    }
    if runs.is_empty() {
        reader.incomplete.add("the log has no run");
    }
    reader.report.incomplete = reader.incomplete.into_text();
    Ok(Reading::Review(reader.report))
}

#[derive(Default)]
struct SarifReader {
    report: ReviewReport,
    incomplete: IncompleteReasons,
    results: usize,
    /// The number of issues with each id.
    ids: BTreeMap<String, usize>,
}

impl SarifReader {
    fn run(&mut self, node: Node<'_>, path: &str, json: &JsonText<'_>) -> Result<(), Error> {
        let run = SarifRun::new(node);
        run.problems(&mut self.incomplete);
        for (index, result) in json::items(node, "results").enumerate() {
            self.results += 1;
            if self.results > MAX_CASES {
                let line = json.line_of(&format!("{path}/results/{index}"));
                return Err(over_limit(line, format!("the log has more than {MAX_CASES} results")));
            }
            self.result(result, &run);
        }
        Ok(())
    }

    fn result(&mut self, result: Node<'_>, run: &SarifRun<'_>) {
        let severity = match run.level(result) {
            "none" => return self.report.without_level += 1,
            "error" => Severity::High,
            "note" => Severity::Low,
            // `warning`, and words of later versions.
            _ => Severity::Medium,
        };
        if is_suppressed(result) {
            self.report.suppressed += 1;
        } else if matches!(json::text(result, "baselineState"), Some("unchanged" | "absent")) {
            self.report.in_baseline += 1;
        } else {
            let location = json::items(result, "locations").find_map(|location| run.location(location));
            let message = run.message(result).unwrap_or_else(|| "the result has no message".into());
            let rule = bounded_id(run.rule_id(result).unwrap_or("unnamed"));
            let id = location.as_ref().map_or_else(|| rule.clone(), |location| format!("{rule}:{location}"));
            let edit = fix::edit(result, run, &message);
            let id = self.unique(id);
            self.report.issues.push(ReportedIssue { id, severity, message, location, edit });
        }
    }

    /// Returns an id that no other issue has: the second issue of an id gets `#2`.
    fn unique(&mut self, id: String) -> String {
        let count = self.ids.entry(id.to_string()).or_default();
        *count += 1;
        if *count == 1 { id } else { format!("{id}#{count}") }
    }
}

/// Returns whether a result is suppressed. A suppression that waits for a review or was rejected does not count.
fn is_suppressed(result: Node<'_>) -> bool {
    let mut suppressions = json::items(result, "suppressions").peekable();
    let is_accepted = |one: Node<'_>| matches!(json::text(one, "status"), None | Some("accepted"));
    suppressions.peek().is_some() && suppressions.all(is_accepted)
}
