//! `docs/sources.md`: each requirement of the five sources, with the fixture or test that shows it.
//!
//! These tests fail if a row of the page names a fixture, a test or a file that does not exist. They also fail if a row
//! has neither a proof nor a reason.

mod page;
mod proof;
mod spoilt;

use std::{collections::BTreeSet, fs};

use adjudicate_tests::{
    parity::{is_error, read},
    workspace_root,
};

use self::page::Page;

/// The path of the page from the workspace's root.
const PAGE: &str = "docs/sources.md";
/// The sources, as in the headings of the page.
const SOURCES: [&str; 5] = ["OA06", "OA06.1", "5.9", "ADR-0009", "PAO"];
/// The least number of requirements on the page.
const FEWEST_REQUIREMENTS: usize = 160;
/// The prefix of the names of fixtures that have a document as a source prints it.
const PRINTED: &str = "source-";

fn page() -> String {
    fs::read_to_string(workspace_root().join(PAGE)).expect("the page can be read")
}

#[test]
fn every_requirement_names_a_proof_that_exists_or_a_reason() {
    let problems = Page::parse(&page()).problems();
    assert!(problems.is_empty(), "{PAGE}:\n{}", problems.join("\n"));
}

#[test]
fn every_source_has_its_requirements() {
    let text = page();
    let page = Page::parse(&text);
    for source in SOURCES {
        assert!(page.requirements().any(|row| row.heading == source), "no table under `## {source}`");
    }
    let count = page.requirements().count();
    assert!(count >= FEWEST_REQUIREMENTS, "only {count} requirements");
}

#[test]
fn no_requirement_stands_twice() {
    let text = page();
    let page = Page::parse(&text);
    let mut seen = BTreeSet::new();
    for row in page.requirements() {
        let key = (row.heading, row.section, row.subject);
        assert!(seen.insert(key), "line {}: this row stands twice: {}", row.line, row.subject);
    }
}

#[test]
fn printed_documents_are_answered_and_on_the_page() {
    let text = page();
    for fixture in read().iter().filter(|fixture| fixture.name.starts_with(PRINTED)) {
        let reference = format!("`{}/{}`", fixture.operation.name(), fixture.name);
        assert!(text.contains(&reference), "{PAGE} does not name {reference}");
        let answer = fixture.answer.as_deref().unwrap_or_default();
        assert!(!is_error(answer), "the engine rejects a document of a source: {reference}: {answer}");
    }
}
