//! The requirements of the five sources (`sources/requirements.json`), each with the cases and tests that show it, or with a reason.
//!
//! A proof is `OPERATION/NAME` for a case, `path/file.rs::function` for a test, or the path of a file. `outside` is the reason
//! of a duty that the engine does not have, `template` that of a form without values; `reading` explains a choice.
//! `docs/sources.md` has the sections of the sources for readers.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use adjudicate_core::Operation;
use adjudicate_tests::{
    parity::{is_error, read},
    workspace_root,
};
use serde::Deserialize;

const REQUIREMENTS: &str = include_str!("sources/requirements.json");
/// The sources, and the documents that they print.
const LISTS: [&str; 6] = ["OA06", "OA06.1", "5.9", "ADR-0009", "PAO", "Printed documents"];
/// The least number of requirements.
const FEWEST_REQUIREMENTS: usize = 380;
/// The prefix of the names of fixtures that have a document as a source prints it.
const PRINTED: &str = "source-";

/// A requirement, or a printed document.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    section: String,
    text: String,
    #[serde(default)]
    proofs: Vec<String>,
    outside: Option<String>,
    reading: Option<String>,
    template: Option<String>,
}

fn lists() -> BTreeMap<String, Vec<Row>> {
    serde_json::from_str(REQUIREMENTS).expect("the requirements can be read")
}

#[test]
fn every_requirement_names_a_proof_that_exists_or_a_reason() {
    let fixtures = fixtures();
    for row in lists().values().flatten() {
        let Row { section, text, proofs, outside, reading, template } = row;
        let reasons = [outside, reading, template].into_iter().flatten();
        assert!(
            !proofs.is_empty() || reasons.clone().count() > 0,
            "neither proof nor reason: {section} {text}"
        );
        assert!(
            reasons.chain([section, text]).all(|field| !field.is_empty()),
            "an empty field: {section} {text}"
        );
        for proof in proofs {
            assert_eq!(fault(proof, &fixtures), None, "{section} {text}: {proof}");
        }
    }
}

#[test]
fn every_source_has_its_requirements_once() {
    let lists = lists();
    assert_eq!(lists.keys().map(String::as_str).collect::<BTreeSet<_>>(), BTreeSet::from(LISTS));
    let mut seen = BTreeSet::new();
    for (list, row) in lists.iter().flat_map(|(list, rows)| rows.iter().map(move |row| (list, row))) {
        assert!(seen.insert((list, &row.section, &row.text)), "this row stands twice: {list} {}", row.text);
    }
    let count = lists.iter().filter(|(list, _)| *list != LISTS[5]).map(|(_, rows)| rows.len()).sum::<usize>();
    assert!(count >= FEWEST_REQUIREMENTS, "only {count} requirements");
    let page = fs::read_to_string(workspace_root().join("docs/sources.md")).expect("the page can be read");
    for list in LISTS {
        assert!(page.contains(&format!("\n## {list}\n")), "docs/sources.md has no `## {list}`");
    }
}

#[test]
fn printed_documents_are_answered_and_listed() {
    let lists = lists();
    let proofs: BTreeSet<_> = lists.values().flatten().flat_map(|row| &row.proofs).collect();
    for fixture in read().iter().filter(|fixture| fixture.name.starts_with(PRINTED)) {
        let name = format!("{}/{}", fixture.operation.name(), fixture.name);
        assert!(proofs.contains(&name), "no requirement names {name}");
        let answer = fixture.answer.as_deref().unwrap_or_default();
        assert!(!is_error(answer), "the engine rejects a document of a source: {name}: {answer}");
    }
}

#[test]
fn a_missing_proof_is_found() {
    let fixtures = fixtures();
    for (proof, expected) in [
        ("evaluate/vector-success-clean-minimal", None),
        ("core/tests/engine/corpus.rs::native_answers_are_the_answers", None),
        ("docs/sources.md", None),
        ("evaluate/vector-gone", Some("no such fixture")),
        ("docs/gone.md", Some("no such file")),
        ("tests/tests/gone.rs::f", Some("no such file")),
        ("core/tests/engine/corpus.rs::gone", Some("no such test")),
        // A helper of that file, which proves nothing.
        ("tests/tests/loops.rs::implement_and_review", Some("no such test")),
    ] {
        assert_eq!(fault(proof, &fixtures), expected, "{proof}");
    }
}

/// Returns what is wrong with a proof.
fn fault(proof: &str, fixtures: &BTreeSet<String>) -> Option<&'static str> {
    let (path, function) = match proof.split_once("::") {
        Some((file, function)) => (file, Some(function)),
        None => (proof, None),
    };
    let operation = path.split_once('/').map(|(folder, _)| folder);
    if Operation::ALL.iter().any(|one| Some(one.name()) == operation) {
        return (!fixtures.contains(path)).then_some("no such fixture");
    }
    let Ok(text) = fs::read_to_string(workspace_root().join(path)) else { return Some("no such file") };
    function.filter(|function| !has_test(&text, function)).map(|_| "no such test")
}

/// The fixtures with an answer, as `OPERATION/NAME`.
fn fixtures() -> BTreeSet<String> {
    let answered = read().into_iter().filter(|fixture| fixture.answer.is_some());
    answered.map(|fixture| format!("{}/{}", fixture.operation.name(), fixture.name)).collect()
}

/// Returns whether a Rust file has a test of that name: a function under `#[test]` or `#[tokio::test]`.
fn has_test(file: &str, function: &str) -> bool {
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
