//! Calls that are not what they should be are refused where it shows, in document order.

use adjudicate_core::plan::validate_text;
use serde_json::{Value, json};

use crate::plan::calls::{findings, refusal, small, validate, with};

#[test]
fn members_are_held_to_their_shape() {
    for (pointer, value, code, path) in [
        ("/more", json!(1), "unknown_field", "/more"),
        ("/plan", json!(null), "invalid_value", "/plan"),
        ("/task", json!({}), "missing_field", "/task/objective"),
        ("/task/objective", json!(["a"]), "invalid_value", "/task/objective"),
        ("/task/inputs", json!(["a"]), "invalid_value", "/task/inputs"),
        ("/task/objectives", json!("a"), "unknown_field", "/task/objectives"),
        ("/task/specialInstructions", json!({}), "invalid_value", "/task/specialInstructions"),
        ("/task/policies", json!({"runtimes": []}), "unknown_field", "/task/policies/runtimes"),
        ("/task/policies", json!({"planner": []}), "invalid_value", "/task/policies/planner"),
        (
            "/task/policies",
            json!({"planner": {"variantCount": 2.0}}),
            "invalid_value",
            "/task/policies/planner/variantCount",
        ),
        (
            "/task/policies",
            json!({"planner": {"topology": {"variantCount": -1}}}),
            "invalid_value",
            "/task/policies/planner/topology/variantCount",
        ),
        ("/task/outputContract", json!({}), "missing_field", "/task/outputContract/schema"),
        ("/task/outputContract/schema", json!("object"), "invalid_value", "/task/outputContract/schema"),
        (
            "/task/outputContract/hints",
            json!({"variantPath": "copy"}),
            "invalid_value",
            "/task/outputContract/hints/variantPath",
        ),
        (
            "/task/outputContract/hints",
            json!({"variantPath": "/a~2"}),
            "invalid_value",
            "/task/outputContract/hints/variantPath",
        ),
        (
            "/task/outputContract/hints",
            json!({"variantPath": 1}),
            "invalid_value",
            "/task/outputContract/hints/variantPath",
        ),
        (
            "/task/outputContract/constraints",
            json!([{"expr": {"var": "a"}}]),
            "missing_field",
            "/task/outputContract/constraints/0/level",
        ),
        (
            "/task/outputContract/constraints",
            json!([{"expr": {"var": "a"}, "level": "medium"}]),
            "invalid_value",
            "/task/outputContract/constraints/0/level",
        ),
        (
            "/task/outputContract/constraints",
            json!([{"expr": true, "level": "hard"}]),
            "invalid_value",
            "/task/outputContract/constraints/0/expr",
        ),
        (
            "/task/outputContract/constraints",
            json!([{"level": "hard", "expr": {"and": [true, {"grater": [1, 2]}]}}]),
            "invalid_expression",
            "/task/outputContract/constraints/0/expr/and/1",
        ),
        (
            "/task/outputContract/constraints",
            json!([{"level": "hard", "expr": {"length": [{"var": "a"}]}}]),
            "invalid_expression",
            "/task/outputContract/constraints/0/expr",
        ),
        (
            "/task/outputContract/constraints",
            json!([{"constraintId": "a", "level": "hard", "expr": {"var": "a"}}, {"constraintId": "a"}]),
            "invalid_value",
            "/task/outputContract/constraints/1/constraintId",
        ),
        (
            "/task/outputContract/constraints",
            json!([{"constraintId": ""}]),
            "invalid_value",
            "/task/outputContract/constraints/0/constraintId",
        ),
        ("/plan/planVersion", json!("1"), "invalid_value", "/plan/planVersion"),
        ("/plan/nodes/0", json!({"capabilityId": "Briefer"}), "missing_field", "/plan/nodes/0/nodeId"),
        ("/plan/nodes/0/nodeId", json!(""), "invalid_value", "/plan/nodes/0/nodeId"),
        ("/plan/nodes/0/capabilityId", json!(""), "invalid_value", "/plan/nodes/0/capabilityId"),
        ("/plan/nodes/0/provides", json!(["a", ""]), "invalid_value", "/plan/nodes/0/provides/1"),
        (
            "/plan/nodes/0/contract",
            json!({"schema": true, "constraint": []}),
            "unknown_field",
            "/plan/nodes/0/contract/constraint",
        ),
        ("/plan/nodes/1", json!([]), "invalid_value", "/plan/nodes/1"),
        ("/plan/edges/0", json!({"from": "brief"}), "missing_field", "/plan/edges/0/to"),
        (
            "/capabilities/-",
            json!({"capabilityId": "Writer"}),
            "invalid_value",
            "/capabilities/3/capabilityId",
        ),
        ("/capabilities/0/status", json!(true), "invalid_value", "/capabilities/0/status"),
        (
            "/capabilities/0/postConditions",
            json!([{"expr": {"vra": 1}}]),
            "invalid_expression",
            "/capabilities/0/postConditions/0/expr",
        ),
        (
            "/capabilities/0/postConditions",
            json!([{"vra": 1}]),
            "invalid_expression",
            "/capabilities/0/postConditions/0",
        ),
        (
            "/capabilities/0/postConditions",
            json!([{"constraintId": "a", "level": "hard"}]),
            "missing_field",
            "/capabilities/0/postConditions/0/expr",
        ),
        (
            "/capabilities/0/postConditions",
            json!([{"levle": "hard"}]),
            "invalid_expression",
            "/capabilities/0/postConditions/0",
        ),
        ("/capabilities/0/postConditions", json!(["a"]), "invalid_value", "/capabilities/0/postConditions/0"),
        ("/facets", json!([{"name": "a", "schema": {}}]), "missing_field", "/facets/0/direction"),
        (
            "/facets",
            json!([{"name": "a", "schema": {}, "direction": "both"}]),
            "invalid_value",
            "/facets/0/direction",
        ),
        (
            "/facets",
            json!([{"name": "a", "schema": {}, "direction": "input"}, {"name": "a"}]),
            "invalid_value",
            "/facets/1/name",
        ),
        (
            "/facets",
            json!([{"name": "a", "requiredByDefault": "yes"}]),
            "invalid_value",
            "/facets/0/requiredByDefault",
        ),
    ] {
        let call = with(&[(pointer, value.clone())]);
        assert_eq!(refusal(&call), (code, path.to_owned()), "{pointer} {value}");
    }
}

