//! Rules of a policy: their conditions taken apart, and what their variables could be instead.

use serde_json::{Value, json};

use super::{envelope, explain, patched, status};

fn policy(conditions: &[Value]) -> Value {
    let rules: Vec<Value> = conditions
        .iter()
        .enumerate()
        .map(|(place, when)| json!({"id": format!("r{place}"), "when": when, "then": {"status": "blocked", "summary": "s"}}))
        .collect();
    json!({"policy": "house", "version": "1.0.0", "rules": rules})
}

#[test]
fn conditions_are_changed_where_their_variables_come_from() {
    let var = |name: &str| json!({"var": name});
    for (evidence, conditions, path, value) in [
        (json!({"x-n": 3}), vec![json!({"<": [var("input.evidence.x-n"), 5]})], "/evidence/x-n", json!(5)),
        (json!({"x-n": 3}), vec![json!({"<=": [var("input.evidence.x-n"), 5]})], "/evidence/x-n", json!(6)),
        (
            json!({"x-n": 9}),
            vec![json!({">": [var("input.evidence.x-n"), 0.5]})],
            "/evidence/x-n",
            json!(0.5),
        ),
        (
            json!({"x-n": 3}),
            vec![json!({"<": [var("input.evidence.x-n"), 5]}), json!({"<=": [var("input.evidence.x-n"), 7]})],
            "/evidence/x-n",
            json!(8),
        ),
        (
            json!({"x-o": {"k": "red"}}),
            vec![json!({"!=": [var("input.evidence.x-o.k"), "green"]})],
            "/evidence/x-o/k",
            json!("green"),
        ),
        (json!({"x-f": true}), vec![var("input.evidence.x-f")], "/evidence/x-f", json!(false)),
        (
            json!({}),
            vec![
                json!({"<": [var("input.evidence.x-a.b"), 1]}),
                json!({"==": [var("input.evidence.x-a.c"), "no"]}),
            ],
            "/evidence/x-a",
            Value::Null,
        ),
        (
            json!({}),
            vec![json!({"!": {"in": ["audit", var("facts.validators.passing")]}})],
            "/evidence/validation/exit_codes/audit",
            json!(0),
        ),
        (
            json!({}),
            vec![json!({"!": var("facts.harness.present")})],
            "/evidence/harness_report",
            Value::Null,
        ),
        (
            json!({}),
            vec![json!({"==": [var("facts.intent"), "other"]})],
            "/evidence/step_intent",
            json!("implement"),
        ),
        (
            json!({"claims": ["implemented"]}),
            vec![json!({"in": ["implemented", var("facts.claims")]})],
            "/evidence/claims",
            json!([]),
        ),
        (
            json!({}),
            vec![json!({"none": [var("facts.diff.paths"), {"starts_with": [var(""), "tests/"]}]})],
            "/evidence/workspace_diff_summary",
            json!(" M src/lib.rs\n M tests/file\n"),
        ),
        (
            json!({"workspace_diff_summary": "A\tgen/a\nM\tb\n"}),
            vec![json!({"some": [var("facts.diff.paths"), {"glob": [var(""), "gen/**"]}]})],
            "/evidence/workspace_diff_summary",
            json!("M\tb\n"),
        ),
    ] {
        let (envelope, policy) = (envelope(&evidence, &json!({})), policy(&conditions));
        let answer = explain(&envelope, &policy);
        let changes = answer["counterfactual"]["changes"].as_array().unwrap_or_else(|| panic!("{answer}"));
        assert_eq!(changes.len(), 1, "{changes:?}");
        assert_eq!(changes[0]["path"], path);
        assert!(value.is_null() || changes[0]["value"] == value, "{changes:?}");
        assert_eq!(status(&patched(&envelope, changes), &policy).as_deref(), Some("success"), "{changes:?}");
    }
}

