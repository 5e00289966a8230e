//! The last cell of a row: references in code spans, a reason, or both.
//!
//! A reference is `OPERATION/NAME` for a fixture, `path/file.rs::function` for a test, or the path of a file. A reason
//! is one of [`REASONS`], a colon and a text. Code in a reason is not a reference.

use std::{collections::BTreeMap, fs, sync::OnceLock};

use adjudicate_core::Operation;
use adjudicate_tests::{Corpus, Fixture, workspace_root};

/// The first words of a reason.
const REASONS: [&str; 4] = ["Outside", NOT_YET, "Reading", "Template"];
/// The word for requirements that are not built. Such a row may only name fixtures that have no answer yet. After the
/// answer exists, the row must name a proof.
const NOT_YET: &str = "Not yet";

/// Every fault of a cell.
pub(super) fn problems(cell: &str) -> Vec<String> {
    let (references, reason) = split(cell);
    let mut problems = Vec::new();
    let names = code_spans(references);
    if names.is_empty() && reason.is_none() {
        problems.push(format!("neither a proof nor a reason: `{cell}`"));
    }
    if !references.split('`').step_by(2).all(|between| between.trim_matches([',', '.', ' ']).is_empty()) {
        problems.push(format!("expected references or one of {REASONS:?}, found `{references}`"));
    }
    let is_due = matches!(reason, Some((NOT_YET, _)));
    if let Some((word, text)) = reason
        && text.is_empty()
    {
        problems.push(format!("`{word}:` without a reason"));
    }
    let found: Vec<_> = names.iter().map(|name| resolve(name)).collect();
    problems.extend(names.iter().zip(&found).filter_map(|(name, proof)| proof.fault(name, is_due)));
    problems
}

/// The target of a reference.
enum Proof {
    Shown,
    /// A fixture without an answer.
    Unanswered,
    Missing(&'static str),
}

impl Proof {
    fn fault(&self, name: &str, is_due: bool) -> Option<String> {
        match self {
            Self::Shown if is_due => Some(format!("`{name}` exists: delete `{NOT_YET}`")),
            Self::Unanswered if is_due => None,
            Self::Shown => None,
            Self::Unanswered => Some(format!("fixture `{name}` has no answer")),
            Self::Missing(kind) => Some(format!("{kind} `{name}` does not exist")),
        }
    }
}

fn resolve(name: &str) -> Proof {
    let root = workspace_root();
    if let Some((file, function)) = name.split_once("::") {
        let Ok(text) = fs::read_to_string(root.join(file)) else {
            return Proof::Missing("file of test");
        };
        return if has_test(&text, function) { Proof::Shown } else { Proof::Missing("test") };
    }
    let is_fixture = name
        .split_once('/')
        .is_some_and(|(folder, _)| Operation::ALL.iter().any(|operation| operation.name() == folder));
    if !is_fixture {
        return if root.join(name).is_file() { Proof::Shown } else { Proof::Missing("file") };
    }
    match fixtures().get(name) {
        None => Proof::Missing("fixture"),
        Some(false) => Proof::Unanswered,
        Some(true) => Proof::Shown,
    }
}

/// Each fixture by `OPERATION/NAME`, and whether it has an answer.
fn fixtures() -> &'static BTreeMap<String, bool> {
    static FIXTURES: OnceLock<BTreeMap<String, bool>> = OnceLock::new();
    FIXTURES.get_or_init(|| {
        let fixtures = Corpus::read().expect("the corpus can be read").fixtures.into_iter();
        let named = |one: Fixture| (format!("{}/{}", one.operation.name(), one.name), one.answer.is_some());
        fixtures.map(named).collect()
    })
}

/// Returns whether a Rust file has a test of that name: a function under `#[test]` or `#[tokio::test]`.
pub(super) fn has_test(file: &str, function: &str) -> bool {
    let lines: Vec<_> = file.lines().map(str::trim).collect();
    let is_function = |line: &str| {
        let rest = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ");
        rest.and_then(|rest| rest.strip_prefix(function)).is_some_and(|rest| rest.starts_with('('))
    };
    let is_test = |line: &str| line.starts_with("#[test]") || line.starts_with("#[tokio::test");
    lines.iter().enumerate().filter(|(_, line)| is_function(line)).any(|(at, _)| {
        let above = lines[..at].iter().rev();
        above.take_while(|line| !line.is_empty() && **line != "}").any(|line| is_test(line))
    })
}

/// The references of a cell, and the word and text of its reason.
fn split(cell: &str) -> (&str, Option<(&'static str, &str)>) {
    let begins = REASONS.iter().filter_map(|word| Some((cell.find(&format!("{word}:"))?, *word)));
    match begins.min() {
        Some((at, word)) => (cell[..at].trim(), Some((word, cell[at + word.len() + 1..].trim()))),
        None => (cell, None),
    }
}

/// The texts between backticks.
fn code_spans(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}
