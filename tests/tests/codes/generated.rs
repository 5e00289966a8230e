//! The files that are generated from the tables of codes: a page, declarations of the npm package, and the codes that modules may
//! not report. Also rules for all codes together.

use std::{collections::BTreeSet, fs, path::Path};

use adjudicate_core::{
    codes::{ErrorCodeEntry, ErrorCodeTable, Subject, TABLE as ENGINE},
    module::{Reply, ReplyError},
};
use adjudicate_serve::{codes::TABLE as SERVED, status_of};
use adjudicate_tests::{generated::assert_current, workspace_root};

use super::{command, npm};

/// The prefixes of codes that no module may report, even if a host does not know the code.
const PREFIXES: [&str; 2] = ["module_", "host_"];

/// The tables of all crates, the lowest first.
pub(crate) fn tables() -> Vec<&'static ErrorCodeTable> {
    let below = std::iter::successors(Some(&adjudicate_serve::codes::TABLE), |table| table.below);
    let mut tables: Vec<_> = below.collect();
    tables.reverse();
    tables.extend([
        &adjudicate_evidence::codes::TABLE,
        &adjudicate_yaml::codes::TABLE,
        &command::TABLE,
        &npm::TABLE,
    ]);
    tables
}

fn rows() -> impl Iterator<Item = &'static ErrorCodeEntry> {
    tables().into_iter().flat_map(|table| table.rows)
}

fn may_be_reported(row: &ErrorCodeEntry) -> bool {
    matches!(row.code.subject(), Subject::Input | Subject::Operation)
}

/// Returns the codes that no module may report and that have none of the prefixes, one a line.
fn reserved() -> String {
    let of_hosts = rows().filter(|row| !may_be_reported(row)).map(|row| row.code.as_str());
    let names: BTreeSet<_> =
        of_hosts.filter(|name| PREFIXES.iter().all(|prefix| !name.starts_with(prefix))).collect();
    names.into_iter().map(|name| format!("{name}\n")).collect()
}

#[test]
fn the_page_of_codes_is_current() {
    assert_current("docs/reference/error-codes.md", &page(&tables()));
}

#[test]
fn the_codes_that_modules_may_not_report_are_current() {
    for folder in ["core/src/module", "wasm/examples/python-host"] {
        assert_current(format!("{folder}/reserved.txt"), &reserved());
    }
}

#[test]
fn the_union_of_codes_in_typescript_is_current() {
    assert_current("wasm/src/errors.d.ts", &union(&tables()));
}

#[test]
fn every_code_is_declared_once_in_snake_case_and_explained() {
    let names: BTreeSet<_> = rows().map(|row| row.code.as_str()).collect();
    assert_eq!(names.len(), rows().count());
    for row in rows() {
        let name = row.code.as_str();
        assert!(name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'_' | b'8')), "{name}");
        assert!(!row.meaning.ends_with('.') && !row.meaning.contains('|'), "{name}: {}", row.meaning);
        assert!(row.fix.ends_with('.') && !row.fix.contains('|'), "{name}: {}", row.fix);
    }
}

#[test]
fn modules_report_codes_about_inputs_and_operations_and_no_other_code() {
    for row in rows() {
        let code = row.code.as_str();
        let text = format!(r#"{{"error":{{"code":"{code}","message":"m","path":""}}}}"#);
        let reply = Reply::read(&text).expect("it is JSON");
        match reply.answer() {
            Err(ReplyError::Reported(reported)) => {
                assert!(may_be_reported(row), "{code}");
                assert_eq!(reported.subject(), row.code.subject(), "{code}");
            }
            Err(ReplyError::Fault(fault)) => {
                assert!(!may_be_reported(row), "{code}");
                assert_eq!(fault.code().as_str(), "module_malformed_reply");
            }
            Ok(_) => panic!("an error is no answer"),
        }
    }
}

const HEAD: &str = "\
# Error codes

<!-- `cargo xtask generate` writes this page from the modules `codes` of the crates. -->

This page lists every error code by the crate that raises it, the lowest crate first; the npm package raises codes of all crates. Each has its
[subject](errors.md#subjects), the [HTTP status](errors.md#http-statuses) if the server raises it, its meaning, and the fix.
";

/// Writes the page.
pub(super) fn page(tables: &[&ErrorCodeTable]) -> String {
    tables.iter().fold(HEAD.to_owned(), |page, table| {
        let page = page + &format!("\n## `{}`\n\n", table.layer);
        table.rows.iter().fold(page, |page, row| {
            let code = row.code.as_str();
            let about = [subject(row.code.subject()).to_owned(), status_text(code)];
            let about = about.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
            page + &format!("- <a id=\"{code}\"></a>`{code}` ({about}): {}. {}\n", row.meaning, row.fix)
        })
    })
}

/// Returns the HTTP status of a code, if the server raises it.
pub(super) fn status_text(code: &str) -> String {
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

/// Writes the union.
///
/// The package has two sources of errors. The engine raises the codes of the core and of the crates below it. The package's own
/// TypeScript raises codes of any crate. It names them by literals, and the compiler refuses a literal that the union lacks.
pub(super) fn union(tables: &[&ErrorCodeTable]) -> String {
    let mut sources = String::new();
    read(&workspace_root().join("js/src"), &mut sources);
    let names = tables.iter().flat_map(|table| table.rows).map(|row| row.code.as_str());
    let is_raised = |name: &&str| ENGINE.find(name).is_some() || sources.contains(&format!("\"{name}\""));
    let members: Vec<_> = names.filter(is_raised).map(|name| format!("\n    | \"{name}\"")).collect();
    format!(
        "/** The codes of errors of the engine and of this package. */\nexport type ErrorCode ={};\n",
        members.concat()
    )
}

/// Reads the TypeScript of a folder, except what is generated there.
fn read(folder: &Path, sources: &mut String) {
    for entry in fs::read_dir(folder).expect("the package has sources") {
        let path = entry.expect("they can be listed").path();
        if path.is_dir() && !path.ends_with("generated") {
            read(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "ts") {
            sources.push_str(&fs::read_to_string(path).expect("they can be read"));
        }
    }
}