#[test]
fn guardrails_never_change_a_plan() {
    let guardrail =
        |id: &str, kind: &str| json!({"id": id, "trigger": {"kind": "manual"}, "action": {"type": kind}});
    let goto = json!({"runtime": [guardrail("a", "replan"), guardrail("b", "goto")]});
    let path = "/task/policies/runtime/1/action/type".to_owned();
    assert_eq!(refusal(&with(&[("/task/policies", goto)])), ("invalid_policy", path));
    let replan = json!({"runtime": [guardrail("a", "replan")], "planner": {"goto": {"type": "goto"}}});
    assert_eq!(findings(&validate(&with(&[("/task/policies", replan)]))), [""; 0]);
    let twice = json!({"runtime": [guardrail("a", "replan"), guardrail("a", "replan")]});
    let path = "/task/policies/runtime/1/id".to_owned();
    assert_eq!(refusal(&with(&[("/task/policies", twice)])), ("invalid_value", path));
}

#[test]
fn extensions_are_passed_over_and_the_rest_is_carried() {
    let call = with(&[
        ("/x-run", json!(1)),
        ("/task/x-run", json!(null)),
        ("/task/metadata", json!({"any": ["thing"]})),
        ("/task/specialInstructions", json!(["be brief"])),
        ("/task/goal_condition", json!([1])),
        ("/plan/nodes/0/x-note", json!([])),
        ("/plan/nodes/0/label", json!("Brief")),
        ("/plan/edges/0/reason", json!("an outline is needed")),
        ("/capabilities/0/version", json!("1.2")),
        ("/task/outputContract/hints", json!({"order": ["copy"], "variantPath": ""})),
    ]);
    assert_eq!(findings(&validate(&call)), [""; 0]);
}

