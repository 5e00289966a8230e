//! The files that are generated from the tables of codes, and rules for all codes together.

use std::{collections::BTreeSet, env, fs};

use adjudicate_core::{
    codes::{Row, Subject, Table},
    module::{Reply, ReplyError},
};
use adjudicate_tests::workspace_root;

use super::{command, npm, page, typescript};

/// The variable that makes the tests write what they otherwise compare.
const GENERATE: &str = "ADJUDICATE_GENERATE";

/// The prefixes of codes that no module may report, whether a host knows them or not.
const PREFIXES: [&str; 2] = ["module_", "host_"];

/// The tables of all crates, the lowest first.
pub(crate) fn tables() -> Vec<&'static Table> {
    let below = std::iter::successors(Some(&adjudicate_serve::codes::TABLE), |table| table.below);
    let mut tables: Vec<_> = below.collect();
    tables.reverse();
    tables.extend([&command::TABLE, &npm::TABLE]);
    tables
}

fn rows() -> impl Iterator<Item = &'static Row> {
    tables().into_iter().flat_map(|table| table.rows)
}

fn may_be_reported(row: &Row) -> bool {
    matches!(row.code.subject(), Subject::Input | Subject::Operation)
}

/// Returns the codes that no module may report and that have none of the prefixes, one a line.
fn reserved() -> String {
    let of_hosts = rows().filter(|row| !may_be_reported(row)).map(|row| row.code.as_str());
    let names: BTreeSet<_> =
        of_hosts.filter(|name| PREFIXES.iter().all(|prefix| !name.starts_with(prefix))).collect();
    names.into_iter().map(|name| format!("{name}\n")).collect()
}

/// Asserts that a file of the workspace has this text, or writes it.
#[track_caller]
fn assert_current(path: &str, text: &str) {
    let file = workspace_root().join(path);
    if env::var_os(GENERATE).is_some() {
        fs::write(file, text).expect("the file can be written");
        return;
    }
    let found = fs::read_to_string(file).unwrap_or_default();
    assert!(found == text, "{path} is not current: run `cargo xtask generate`");
}

#[test]
fn the_page_of_codes_is_current() {
    assert_current("docs/reference/error-codes.md", &page::write(&tables()));
}

#[test]
fn the_codes_that_modules_may_not_report_are_current() {
    for folder in ["core/src/module", "wasm/examples/python-host"] {
        assert_current(&format!("{folder}/reserved.txt"), &reserved());
    }
}

#[test]
fn the_union_of_codes_in_typescript_is_current() {
    assert_current("wasm/src/errors.d.ts", &typescript::union(&tables()));
}

#[test]
fn every_code_is_declared_once_in_snake_case_and_explained() {
    let names: BTreeSet<_> = rows().map(|row| row.code.as_str()).collect();
    assert_eq!(names.len(), rows().count());
    for row in rows() {
        let name = row.code.as_str();
        assert!(name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'_' | b'8')), "{name}");
        assert!(!row.meaning.ends_with('.') && !row.meaning.contains('|'), "{name}: {}", row.meaning);
        assert!(row.mend.ends_with('.') && !row.mend.contains('|'), "{name}: {}", row.mend);
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