#[test]
fn values_that_are_no_evidence_are_not_changed() {
    let var = |name: &str| json!({"var": name});
    for (condition, reason) in [
        (json!({"==": [var("input.workflow_id"), "release"]}), "terminal"),
        (json!({"==": [var("facts.history.count"), 0]}), "terminal"),
        (json!({"<": [var("parameters.partial_threshold"), 10]}), "terminal"),
        (json!({"!": {"in": ["owner", var("facts.approvals.granted")]}}), "needs_human"),
        (json!({"!": var("facts.review.present")}), "needs_human"),
        (
            json!({"==": [{"missing": ["input.evidence.approvals"]}, ["input.evidence.approvals"]]}),
            "needs_human",
        ),
        (json!(true), "terminal"),
        (
            json!({"or": [{"!": {"in": ["owner", var("facts.approvals.granted")]}}, {"<": [var("input.evidence.x-n"), 5]}]}),
            "needs_human",
        ),
        // No value is both.
        (
            json!({"or": [{"<": [var("input.evidence.x-n"), 5]}, {">=": [var("input.evidence.x-n"), 5]}]}),
            "not_found",
        ),
    ] {
        let answer =
            explain(&envelope(&json!({"x-n": 1}), &json!({})), &policy(std::slice::from_ref(&condition)));
        assert_eq!(answer["no_counterfactual"]["reason"], reason, "{condition}");
        assert_eq!(answer["no_counterfactual"]["rules"], json!(["r0"]), "{condition}");
    }
}

#[test]
fn a_rule_about_the_past_that_asks_for_a_human_needs_one() {
    let then = json!({"status": "needs_human", "summary": "s"});
    let rule = json!({"id": "r", "when": {"==": [{"var": "facts.history.count"}, 0]}, "then": then});
    let policy = json!({"policy": "house", "version": "1.0.0", "rules": [rule]});
    let answer = explain(&envelope(&json!({}), &json!({})), &policy);
    assert_eq!(answer["no_counterfactual"]["reason"], "needs_human");
}

#[test]
fn conditions_are_taken_apart() {
    let when = json!({"and": [
        {"!": [{"var": "facts.diff.empty"}]},
        {"or": [{"<": [{"var": "input.evidence.x-n"}, 5]}, {"==": [{"var": "input.evidence.x-m"}, "a"]}]},
        {"some": [{"var": "facts.diff.paths"}, {"starts_with": [{"var": ""}, "src/"]}]}
    ]});
    let answer = explain(&envelope(&json!({"x-n": 3}), &json!({})), &policy(&[when]));
    let part = |path: &str, operator: &str, holds: Value, operands: Value, variables: Value| json!({"path": path, "operator": operator, "holds": holds, "operands": operands, "variables": variables});
    let known = |value: Value| json!({"state": "known", "value": value});
    let variable = |name: &str, at: &str, state: &str, value: Value| json!([{"variable": name, "evidence_ref": at, "state": state, "value": value}]);
    let diff = "/evidence/workspace_diff_summary";
    let expected = json!([
        part(
            "/rules/0/when/and/0/!/0",
            "var",
            json!(false),
            json!([]),
            variable("facts.diff.empty", diff, "known", json!(false))
        ),
        part(
            "/rules/0/when/and/1/or/0",
            "<",
            json!(true),
            json!([known(json!(3)), known(json!(5))]),
            variable("input.evidence.x-n", "/evidence/x-n", "known", json!(3))
        ),
        part(
            "/rules/0/when/and/1/or/1",
            "==",
            Value::Null,
            json!([{"state": "unknown", "value": null}, known(json!("a"))]),
            variable("input.evidence.x-m", "/evidence/x-m", "unknown", Value::Null)
        ),
        part(
            "/rules/0/when/and/2",
            "some",
            json!(true),
            json!([known(json!(["src/lib.rs"]))]),
            variable("facts.diff.paths", diff, "known", json!(["src/lib.rs"]))
        ),
    ]);
    assert_eq!(answer["reasons"][0]["conditions"], expected);
}
