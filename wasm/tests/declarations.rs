//! The TypeScript declarations that are written by hand agree with the core's tables.
#![cfg(not(target_arch = "wasm32"))]

use adjudicate_core::{ErrorCode, Operation};

const DECLARATIONS: &str = include_str!("../src/types.d.ts");

/// Codes (or how they begin) of other faces: files of the command line, and modules that a host runs.
const ELSEWHERE: [&str; 5] = ["unreadable_input", "unwritable_output", "malformed_yaml", "module_", "host_"];

/// What is said of somebody else's answer when it is composed, module or not.
const COMPOSED: &str = "module_invalid_decision";

/// The members of a union of string literals, one a line; none if there is no such union.
fn union(name: &str) -> Vec<&'static str> {
    let start = format!("export type {name} =\n");
    let rest = DECLARATIONS.split_once(&start).map(|(_, rest)| rest).unwrap_or_default();
    let lines = rest.lines().map_while(|line| line.trim().strip_prefix("| "));
    lines.map(|literal| literal.trim_end_matches(';').trim_matches('"')).collect()
}

#[test]
fn every_error_code_is_declared() {
    let codes = ErrorCode::ALL.iter().map(|code| code.as_str());
    let visible: Vec<_> = codes
        .filter(|code| *code == COMPOSED || !ELSEWHERE.iter().any(|prefix| code.starts_with(prefix)))
        .collect();
    assert_eq!(union("ErrorCode"), visible);
}

/// The names of the members of an interface, of one line each; none if there is no such interface.
fn members(name: &str) -> Vec<&'static str> {
    let start = format!("export interface {name} {{\n");
    let rest = DECLARATIONS.split_once(&start).map(|(_, rest)| rest).unwrap_or_default();
    let lines = rest.lines().map_while(|line| line.strip_suffix(';'));
    lines.filter_map(|line| Some(line.trim().split_once(':')?.0)).collect()
}

#[test]
fn every_operation_is_declared() {
    let names: Vec<_> = Operation::ALL.iter().map(|operation| operation.name()).collect();
    assert_eq!(union("OperationName"), names);
    assert_eq!(members("Calls"), names);
    assert_eq!(members("Answers"), names);
}
