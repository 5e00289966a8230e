//! The table of an answer of `schema`: whether an instance is valid, and its errors.

use adjudicate_core::{
    Error,
    json::{self, Limits},
};
use anstyle::AnsiColor;

use super::{
    counted,
    page::{BOLD, DIM, Line, PLAIN, Page},
};
use crate::fields::{items, text};

/// The column of an error's text, and of the text after its labels.
const INDENT: usize = 5;
const HANG: usize = 17;

/// Returns the table of an answer of `schema`.
pub(crate) fn violations(answer: &str) -> Result<Page, Error> {
    let tape = json::read(answer.as_bytes(), Limits::ANSWER)?;
    let errors: Vec<_> = items(tape.root(), "errors").collect();
    let mut page = Page::default();
    if errors.is_empty() {
        page.push(Line::at(0).text("VALID", BOLD.fg_color(Some(AnsiColor::Green.into()))));
        return Ok(page);
    }
    let line = Line::at(0).text("INVALID ", BOLD.fg_color(Some(AnsiColor::Red.into())));
    page.push(line.text(&counted(errors.len(), "error"), PLAIN));
    for (at, error) in errors.iter().enumerate() {
        page.gap();
        // The pointer to the root is empty.
        let path = match text(*error, "instance_path") {
            "" => "the instance itself",
            path => path,
        };
        page.push(Line::at(0).label(&format!("{}.", at + 1), BOLD, INDENT).text(path, BOLD));
        for (label, member) in [("keyword", "keyword"), ("expected", "expected"), ("schema", "schema_path")] {
            page.push(Line::at(INDENT).label(label, DIM, HANG).text(text(*error, member), PLAIN));
        }
    }
    Ok(page)
}
