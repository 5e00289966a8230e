//! The tables of the page: rows of three cells under headings.

use super::proof;

/// The first and the last cell of each table's header: a table of requirements, and one of printed documents.
const HEADERS: [[&str; 3]; 2] = [["Section", "Requirement", "Shown by"], ["Section", "Document", "Shown by"]];

/// All tables of the page.
pub(super) struct Page<'a> {
    rows: Vec<Row<'a>>,
    /// Faults of the tables themselves.
    faults: Vec<String>,
}

/// One row of a table.
pub(super) struct Row<'a> {
    /// The number of its line, from 1.
    pub line: usize,
    /// The heading of level two that it stands under.
    pub heading: &'a str,
    /// The section of the source.
    pub section: &'a str,
    /// The requirement or the document.
    pub subject: &'a str,
    /// The proof, the reason why there is none, or both.
    pub shown: &'a str,
    is_requirement: bool,
}

impl<'a> Page<'a> {
    /// Reads the tables of a page. Every table must have one of the two headers, so that none is skipped.
    pub(super) fn parse(text: &'a str) -> Self {
        let mut page = Self { rows: Vec::new(), faults: Vec::new() };
        let mut heading = "";
        let mut header: Option<usize> = None;
        for (line, text) in text.lines().enumerate().map(|(at, text)| (at + 1, text.trim())) {
            if let Some(title) = text.strip_prefix("## ") {
                heading = title.trim();
            }
            let Some(cells) = cells(text) else {
                header = None;
                continue;
            };
            match (header, cells.as_slice()) {
                (None, cells) => match HEADERS.iter().position(|header| header == cells) {
                    Some(kind) => header = Some(kind),
                    None => {
                        page.faults.push(format!("line {line}: unknown table header: {}", cells.join(" | ")))
                    }
                },
                (Some(_), cells) if cells.iter().all(|cell| cell.trim_matches([':', '-']).is_empty()) => {}
                (Some(kind), &[section, subject, shown]) => {
                    page.rows.push(Row { line, heading, section, subject, shown, is_requirement: kind == 0 })
                }
                (Some(_), cells) => {
                    page.faults.push(format!("line {line}: expected three cells, found {}", cells.len()));
                }
            }
        }
        page
    }

    /// The rows of tables of requirements.
    pub(super) fn requirements(&self) -> impl Iterator<Item = &Row<'a>> {
        self.rows.iter().filter(|row| row.is_requirement)
    }

    /// Every fault of the page, a line each.
    pub(super) fn problems(&self) -> Vec<String> {
        let of_rows = self.rows.iter().flat_map(|row| {
            let empty = [("section", row.section), ("requirement", row.subject)];
            let empty = empty.into_iter().filter(|(_, cell)| cell.is_empty());
            let found =
                empty.map(|(name, _)| format!("the {name} is empty")).chain(proof::problems(row.shown));
            found.map(|problem| format!("line {}: {problem}", row.line)).collect::<Vec<_>>()
        });
        self.faults.iter().cloned().chain(of_rows).collect()
    }
}

/// The cells of a line of a table; `None` for any other line. Code in a cell must not contain `|`.
fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.strip_prefix('|')?;
    Some(inner.strip_suffix('|').unwrap_or(inner).split('|').map(str::trim).collect())
}
