//! Outputs held against their contracts.

use adjudicate_core::plan::observe_text;
use serde_json::{Value, json};

/// Status and score, then each diagnostic as `level outcome cause code subject`; or the error.
#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "the engine makes these answers")]
fn observed(schema: Value, constraints: Value, output: Value) -> Vec<String> {
    let call = json!({"outputContract": {"schema": schema, "constraints": constraints}, "output": output});
    let answer = match observe_text(call.to_string().as_bytes()) {
        Ok(answer) => serde_json::from_str::<Value>(&answer).unwrap(),
        Err(error) => return vec![error.code().as_str().into(), error.path().into()],
    };
    assert_eq!(answer["satisfactionScore"], answer["observedSatisfaction"]);
    let mut lines =
        vec![format!("{} {}", answer["status"].as_str().unwrap(), answer["observedSatisfaction"])];
    for bucket in ["failures", "warnings", "infos"] {
        for one in answer[bucket].as_array().unwrap() {
            let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let subject = match &one["constraintId"] {
                Value::String(id) => id.clone(),
                _ => word(&one["details"]["instancePath"]),
            };
            let words = [&one["severity"], &one["status"], &one["cause"], &one["details"]["code"]].map(word);
            lines.push(format!("{} {subject}", words.join(" ")).trim_end().to_owned());
        }
    }
    lines
}

#[test]
fn constraints_hold_fail_or_are_undecided() {
    let constraints = |level: &str| json!([{"constraintId": "qa", "expr": {">=": [{"var": "qa.score"}, 0.8]}, "level": level}]);
    for (level, output, expected) in [
        (
            "hard",
            json!({"qa": {"score": 0.8}}),
            &["accepted 1.0", "hard satisfied schema_incompatible constraint_holds qa"][..],
        ),
        (
            "hard",
            json!({"qa": {"score": 0.7}}),
            &["rejected 0.0", "hard unsatisfied schema_incompatible constraint_broken qa"],
        ),
        (
            "hard",
            json!({"qa": {}}),
            &["rejected 0.0", "hard unknown missing_producer undecided_constraint qa"],
        ),
        (
            "hard",
            json!({"qa": {"score": "0.9"}}),
            &["rejected 0.0", "hard unknown missing_producer undecided_constraint qa"],
        ),
        ("hard", json!(null), &["rejected 0.0", "hard unknown missing_producer undecided_constraint qa"]),
        (
            "soft",
            json!({"qa": {"score": 0.9}}),
            &["accepted 1.0", "soft satisfied unsatisfied_soft constraint_holds qa"],
        ),
        (
            "soft",
            json!({"qa": {"score": 0.7}}),
            &["accepted_with_findings 0.0", "soft unsatisfied unsatisfied_soft constraint_broken qa"],
        ),
        (
            "soft",
            json!([]),
            &["accepted_with_findings 0.0", "soft unsatisfied unsatisfied_soft undecided_constraint qa"],
        ),
        ("informational", json!({"qa": {"score": 0.9}}), &["accepted 1.0"]),
        (
            "informational",
            json!({"qa": {"score": 0.7}}),
            &["accepted_with_findings 1.0", "informational unknown advisory constraint_broken qa"],
        ),
        (
            "informational",
            json!({}),
            &["accepted_with_findings 1.0", "informational unknown advisory undecided_constraint qa"],
        ),
    ] {
        assert_eq!(observed(json!(true), constraints(level), output.clone()), expected, "{level} {output}");
    }
}

#[test]
fn each_violation_of_the_schema_is_found_where_it_is() {
    let schema = json!({
        "required": ["title"],
        "properties": {"variants": {"maxItems": 2, "items": {"type": "string"}}},
    });
    let violation = "hard unsatisfied schema_incompatible schema_violation";
    let output = json!({"variants": ["a", 1, "c"]});
    let expected = [
        "rejected 1.0".to_owned(),
        violation.to_owned(),
        format!("{violation} /variants"),
        format!("{violation} /variants/1"),
    ];
    let mut found = observed(schema.clone(), json!([]), output);
    found[1..].sort_unstable();
    assert_eq!(found, expected);
    assert_eq!(observed(schema, json!([]), json!({"title": "t", "variants": ["a"]})), ["accepted 1.0"]);
}

#[test]
fn an_invalid_schema_rejects_and_constraints_are_still_reported() {
    let constraints = json!([{"expr": {"==": [{"var": "a"}, 1]}, "level": "soft"}]);
    let found = observed(json!({"type": "strnig"}), constraints, json!({"a": 1}));
    assert_eq!(found[..2], ["rejected 1.0", "hard unsatisfied schema_incompatible invalid_schema"]);
    assert!(found[2].starts_with("soft satisfied unsatisfied_soft constraint_holds c-"), "{found:?}");
}

#[test]
fn invalid_calls_are_refused() {
    for (call, code, path) in [
        (json!([]), "invalid_value", ""),
        (json!({}), "missing_field", "/outputContract"),
        (json!({"outputContract": {"schema": {}}}), "missing_field", "/output"),
        (json!({"outputContract": {}, "output": 1}), "missing_field", "/outputContract/schema"),
        (json!({"outputContract": {"schema": []}, "output": 1}), "invalid_value", "/outputContract/schema"),
        (json!({"outputContract": {"schema": {}}, "output": 1, "plan": 1}), "unknown_field", "/plan"),
        (
            json!({"outputContract": {"schema": {}, "constraints": [{"expr": {"is": [1]}, "level": "hard"}]}, "output": 1}),
            "invalid_expression",
            "/outputContract/constraints/0/expr",
        ),
    ] {
        let error = observe_text(call.to_string().as_bytes()).err();
        let found = error.as_ref().map(|error| (error.code().as_str(), error.path()));
        assert_eq!(found, Some((code, path)), "{call}");
    }
}

#[test]
fn an_output_that_takes_too_much_work_has_no_answer() {
    let items: Vec<u32> = (0..30_000).collect();
    let body = json!([{"expr": {"all": [{"var": "n"}, {"in": [{"var": ""}, items]}]}, "level": "hard"}]);
    assert_eq!(observed(json!(true), body, json!({"n": items}))[0], "limit_exceeded");
}
