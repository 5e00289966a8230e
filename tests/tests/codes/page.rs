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
            let code = row.code.as_str();
            let about = [subject(row.code.subject()).to_owned(), status(code)];
            let about = about.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
            page + &format!("- <a id=\"{code}\"></a>`{code}` ({about}): {}. {}\n", row.meaning, row.fix)
        })
    })
}

/// Returns the HTTP status of a code, if the server raises it.
pub(super) fn status(code: &str) -> String {
    SERVED.find(code).map_or_else(String::new, |code| status_of(code).as_u16().to_string())
}

pub(super) const fn subject(subject: Subject) -> &'static str {
    match subject {
        Subject::Input => "input",
        Subject::Operation => "operation",
        Subject::Usage => "usage",
        Subject::Output => "output",
        Subject::Module => "module",
    }
}
