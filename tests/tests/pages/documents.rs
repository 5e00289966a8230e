//! The documents of the book, in JSON and YAML: a command reads them, a schema describes them, or another program does.

use std::collections::BTreeMap;

use super::{links::pages, read};
use crate::schemas::schema::Schemas;

const MARKER: &str = "<!-- schema ";

/// The documents without a schema, by page: settings of other programs, and lines that the server writes.
const OTHERS: [(&str, usize); 3] =
    [("docs/operate/deploy.md", 2), ("docs/operate/monitor-and-alert.md", 2), ("docs/reference/ci.md", 4)];

/// Returns a document as JSON.
fn json(language: &str, text: &str) -> Option<String> {
    match language {
        "json" => serde_json::from_str::<serde_json::Value>(text).is_ok().then(|| text.to_owned()),
        _ => adjudicate_yaml::to_json(text.as_bytes()).ok(),
    }
}

#[test]
fn documents_in_the_book_are_valid() {
    let schemas = Schemas::read();
    let (pages, mut others) = (pages(), BTreeMap::new());
    let mut valid = 0;
    for (page, text) in pages.iter().filter(|(page, _)| page.starts_with("docs")) {
        let mut lines = text.lines();
        let mut before = "";
        while let Some(line) = lines.next() {
            let Some(language) = line.strip_prefix("```") else {
                before = if line.is_empty() { before } else { line };
                continue;
            };
            let block: Vec<_> = lines.by_ref().take_while(|line| *line != "```").collect();
            if !["json", "yaml"].contains(&language) {
                continue;
            }
            let name = format!("{}: {}", page.display(), block.join("\n"));
            let document = json(language, &block.join("\n")).unwrap_or_else(|| panic!("{name}"));
            let schema = before.strip_prefix(MARKER).and_then(|rest| rest.strip_suffix(" -->"));
            // A page with the name of a file before a document has a command that reads the file.
            let file = before.strip_prefix('`').and_then(|rest| rest.strip_suffix("`:"));
            let is_file = file.is_some_and(|file| !file.contains('`'));
            match schema {
                Some(schema) => schemas.compile(schema).accept(document.as_bytes(), &name),
                None if is_file || page.starts_with("docs/reference/rules") => {}
                None => *others.entry(page.to_str().expect("a path")).or_default() += 1,
            }
            valid += 1;
        }
    }
    assert!(valid > 130, "{valid}");
    assert_eq!(others, BTreeMap::from(OTHERS), "documents without a schema");
    for (file, language) in [("dashboard.json", "json"), ("alerts.yaml", "yaml")] {
        assert!(json(language, &read(&format!("docs/operate/{file}"))).is_some(), "{file}");
    }
}
