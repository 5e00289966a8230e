//! The page of all codes.

use adjudicate_core::codes::{ErrorCodeTable, Subject};
use adjudicate_serve::{codes::TABLE as SERVED, status_of};

const HEAD: &str = "\
# Error codes

<!-- `cargo xtask generate` writes this page from the modules `codes` of the crates. -->

This page lists every error code, the lowest crate first. For the form of errors and their order, see [errors.md](errors.md).

| column | content |
| --- | --- |
| crate | the crate that raises the code. A code that several crates raise belongs to the crate below all of them. The npm package raises codes of all crates, and those of `adjudicate-wasm` |
| about | the [subject](errors.md#subjects), which determines the exit status and whether a module may report the code |
| HTTP | the [status](errors.md#http-statuses) of a reply, for codes that the server raises |
| fix | the way to an answer |

| code | crate | about | HTTP | meaning | fix |
| --- | --- | --- | --- | --- | --- |
";

/// Writes the page.
pub(super) fn write(tables: &[&ErrorCodeTable]) -> String {
    let rows = tables.iter().flat_map(|table| table.rows.iter().map(|row| (table.layer, row)));
    let lines = rows.map(|(layer, row)| {
        let code = row.code.as_str();
        let status = SERVED.find(code).map_or_else(String::new, |code| status_of(code).as_u16().to_string());
        let subject = subject(row.code.subject());
        format!("| `{code}` | `{layer}` | {subject} | {status} | {} | {} |\n", row.meaning, row.fix)
    });
    lines.fold(HEAD.to_owned(), |page, line| page + &line)
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
