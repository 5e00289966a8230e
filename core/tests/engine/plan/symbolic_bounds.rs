//! Hostile contracts: what takes too much is not looked at to the end, and nothing is claimed of it.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "the tests make these calls, and a `Value` indexes to null"
)]

use serde_json::{Value, json};

use crate::plan::{
    calls::constraint,
    symbolic::{impossible, witness},
};

fn codes(schema: &Value, constraints: &[Value]) -> Vec<String> {
    let found = impossible(schema, constraints);
    found.iter().map(|one| one["details"]["code"].as_str().unwrap().to_owned()).collect()
}

fn numbered(count: usize, expr: impl Fn(usize) -> Value) -> Vec<Value> {
    (0..count).map(|at| constraint(&format!("k{at:04}"), "hard", expr(at))).collect()
}

#[test]
fn deep_expressions() {
    let a = || json!({"var": "a"});
    for wrap in [
        |one: Value| json!({"and": [one, true]}),
        |one: Value| json!({"or": [one, {"!": [true]}]}),
        |one: Value| json!({"!": [{"!": [one]}]}),
        |one: Value| json!({"if": [true, one, {"!": [one]}]}),
    ] {
        let deep = |one: Value| {
            let mut expr = one;
            while expr.to_string().len() < 4_000 && depth(&expr) < 100 {
                expr = wrap(expr);
            }
            expr
        };
        let constraints = [constraint("k", "hard", deep(json!({">": [a(), 2]})))];
        assert!(codes(&json!(true), &constraints).is_empty());
        let found = codes(&json!({"properties": {"a": {"maximum": 1}}}), &constraints);
        assert!(found.len() < 2, "{found:?}");
        let constraints =
            [constraint("k", "hard", json!({"and": [{"<": [a(), 2]}, deep(json!({">": [a(), 2]}))]}))];
        let found = codes(&json!(true), &constraints);
        assert!(found.len() < 2, "{found:?}");
    }
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or_default(),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}

#[test]
fn schemas_that_refer_to_themselves_or_branch_without_measure() {
    let above = |bound: u32| [constraint("k", "hard", json!({">": [{"var": "a.a.a.v"}, bound]}))];
    let looped =
        json!({"properties": {"a": {"$ref": "#"}, "v": {"maximum": 1}}, "required": ["a"], "type": "object"});
    assert_eq!(codes(&looped, &above(1)), ["unsatisfiable_constraint"]);
    assert!(codes(&looped, &above(0)).is_empty());
    for keyword in ["allOf", "anyOf", "oneOf"] {
        // Two references to the next one each, forty times.
        let mut definitions = json!({"d40": {"properties": {"v": {"maximum": 1}}}});
        for at in 0..40 {
            let next = json!({"$ref": format!("#/definitions/d{}", at + 1)});
            definitions[format!("d{at}")] = json!({keyword: [next, next]});
        }
        let bomb = json!({"$ref": "#/definitions/d0", "definitions": definitions});
        let _ = codes(&bomb, &[constraint("k", "hard", json!({">": [{"var": "v"}, 1]}))]);
        let wide = |count: u32| -> Value {
            let branches = (0..count).map(|at| json!({"properties": {"v": {"minimum": at}}}));
            json!({keyword: branches.collect::<Vec<_>>()})
        };
        let below = [constraint("k", "hard", json!({"<": [{"var": "v"}, 0]}))];
        assert_eq!(codes(&wide(300), &below), ["unsatisfiable_constraint"], "{keyword}");
        let found = codes(&wide(3_000), &below);
        assert!(found.len() < 2, "{found:?}");
        witness(&wide(300), &[json!({">": [{"var": "v"}, 0]})]);
    }
}

#[test]
fn a_thousand_constraints_on_one_variable() {
    let a = || json!({"var": "a"});
    let found = |expr: &dyn Fn(usize) -> Value| {
        codes(&json!({"properties": {"a": {"type": "number"}}}), &numbered(1_000, expr))
    };
    assert!(found(&|at| json!({">": [a(), at]})).is_empty());
    assert!(found(&|at| json!({"!=": [a(), at]})).is_empty());
    // Half of them exclude the other half: each names a few of those.
    let halves = found(&|at| if at % 2 == 0 { json!({">": [a(), 1_000]}) } else { json!({"<": [a(), at]}) });
    assert!(
        halves.len() > 10 && halves.iter().all(|code| code == "conflicting_constraints"),
        "{}",
        halves.len()
    );
    assert!(found(&|at| json!({"or": [{">": [a(), at]}, {"<": [a(), 0]}]})).is_empty());
    let _ = found(&|at| json!({"or": [{"==": [a(), at]}, {"==": [a(), at + 1]}]}));
    let never = found(&|at| json!({"and": [{">": [a(), at]}, {"<": [a(), at]}]}));
    assert_eq!(never.len(), 1_000);
    let texts = numbered(1_000, |at| json!({"!=": [a(), format!("text {at}")]}));
    assert!(codes(&json!(true), &texts).is_empty());
}

#[test]
fn a_thousand_constraints_on_as_many_variables() {
    let properties: serde_json::Map<String, Value> =
        (0..1_000).map(|at| (format!("p{at}"), json!({"type": "number", "maximum": at}))).collect();
    let schema = json!({"type": "object", "properties": properties});
    let constraints =
        numbered(1_000, |at| json!({">": [{"var": format!("p{at}")}, if at == 500 { 501 } else { -1 }]}));
    assert_eq!(codes(&schema, &constraints), ["unsatisfiable_constraint"]);
    let chained = numbered(
        1_000,
        |at| json!({"<": [{"var": format!("p{at}")}, {"var": format!("p{}", (at + 1) % 1_000)}]}),
    );
    assert!(codes(&schema, &chained).is_empty());
}

#[test]
fn long_names_and_long_texts() {
    let name = "n".repeat(100_000);
    let schema = json!({"type": "object", "properties": {&*name: {"maximum": 1}}});
    let found = codes(&schema, &numbered(20, |_| json!({">": [{"var": name}, 1]})));
    assert!(!found.is_empty());
    let many: Vec<String> = (0..20_000).map(|at| format!("word {at}")).collect();
    let schema = json!({"properties": {"a": {"enum": many}}});
    let constraints = numbered(20, |at| json!({"!=": [{"var": "a"}, format!("word {at}")]}));
    assert!(codes(&schema, &constraints).is_empty());
}