#[test]
fn the_first_error_of_the_document_is_reported() {
    for (text, code, path) in [
        ("", "malformed_json", ""),
        ("[]", "invalid_value", ""),
        ("{}", "missing_field", "/task"),
        (r#"{"capabilities": 1, "plan": 2, "task": 3}"#, "invalid_value", "/capabilities"),
        (
            r#"{"plan": {"edges": [{"from": "a", "to": "b", "by": 1}], "nodes": 1}}"#,
            "unknown_field",
            "/plan/edges/0/by",
        ),
        (r#"{"plan": {"nodes": []}, "task": 3}"#, "missing_field", "/plan/edges"),
        (r#"{"plan": {"nodes": [], "edges": []}}"#, "missing_field", "/task"),
    ] {
        let error = validate_text(text.as_bytes()).unwrap_err();
        assert_eq!((error.code().as_str(), error.path()), (code, path), "{text}");
    }
}

#[test]
fn one_answer_lists_up_to_ten_errors_in_document_order() {
    let text = r#"{
        "task": {"objective": 1, "outputContract": {"hints": {"variantPath": 2}, "constraints": [
            {"constraintId": "a", "expr": {"var": "b"}, "level": "hard"},
            {"level": "firm", "constraintId": "a", "expr": {"vra": "b"}}
        ]}, "policies": {"planner": {"topology": {"variantCount": -1}}}},
        "plan": {"nodes": [{"nodeId": ""}, {}]},
        "capabilities": [{"capabilityId": "C", "postConditions": [{"vra": 1}, "b"]}]
    }"#;
    let error = validate_text(text.as_bytes()).unwrap_err();
    let paths: Vec<_> = error.all().map(adjudicate_core::Error::path).collect();
    assert_eq!(
        paths,
        [
            "/task/objective",
            "/task/outputContract/hints/variantPath",
            "/task/outputContract/constraints/1/level",
            "/task/outputContract/constraints/1/constraintId",
            "/task/outputContract/constraints/1/expr",
            "/task/outputContract/schema",
            "/task/policies/planner/topology/variantCount",
            "/plan/nodes/0/nodeId",
            "/plan/nodes/1/nodeId",
            "/plan/edges",
        ]
    );
}

#[test]
fn a_constraint_id_is_refused_where_it_comes_second() {
    let contract = r#""outputContract": {"schema": true, "constraints": [{"constraintId": "a", "expr": {"var": "b"}, "level": "hard"}]}"#;
    let own = r#""constraints": [{"expr": {"var": "b"}, "level": "hard"}, {"constraintId": "a", "expr": {"var": "b"}, "level": "hard"}]"#;
    for (first, second, path) in [
        (contract, own, "/task/constraints/1/constraintId"),
        (own, contract, "/task/outputContract/constraints/0/constraintId"),
    ] {
        let text = format!(
            r#"{{"task": {{"objective": "o", {first}, {second}}}, "plan": {{"nodes": [], "edges": []}}, "capabilities": []}}"#
        );
        let error = validate_text(text.as_bytes()).unwrap_err();
        assert_eq!((error.message(), error.path()), ("`a` is a duplicate", path));
    }
}

/// Whatever stands in place of any value of a call: an answer or an error, and one that points into the call.
#[test]
fn garbage_anywhere_gives_an_answer_or_an_error_with_a_place() {
    fn places(value: &Value, at: &str, all: &mut Vec<String>) {
        all.push(at.to_owned());
        match value {
            Value::Array(items) => {
                (0..).zip(items).for_each(|(index, item)| places(item, &format!("{at}/{index}"), all))
            }
            Value::Object(members) => {
                members.iter().for_each(|(name, member)| places(member, &format!("{at}/{name}"), all))
            }
            _ => {}
        }
    }
    let rich = with(&[
        (
            "/task/outputContract/constraints",
            json!([{"constraintId": "a", "expr": {">": [{"var": "copy"}, ""]}, "level": "hard"}]),
        ),
        (
            "/task/policies",
            json!({
                "planner": {"topology": {"variantCount": 1}},
                "runtime": [{"id": "g", "trigger": {"kind": "manual"}, "action": {"type": "replan"}}],
            }),
        ),
        (
            "/plan/nodes/0/contract",
            json!({"schema": {"type": "object", "properties": {"a": {"minimum": 1}}, "required": ["a"]}}),
        ),
        ("/capabilities/0/postConditions", json!([{"expr": {"var": "a"}}])),
        ("/facets", json!([{"name": "topic", "schema": {}, "direction": "input", "propertyKey": "t"}])),
    ]);
    let mut all = Vec::new();
    places(&rich, "", &mut all);
    let garbage = [
        json!(null),
        json!(true),
        json!(-1),
        json!(0.5),
        json!(""),
        json!("\u{1}\n"),
        json!([]),
        json!([[]]),
        json!({}),
        json!({"": {}}),
    ];
    for (place, value) in all.iter().skip(1).flat_map(|place| garbage.iter().map(move |value| (place, value)))
    {
        let mut call = rich.clone();
        *call.pointer_mut(place).unwrap() = value.clone();
        if let Err(error) = validate_text(call.to_string().as_bytes()) {
            // The pointer of a missing field has an existing parent.
            let (parent, _) = error.path().rsplit_once('/').unwrap();
            assert!(call.pointer(parent).is_some(), "{place} {value}: {error}");
        }
    }
    assert_eq!(findings(&validate(&small())), [""; 0]);
}
