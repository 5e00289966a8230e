//! Tests of the policy, run natively: the same function and the same bytes as in wasm.

use adjudicate_guest::{
    Status,
    testing::{Ask, Sample},
};

use super::POLICY;

fn frozen() -> Sample {
    Sample::new().steps(["publish", "human-approval"]).event("info:freeze:winter")
}

#[test]
fn the_tests_inside_the_module_pass() {
    POLICY.pass_tests();
}

#[test]
fn without_a_freeze_there_is_no_objection() {
    let answer = POLICY.ask(&Sample::new().steps(["publish"]).changed("src/main.rs"));
    answer.assert_status(Status::Success);
    assert_eq!(answer.next_step().as_deref(), Some("publish"));
}

#[test]
fn a_freeze_forbids_code_and_allows_documentation() {
    let answer = POLICY.ask(&frozen().changed("src/main.rs").changed("docs/index.md"));
    answer.assert_status(Status::NeedsHuman);
    assert_eq!(answer.next_step().as_deref(), Some("human-approval"));
    assert_eq!(answer.rules(), ["change-freeze"]);
    POLICY.ask(&frozen().changed("docs/index.md")).assert_status(Status::Success);
}

#[test]
fn no_spelling_of_a_path_evades_a_freeze() {
    for path in ["docs/../src/main.rs", "./docs/..//src/main.rs", "docs", "docsrc/main.rs", "/docs/../x"] {
        POLICY.ask(&frozen().changed(path)).assert_status(Status::NeedsHuman);
    }
    POLICY.ask(&frozen().renamed("src/main.rs", "docs/main.rs")).assert_status(Status::NeedsHuman);
}

#[test]
fn an_approval_is_for_one_freeze() {
    POLICY.ask(&frozen().changed("a").approved("freeze:winter")).assert_status(Status::Success);
    POLICY.ask(&frozen().changed("a").approved("freeze:summer")).assert_status(Status::NeedsHuman);
}

#[test]
fn unknown_changes_need_a_human() {
    POLICY.ask(&frozen().diff_summary(" M docs/index.md")).assert_status(Status::NeedsHuman);
}
