//! Bounds of hostile policies, and the descriptions of compiled policies.

use std::collections::BTreeSet;

use adjudicate_core::{
    Policy, codes,
    policy::{OnUnknown, RuleMode},
};
use proptest::{
    strategy::{Strategy as _, ValueTree as _},
    test_runner::TestRunner,
};
use serde_json::{Value, json};

use super::{answer, envelopes, policy};

fn envelope() -> Value {
    envelopes().new_tree(&mut TestRunner::deterministic()).unwrap().current()
}

fn rule(id: &str, when: Value) -> Value {
    json!({"id": id, "when": when, "then": {"status": "partial", "summary": "s"}})
}

#[test]
fn a_condition_that_runs_out_of_steps_ends_the_call() {
    let hundred: Vec<u32> = (0..100).collect();
    let mut when = json!(true);
    for _ in 0..6 {
        when = json!({"all": [hundred, when]});
    }
    let error =
        answer(&envelope(), &policy(&[rule("quick", json!(true)), rule("endless", when)])).unwrap_err();
    assert_eq!(error["error"]["code"], "limit_exceeded");
    let path = error["error"]["path"].as_str().unwrap();
    assert!(path.starts_with("/rules/1/when/all/1"), "{path}");
}

#[test]
fn all_rules_of_a_policy_share_one_budget() {
    let hundred: Vec<u32> = (0..100).collect();
    let when = json!({"all": [hundred, {"all": [hundred, {"all": [hundred, true]}]}]});
    let rules: Vec<Value> = (0..40).map(|index| rule(&format!("r{index}"), when.clone())).collect();
    assert!(answer(&envelope(), &policy(&rules[..1])).is_ok());
    assert_eq!(answer(&envelope(), &policy(&rules)).unwrap_err()["error"]["code"], "limit_exceeded");
}

#[test]
fn all_patterns_of_a_policy_share_one_budget() {
    let braces = "{a,b,c,d}".repeat(6);
    let when = json!({"glob": [{"var": "input.run_id"}, braces]});
    let rules: Vec<Value> = (0..200).map(|index| rule(&format!("r{index}"), when.clone())).collect();
    let error = answer(&envelope(), &policy(&rules)).unwrap_err();
    assert_eq!(error["error"]["code"], "limit_exceeded");
    assert!(error["error"]["path"].as_str().unwrap().ends_with("/when"), "{error}");
}

#[test]
fn depth_is_counted_within_the_policy() {
    let nested = |depth: usize| format!("{}true{}", r#"{"!":"#.repeat(depth), "}".repeat(depth));
    let parse = |depth| {
        let when = nested(depth);
        let text = format!(
            r#"{{"policy":"p","version":"1.0.0","rules":[{{"id":"r","when":{when},"then":{{"status":"partial","summary":"s"}}}}]}}"#
        );
        Policy::parse(text.as_bytes())
    };
    // Three containers stand around the condition.
    assert!(parse(125).is_ok());
    assert_eq!(parse(126).unwrap_err().code(), codes::LIMIT_EXCEEDED);
}

#[test]
fn each_variable_has_one_number() {
    let when = |text: &str| json!({"and": [{"==": [{"var": "input.run_id"}, text]}, {">": [{"var": "facts.failures"}, 0]}]});
    let rules: Vec<Value> =
        (0..50).map(|index| rule(&format!("r{index}"), when(&index.to_string()))).collect();
    let policy = Policy::parse(policy(&rules).to_string().as_bytes()).unwrap();
    let paths: Vec<String> = policy.variables().iter().map(|variable| variable.path().to_string()).collect();
    assert_eq!(paths, ["facts.failures", "input.run_id"]);
    let ids: BTreeSet<&str> = policy.rules().iter().map(|rule| rule.id()).collect();
    assert_eq!(ids.len(), 50);
    let first = &policy.rules()[0];
    assert_eq!((first.on_unknown(), first.mode()), (OnUnknown::Escalate, RuleMode::Enforce));
}

#[test]
fn tests_are_kept() {
    let document = json!({"policy": "p", "version": "1.0.0", "tests": [{"name": "t", "input": {"b": 1, "a": []}, "expect": {"status": "success"}}]});
    let policy = Policy::parse(document.to_string().as_bytes()).unwrap();
    let kept: Vec<_> = policy.tests().iter().map(|test| (test.name(), test.input(), test.expect())).collect();
    assert_eq!(kept, [("t", r#"{"a":[],"b":1}"#, r#"{"status":"success"}"#)]);
}

#[test]
fn the_digest_is_of_the_canonical_document() {
    let digest = |text: &str| Policy::parse(text.as_bytes()).unwrap().digest().to_owned();
    let dense = digest(r#"{"policy":"p","version":"1.0.0","rules":[]}"#);
    assert_eq!(digest("{\"rules\" : [ ],\n \"version\":\"1.0.0\", \"policy\":\"\\u0070\"}"), dense);
    assert_ne!(digest(r#"{"policy":"p","version":"1.0.1","rules":[]}"#), dense);
    // Ignored fields are part of the document.
    let named = digest(r#"{"$schema":"a","policy":"p","version":"1.0.0","rules":[]}"#);
    assert_ne!(named, dense);
    assert_ne!(digest(r#"{"$schema":"b","policy":"p","version":"1.0.0","rules":[]}"#), named);
    assert_eq!(dense.len(), "sha256:".len() + 64);
    assert_eq!(dense, "sha256:42e6a2fe48813d9fe506ba0605c3ea5eacbe0068a51f6754040ab3366919a1cc");
}
