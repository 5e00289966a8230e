//! SARIF 2.1.0: results of analysis tools, which become the issues of a review.

mod run;

use alloc::{
    collections::BTreeMap,
    format,
    string::{String, ToString as _},
    vec::Vec,
};

use adjudicate_core::{Error, codes::Severity, json::Node};

use self::run::{SarifRun, message_text};
use super::FormatRow;
use crate::{
    Location, Reading, ReportedIssue, ReviewReport, SuggestedEdit,
    json::{self, JsonText},
    limits::{MAX_CASES, MAX_MESSAGE_CHARACTERS, MAX_RUNS},
    lines::over_limit,
    reading::IncompleteReasons,
    text::{bounded, bounded_id},
};

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
            let edit = edit(result, run, &message);
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

/// Returns the first fix of a result. `reason` is the rationale of a fix without a description.
fn edit(result: Node<'_>, run: &SarifRun<'_>, reason: &str) -> Option<SuggestedEdit> {
    json::items(result, "fixes").find_map(|fix| {
        let mut target = None;
        let mut acts: Vec<String> = Vec::new();
        for change in json::items(fix, "artifactChanges") {
            let file = run.path(change).unwrap_or_default();
            for replacement in json::items(change, "replacements") {
                let region = replacement.member("deletedRegion");
                let line = region.and_then(|region| json::line_number(region, "startLine"));
                let Some(first) = &target else {
                    target = Location::new(Some(&file), line);
                    acts.push(act(replacement));
                    continue;
                };
                let is_other = first.file != file;
                acts.push(if is_other {
                    format!("in {file}: {}", act(replacement))
                } else {
                    act(replacement)
                });
            }
        }
        let description = fix.member("description").and_then(|description| message_text(description, None));
        Some(SuggestedEdit {
            target: target?.to_string(),
            action: bounded(&acts.join("; "), MAX_MESSAGE_CHARACTERS),
            rationale: description.unwrap_or_else(|| reason.into()),
        })
    })
}

/// Returns a replacement in words.
fn act(replacement: Node<'_>) -> String {
    let region = replacement.member("deletedRegion").map(FixRegion::new).unwrap_or_default();
    let inserted = replacement.member("insertedContent").and_then(|content| json::text(content, "text"));
    let inserted = inserted.map(|text| bounded(text, MAX_MESSAGE_CHARACTERS)).filter(|text| !text.is_empty());
    match inserted {
        None => format!("delete {}", region.words()),
        Some(text) if region.is_empty() => format!("insert `{text}` at {}", region.words()),
        Some(text) => format!("replace {} by `{text}`", region.words()),
    }
}

/// The place of a replacement.
#[derive(Default)]
struct FixRegion {
    lines: Option<(u64, u64)>,
    columns: Option<(u64, Option<u64>)>,
    characters: Option<(u64, u64)>,
}

impl FixRegion {
    fn new(region: Node<'_>) -> Self {
        let field = |name| json::count(region, name);
        let first = field("startLine");
        Self {
            lines: first.map(|first| (first, field("endLine").unwrap_or(first))),
            columns: field("startColumn").map(|column| (column, field("endColumn"))),
            characters: field("charOffset").map(|offset| (offset, field("charLength").unwrap_or(0))),
        }
    }

    fn is_empty(&self) -> bool {
        match (self.lines, self.columns, self.characters) {
            (Some((first, last)), Some((start, end)), _) => first == last && end == Some(start),
            (None, _, Some((_, length))) => length == 0,
            _ => false,
        }
    }

    fn words(&self) -> String {
        match (self.lines, self.columns, self.characters) {
            (Some((first, last)), Some((start, end)), _) if first == last => match end {
                // The end of a region is the column behind it.
                Some(end) if end > start + 1 => format!("line {first}, columns {start} to {}", end - 1),
                Some(_) => format!("line {first}, column {start}"),
                None => format!("line {first} from column {start}"),
            },
            (Some((first, last)), Some((start, Some(end))), _) => {
                format!("the text from line {first}, column {start} to before line {last}, column {end}")
            }
            (Some((first, last)), _, _) if first == last => format!("line {first}"),
            (Some((first, last)), _, _) => format!("lines {first} to {last}"),
            (None, _, Some((offset, 0))) => format!("character {offset}"),
            (None, _, Some((offset, length))) => {
                format!("characters {offset} to {}", offset.saturating_add(length) - 1)
            }
            (None, _, None) => "the whole file".into(),
        }
    }
}
