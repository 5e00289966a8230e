//! The bounds of the search, and of the values and routes that are shown.

use adjudicate_core::MAX_LISTED;
use serde_json::{Value, json};

use super::{envelope, explain, patched, status};

#[test]
fn a_thousand_failing_checks_are_one_step() {
    let exits: serde_json::Map<String, Value> =
        (0..1_000).map(|place| (format!("v{place}"), json!(1))).collect();
    let envelope = envelope(&json!({"validation": {"exit_codes": exits}}), &json!({}));
    let answer = explain(&envelope, &Value::Null);
    let changes = answer["counterfactual"]["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 1_000);
    assert_eq!(status(&patched(&envelope, changes), &Value::Null).as_deref(), Some("success"));
}

#[test]
fn a_thousand_rules_that_name_a_validator_each_are_one_step() {
    let rules: Vec<Value> = (0..1_000)
        .map(|place| {
            let when = json!({"!": {"in": [format!("v{place}"), {"var": "facts.validators.passing"}]}});
            json!({"id": format!("r{place}"), "when": when, "then": {"status": "blocked", "summary": "s"}})
        })
        .collect();
    let policy = json!({"policy": "p", "version": "1.0.0", "rules": rules});
    let envelope = envelope(&json!({}), &json!({}));
    let answer = explain(&envelope, &policy);
    let changes = answer["counterfactual"]["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 1_000);
    assert_eq!(status(&patched(&envelope, changes), &policy).as_deref(), Some("success"));
}

#[test]
fn a_condition_that_holds_for_every_value_is_not_searched_forever() {
    // Each of these conditions holds for every value, so a search without a bound never ends.
    let var = |name: &str| json!({"var": name});
    for counted in
        ["input.evidence.validation.exit_codes", "input.evidence.artifacts", "input.evidence.x-list"]
    {
        let when = json!({"==": [var(counted), var(counted)]});
        let rule = json!({"id": "r", "when": when, "then": {"status": "blocked", "summary": "s"}});
        let policy = json!({"policy": "p", "version": "1.0.0", "rules": [rule]});
        let answer = explain(&envelope(&json!({"x-list": ["a"]}), &json!({})), &policy);
        assert_eq!(answer["no_counterfactual"]["reason"], "not_found", "{counted}");
    }
}

#[test]
fn a_search_that_is_too_long_ends_as_unfinished() {
    // No value of any of the names makes this sum, and there are many names.
    let names: Vec<String> = (0..12).map(|place| format!("x-{place}")).collect();
    let sum: Vec<Value> = names.iter().map(|name| json!({"var": format!("input.evidence.{name}")})).collect();
    let when = json!({"!=": [{"+": sum}, 0.5]});
    let rule = json!({"id": "sum", "when": when, "then": {"status": "blocked", "summary": "s"}});
    let policy = json!({"policy": "p", "version": "1.0.0", "rules": [rule]});
    let evidence: serde_json::Map<String, Value> = names.into_iter().map(|name| (name, json!(10))).collect();
    let answer = explain(&envelope(&json!(evidence), &json!({})), &policy);
    assert_eq!(answer["no_counterfactual"]["reason"], "unfinished");
    assert_eq!(answer["no_counterfactual"]["rules"], json!(["sum"]));
}

#[test]
fn values_that_a_policy_repeats_do_not_make_an_answer_of_any_size() {
    let rules: Vec<Value> = (0..2_000)
        .map(|place| {
            let parts: Vec<Value> = (0..40).map(|_| json!({"!=": [{"var": "input.evidence.x-text"}, "other"]})).collect();
            json!({"id": format!("r{place}"), "when": {"and": parts}, "then": {"status": "blocked", "summary": "s"}})
        })
        .collect();
    let policy = json!({"policy": "p", "version": "1.0.0", "rules": rules});
    let answer = explain(&envelope(&json!({"x-text": "a".repeat(1_000)}), &json!({})), &policy);
    let shown = answer["reasons"].to_string();
    assert!(shown.contains(r#""state":"known""#) && shown.contains(r#""state":"omitted""#));
    assert!(shown.matches(&"a".repeat(1_000)).count() < 1_100);
}

#[test]
fn each_allowed_step_has_one_route_and_the_first_are_listed() {
    let routes = |steps: &Value, policy: &Value| {
        let answer = explain(&envelope(&json!({}), &json!({"allowed_next_steps": steps})), policy);
        (answer["routes"].clone(), answer["evaluation"]["loop"]["route"].clone())
    };
    assert_eq!(routes(&json!([]), &Value::Null), (Value::Null, Value::Null));
    let policy = json!({"policy": "p", "version": "1.0.0", "routes": {"gate": ["ask-*"]}});
    let steps = json!(["ship", "STOP", "ask-ann", "ship", "fix", "announce", "STOP"]);
    let route = |step, role, by| json!({"step": step, "role": role, "by": by});
    let expected = json!([
        route("ship", "forward", "unclassified"),
        route("STOP", "stop", "reserved"),
        route("ask-ann", "gate", "declared"),
        route("fix", "fix", "named"),
        route("announce", "forward", "unclassified"),
    ]);
    assert_eq!(routes(&steps, &policy), (expected, json!({"role": "gate", "by": "declared"})));
    let many: Vec<String> = (0..=MAX_LISTED).map(|number| format!("s{number}")).collect();
    let (listed, _) = routes(&json!(many), &Value::Null);
    assert_eq!(listed.as_array().map(Vec::len), Some(MAX_LISTED));
    assert_eq!(listed[MAX_LISTED - 1]["step"], many[MAX_LISTED - 1]);
}
