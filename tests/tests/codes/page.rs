//! The page of all codes.

use adjudicate_core::codes::{ErrorCodeTable, Subject};
use adjudicate_serve::{codes::TABLE as SERVED, status_of};

const HEAD: &str = "\
# Error codes

<!-- `cargo xtask generate` writes this page from the modules `codes` of the crates. -->

This page lists every error code by the crate that raises it, the lowest crate first; the npm package raises codes of all crates. Each has its
[subject](errors.md#subjects), the [HTTP status](errors.md#http-statuses) if the server raises it, its meaning, and the fix.
";

/// Writes the page.
pub(super) fn write(tables: &[&ErrorCodeTable]) -> String {
    tables.iter().fold(HEAD.to_owned(), |page, table| {
        let page = page + &format!("\n## `{}`\n\n", table.layer);
        table.rows.iter().fold(page, |page, row| {
            let (code, subject) = (row.code.as_str(), subject(row.code.subject()));
            let status = SERVED.find(code).map(|code| format!(", {}", status_of(code).as_u16()));
            let status = status.unwrap_or_default();
            page + &format!("- `{code}` ({subject}{status}): {}. {}\n", row.meaning, row.fix)
        })
    })
}

const fn subject(subject: Subject) -> &'static str {
    match subject {
        Subject::Input => "input",
        Subject::Operation => "operation",
        Subject::Usage => "usage",
        Subject::Output => "output",
        Subject::Module => "module",
    }
}
