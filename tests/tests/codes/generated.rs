//! The files that are generated from the tables of codes, and rules for all codes together.

use std::collections::BTreeSet;

use adjudicate_core::{
    codes::{ErrorCodeEntry, ErrorCodeTable, Subject},
    module::{Reply, ReplyError},
};
use adjudicate_tests::generated::assert_current;

use super::{command, npm, page, typescript};

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
    assert_current("docs/reference/error-codes.md", &page::write(&tables()));
}

#[test]
fn the_codes_that_modules_may_not_report_are_current() {
    for folder in ["core/src/module", "wasm/examples/python-host"] {
        assert_current(format!("{folder}/reserved.txt"), &reserved());
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
