//! The texts of `adjudicate explain --code`: each code with its section of the reference.

use adjudicate_core::{RuleCode, check::CheckCode, plan::PlanCode};
use adjudicate_tests::{generated::assert_current, workspace_root};
use serde_json::{Value, json};

use super::generated::{self, tables};
use crate::pages::links::{anchors, sections};

/// The folder of the pages in the repository.
const FOLDER: &str = "docs/reference";

/// A code with the texts that explain it.
struct Explained<'a> {
    kind: &'static str,
    code: &'a str,
    meaning: &'a str,
    /// Other names in an answer that the code stands behind: a flag, a blocker.
    also: Vec<&'a str>,
    /// The page in the folder, with the anchor of the section.
    address: String,
    /// The section of the page, or the row of its table.
    text: String,
    /// The way to resolve an error.
    fix: String,
}

fn read(page: &str) -> String {
    std::fs::read_to_string(workspace_root().join(FOLDER).join(page)).expect("a page")
}

fn section<'p>(page: &'p str, anchor: &str) -> &'p str {
    let found = sections(page).into_iter().find(|(found, _)| found == anchor);
    found.unwrap_or_else(|| panic!("no section `{anchor}`")).1
}

/// The cells of a row of a table.
fn cells(line: &str) -> Vec<&str> {
    line.trim().trim_matches('|').split(" | ").map(str::trim).collect()
}

/// The row for a code in the first table of a section that has one, as lines `COLUMN: CELL`; or the item of a list that begins with the code.
fn row(section: &str, code: &str) -> Option<String> {
    let mut head = Vec::new();
    let mut last = "";
    let mut lines = section.lines();
    while let Some(line) = lines.next() {
        let item = line.strip_prefix(&format!("- `{code}`"));
        if let Some(item) = item.filter(|item| item.starts_with(": ") || item.contains("): ")) {
            let rest =
                lines.take_while(|line| line.starts_with("  ")).map(|line| format!(" {}", line.trim()));
            return Some(format!("{}{}\n", item.trim_start_matches([':', ' ']), rest.collect::<String>()));
        }
        if line.starts_with("| ---") {
            head = cells(last);
        }
        last = line;
        let cells = cells(line);
        if line.starts_with("| ") && cells.first().is_some_and(|cell| cell.contains(&format!("`{code}`"))) {
            let lines = head.iter().zip(&cells).skip(1).filter(|(_, cell)| !cell.is_empty());
            return Some(lines.map(|(head, cell)| format!("{head}: {cell}\n")).collect());
        }
    }
    None
}

/// A text without the targets of its links, which a terminal does not follow.
fn without_links(text: &str) -> String {
    let mut parts = text.split("](");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (_, rest) = part.split_once(')').expect("a link ends");
        if let Some(begin) = out.rfind('[') {
            out.remove(begin);
        }
        out.push_str(rest);
    }
    out
}

fn rules() -> Vec<Explained<'static>> {
    let explained = RuleCode::ALL.iter().map(|rule| {
        let (data, meaning) = (rule.row(), rule.meaning());
        let page = format!("rules/{}.md", data.name);
        let text = read(&page);
        let text = section(&text, data.name);
        let (text, _) = text.split_once("<!-- example").expect("examples");
        let blocker = data.blocker.filter(|blocker| data.flag != Some(*blocker));
        let also = data.flag.into_iter().chain(blocker).filter(|name| *name != data.name).collect();
        // The page itself says how to resolve the finding.
        let (text, fix) = (text.trim().to_owned(), String::new());
        Explained { kind: "rule", code: data.name, meaning, also, address: page, text, fix }
    });
    explained.collect()
}

fn errors() -> Vec<Explained<'static>> {
    let page = read("errors.md");
    let order = section(&page, "order-of-errors");
    let rows = tables().into_iter().flat_map(|table| table.rows).map(|entry| {
        let code = entry.code.as_str();
        let mut text = row(order, code).unwrap_or_default();
        text.push_str(&format!("about: {}", generated::subject(entry.code.subject())));
        let status = generated::status_text(code);
        if !status.is_empty() {
            text.push_str(&format!("\nHTTP: {status}"));
        }
        let (address, fix) = (format!("error-codes.md#{code}"), entry.fix.to_owned());
        Explained { kind: "error", code, meaning: entry.meaning, also: vec![], address, text, fix }
    });
    rows.collect()
}

/// The codes of problems in policies and of diagnostics. The first section with a row for the code explains it, otherwise the first
/// section that names it.
fn findings() -> Vec<Explained<'static>> {
    let policies =
        CheckCode::ALL.iter().map(|code| ("check", code.as_str(), code.meaning(), &["policies.md"][..]));
    let pages = &["plans.md", "guardrails.md"][..];
    let plans = PlanCode::ALL.iter().map(|code| ("diagnostic", code.as_str(), code.meaning(), pages));
    let explained = policies.chain(plans).map(|(kind, code, meaning, pages)| {
        let texts: Vec<(&'static str, String)> = pages.iter().map(|page| (*page, read(page))).collect();
        let sections: Vec<_> = texts
            .iter()
            .flat_map(|(page, text)| sections(text).into_iter().map(move |part| (*page, part)))
            .collect();
        let with_row =
            sections.iter().find_map(|(page, (anchor, text))| Some((*page, anchor, row(text, code)?)));
        let (page, anchor, text) = with_row.unwrap_or_else(|| {
            let names = |text: &str| text.contains(&format!("`{code}`"));
            let found = sections.iter().find(|(_, (_, text))| names(text));
            let (page, (anchor, text)) = found.unwrap_or_else(|| panic!("no section names `{code}`"));
            (*page, anchor, (*text).to_owned())
        });
        let address = format!("{page}#{anchor}");
        Explained { kind, code, meaning, also: vec![], address, text, fix: String::new() }
    });
    explained.collect()
}

#[test]
fn the_texts_of_explain_are_current() {
    let explained: Vec<_> = rules().into_iter().chain(errors()).chain(findings()).collect();
    let lines: Vec<String> = explained.iter().map(|one| one.line().to_string()).collect();
    assert_current("host/cli/src/explain_code/texts.json", &format!("[\n{}\n]\n", lines.join(",\n")));
}

#[test]
fn each_code_has_a_section_of_a_page() {
    for one in rules().into_iter().chain(errors()).chain(findings()) {
        let Some((page, anchor)) = one.address.split_once('#') else { continue };
        // `cargo xtask generate` writes the page of errors at the same time.
        let text = if page == "error-codes.md" { generated::page(&tables()) } else { read(page) };
        assert!(anchors(&text).contains(anchor), "{page} has no section of `{}`", one.code);
    }
}

impl Explained<'_> {
    fn line(&self) -> Value {
        json!({
            "kind": self.kind,
            "code": self.code,
            "also": self.also,
            "meaning": self.meaning,
            "text": without_links(&self.text),
            "fix": without_links(&self.fix),
            "address": format!("{FOLDER}/{}", self.address),
        })
    }
}
