//! Constraints that no result can satisfy: what is found for each keyword and operator, and what is named.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "the tests make these calls, and a `Value` indexes to null"
)]

use adjudicate_core::{
    Steps,
    json::{self, ReadLimits},
    logic::{Mode, Program},
    plan::witness_text,
    schema::{Documents, Options, Schema},
};
use serde_json::{Value, json};

use super::{constraint, diagnostics, validate};

/// A plan that gives and enforces whatever there is, so that only what is impossible is found.
pub(crate) fn call(schema: &Value, constraints: &[Value]) -> Value {
    let ids: Vec<&Value> = constraints.iter().map(|constraint| &constraint["constraintId"]).collect();
    json!({
        "task": {"objective": "o", "outputContract": {"schema": schema, "constraints": constraints}},
        "plan": {"nodes": [{"nodeId": "n", "capabilityId": "C", "enforces": ids}], "edges": []},
        "capabilities": [{"capabilityId": "C", "outputFacets": ["a", "b", "c", "items"]}]
    })
}

/// The details of what is found impossible.
pub(crate) fn impossible(schema: &Value, constraints: &[Value]) -> Vec<Value> {
    let answer = validate(&call(schema, constraints));
    let found = diagnostics(&answer).into_iter().filter(|one| {
        let code = one["details"]["code"].as_str().unwrap();
        matches!(code, "impossible_output" | "unsatisfiable_constraint" | "conflicting_constraints")
    });
    found.cloned().collect()
}

fn object(properties: Value) -> Value {
    let names: Vec<&String> = properties.as_object().unwrap().keys().collect();
    json!({"type": "object", "required": names, "properties": properties})
}

/// The keywords in the finding about a single constraint under the schema of `a`; `None` if it is not found impossible.
fn one(of_a: Value, expr: Value) -> Option<Vec<String>> {
    let found = impossible(&object(json!({"a": of_a})), &[constraint("k", "hard", expr)]);
    assert!(found.len() < 2, "{found:?}");
    let found = found.first()?;
    assert_eq!(found["details"]["code"], "unsatisfiable_constraint");
    Some(
        found["details"]["schema"].as_array().unwrap().iter().map(|at| at.as_str().unwrap().into()).collect(),
    )
}

#[test]
fn keywords() {
    let a = || json!({"var": "a"});
    let length = |op: &str, count: u32| json!({op: [{"length": [a()]}, count]});
    for (of_a, expr, named) in [
        (json!({"maximum": 1}), json!({">": [a(), 1]}), Some(vec!["/maximum"])),
        (json!({"maximum": 1}), json!({">=": [a(), 1]}), None),
        (json!({"maximum": 1}), json!({"<": [1, a()]}), Some(vec!["/maximum"])),
        (json!({"exclusiveMaximum": 1}), json!({">=": [a(), 1]}), Some(vec!["/exclusiveMaximum"])),
        (json!({"minimum": 0.7}), json!({"==": [a(), 0.6]}), Some(vec!["/minimum"])),
        (json!({"minimum": 0.7}), json!({"==": [{"-": [a(), 0.6]}, 0.1]}), None),
        (json!({"exclusiveMinimum": 2}), json!({"between": [a(), 1, 2]}), Some(vec!["/exclusiveMinimum"])),
        (json!({"type": "integer"}), json!({"and": [{">": [a(), 1]}, {"<": [a(), 2]}]}), Some(vec!["/type"])),
        (json!({"type": "number"}), json!({"and": [{">": [a(), 1]}, {"<": [a(), 2]}]}), None),
        (
            json!({"multipleOf": 2}),
            json!({"and": [{">": [a(), 2]}, {"<": [a(), 4]}]}),
            Some(vec!["/multipleOf"]),
        ),
        (json!({"multipleOf": 2}), json!({"==": [a(), 3]}), Some(vec!["/multipleOf"])),
        (json!({"multipleOf": 0.5}), json!({"==": [a(), 1.5]}), None),
        (json!({"multipleOf": 0.5}), json!({"==": [a(), 1.25]}), Some(vec!["/multipleOf"])),
        (json!({"type": "string"}), json!({">": [a(), 1]}), Some(vec!["/type"])),
        (json!({"type": ["string", "null"]}), json!({"==": [a(), true]}), Some(vec!["/type"])),
        (json!({"type": "boolean"}), json!({"and": [a(), {"!": [a()]}]}), Some(vec![])),
        (json!({"type": "boolean"}), json!({"!": [a()]}), None),
        (json!({"enum": ["x", "y"]}), json!({"==": [a(), "z"]}), Some(vec!["/enum"])),
        (json!({"enum": ["x", "y"]}), json!({"in": [a(), ["z", "w"]]}), Some(vec!["/enum"])),
        (json!({"enum": ["x", "y"]}), json!({"in": [a(), ["z", "y"]]}), None),
        (json!({"enum": ["x", "y"]}), json!({"starts_with": [a(), "z"]}), Some(vec!["/enum"])),
        (json!({"enum": [1, 2, 5]}), json!({"between": [a(), 3, 4]}), Some(vec!["/enum"])),
        (json!({"enum": [1, 2, 5]}), json!({"==": [{"%": [a(), 3]}, 0]}), Some(vec!["/enum"])),
        (json!({"enum": [1, "x", null]}), json!({"==": [a(), false]}), Some(vec!["/enum"])),
        (json!({"enum": [1, "x", null]}), json!({"==": [a(), null]}), None),
        (json!({"const": 0.5}), json!({">": [a(), 0.5]}), Some(vec!["/const"])),
        (json!({"const": true}), json!({"!": [a()]}), Some(vec!["/const"])),
        (json!({"type": "string", "minLength": 3}), json!({"==": [a(), "xy"]}), Some(vec!["/minLength"])),
        (json!({"type": "string", "maxLength": 3}), length(">", 3), Some(vec!["/maxLength", "/type"])),
        (json!({"type": "string", "maxLength": 3}), length(">=", 3), None),
        (json!({"maxLength": 3}), length(">", 3), None),
        (json!({"pattern": "^x"}), json!({"==": [a(), "yx"]}), Some(vec!["/pattern"])),
        (json!({"type": "array", "maxItems": 2}), length(">", 2), Some(vec!["/maxItems", "/type"])),
        (json!({"type": "array", "minItems": 2}), length("==", 1), Some(vec!["/minItems", "/type"])),
        (
            json!({"type": "object", "maxProperties": 1}),
            length(">=", 2),
            Some(vec!["/maxProperties", "/type"]),
        ),
        (json!({"maxItems": 0}), json!({"all": [a(), true]}), Some(vec!["/maxItems"])),
        (json!({"maxItems": 0}), json!({"none": [a(), true]}), None),
        (
            json!({"items": {"maximum": 1}}),
            json!({"some": [a(), {">": [{"var": ""}, 1]}]}),
            Some(vec!["/items/maximum"]),
        ),
        (
            json!({"items": {"properties": {"s": {"maximum": 1}}}}),
            json!({"all": [a(), {">": [{"var": "s"}, 1]}]}),
            Some(vec!["/items/properties/s/maximum"]),
        ),
        (json!({"minItems": 1, "items": {"type": "boolean"}}), json!({"none": [a(), {"var": ""}]}), None),
        (json!({"items": {"enum": ["x"]}}), json!({"in": ["y", a()]}), None),
        (
            json!({"type": "array", "items": {"enum": ["x"]}}),
            json!({"in": ["y", a()]}),
            Some(vec!["/items/enum", "/type"]),
        ),
        (
            json!({"allOf": [{"minimum": 2}, {"maximum": 3}]}),
            json!({"==": [a(), 4]}),
            Some(vec!["/allOf/1/maximum"]),
        ),
        (
            json!({"anyOf": [{"minimum": 2}, {"maximum": 1}]}),
            json!({"==": [a(), 1.5]}),
            Some(vec!["/anyOf/0/minimum", "/anyOf/1/maximum"]),
        ),
        (
            json!({"oneOf": [{"const": "x"}, {"const": "y"}]}),
            json!({"==": [a(), "z"]}),
            Some(vec!["/oneOf/0/const", "/oneOf/1/const"]),
        ),
        (json!({"not": {"const": 3}}), json!({"==": [a(), 3]}), Some(vec!["/not"])),
        (
            json!({"if": {"type": "number"}, "then": {"maximum": 1}, "else": {"type": "string"}}),
            json!({">": [a(), 1]}),
            Some(vec!["/else/type", "/then/maximum"]),
        ),
        (json!({"if": {"minimum": 3}, "then": {"maximum": 1}}), json!({">": [a(), 5]}), None),
        // Fields that no value has.
        (json!({"type": "array"}), json!({"==": [{"var": "a.length"}, 2]}), Some(vec!["/type"])),
        (json!({"type": ["array", "string"]}), json!({"!": [{"var": "a.length"}]}), Some(vec!["/type"])),
        (json!({"type": "string"}), json!({"between": [{"var": "a.length"}, 1, 3]}), Some(vec!["/type"])),
        (json!({"type": "number"}), json!({"<": [0, {"var": "a.s"}, 3]}), Some(vec!["/type"])),
        (json!({"type": ["array", "object"]}), json!({"==": [{"var": "a.length"}, 2]}), None),
        (
            json!({"type": "array", "maxItems": 2}),
            json!({"!=": [{"var": "a.2"}, 1]}),
            Some(vec!["/maxItems", "/type"]),
        ),
        (json!({"type": "array", "maxItems": 2}), json!({"!=": [{"var": "a.1"}, 1]}), None),
        (json!({"type": ["array", "object"], "maxItems": 2}), json!({"!=": [{"var": "a.2"}, 1]}), None),
        (json!({"const": {"s": [1]}}), json!({"==": [{"var": "a.t"}, 1]}), Some(vec!["/const"])),
        (json!({"enum": [{"s": [1]}, [7], 3]}), json!({"==": [{"var": "a.1"}, 1]}), Some(vec!["/enum"])),
        (json!({"enum": [{"s": [1]}, [7], 3]}), json!({"==": [{"var": "a.0"}, 7]}), None),
        (json!({"const": {"s": [1]}}), json!({"==": [{"var": "a.s.0"}, 1]}), None),
        (
            json!({"const": {"s": [1]}}),
            json!({"some": [{"var": "a.s"}, {"==": [{"var": "t"}, 1]}]}),
            Some(vec!["/const"]),
        ),
        (
            json!({"type": "object", "maxProperties": 0}),
            json!({"==": [{"var": "a.s"}, 1]}),
            Some(vec!["/maxProperties"]),
        ),
        (
            json!({"type": "array"}),
            json!({">": [{"+": [{"var": "a.length"}, {"var": "b"}]}, 1]}),
            Some(vec!["/type"]),
        ),
        (
            json!({"type": "array"}),
            json!({"<": [{"var": "b"}, {"if": [{"var": "a.length"}, 1, 2]}]}),
            Some(vec!["/type"]),
        ),
        (
            json!({"type": "array"}),
            json!({"in": [{"var": "b"}, {"map": [{"var": "a.s"}, 1]}]}),
            Some(vec!["/type"]),
        ),
        (json!({"type": "array"}), json!({"==": [{"var": ["a.length", 2]}, {"var": "b"}]}), None),
        (json!({"type": "array"}), json!({"!": [{"<": [{"var": "b"}, 1, {"var": "a.length"}]}]}), None),
        (json!({"type": "array"}), json!({"==": [{"missing": ["a.length"]}, ["a.length"]]}), None),
        (json!({"type": "array"}), json!({"or": [{"var": "a.length"}, {"==": [{"var": "b"}, 1]}]}), None),
        // Sums and the like, by their ranges.
        (
            json!({"minimum": 0, "maximum": 1}),
            json!({">": [{"*": [a(), 100]}, 100]}),
            Some(vec!["/maximum", "/minimum"]),
        ),
        (json!({"minimum": 0, "maximum": 1}), json!({">=": [{"*": [a(), 100]}, 100]}), None),
        (json!({"maximum": 1}), json!({">": [{"+": [a(), 1]}, 2]}), Some(vec!["/maximum"])),
        (json!({"maximum": 1}), json!({"<": [{"-": [a()]}, -1]}), Some(vec!["/maximum"])),
        (json!({"maximum": 1}), json!({">": [{"min": [a(), 5]}, 2]}), Some(vec!["/maximum"])),
        (json!({"minimum": 1}), json!({"<": [{"max": [a(), 0]}, 1]}), Some(vec!["/minimum"])),
        (
            json!({"type": "array", "maxItems": 2}),
            json!({">": [{"length": [{"filter": [a(), true]}]}, 2]}),
            Some(vec!["/maxItems"]),
        ),
    ] {
        let found = one(of_a.clone(), expr.clone());
        let expected = named
            .map(|names| names.into_iter().map(|name| format!("/properties/a{name}")).collect::<Vec<_>>());
        assert_eq!(found, expected, "{of_a} {expr}");
    }
}

/// The first of some outputs that is valid and satisfies all of some expressions.
pub(crate) fn accepted<'o>(
    schema: &Value,
    expressions: &[&Value],
    outputs: &'o [Value],
) -> Option<&'o Value> {
    let schema = schema.to_string();
    let schema = json::read(schema.as_bytes(), ReadLimits::DOCUMENT).unwrap();
    let steps = &mut Steps::default();
    let schema = Schema::compile(schema.root(), &Documents::default(), Options::default(), steps).unwrap();
    let program = |expression: &&Value| {
        let text = expression.to_string();
        let tape = json::read(text.as_bytes(), ReadLimits::DOCUMENT).unwrap();
        Program::compile(tape.root(), Mode::Strict, &mut Steps::for_patterns()).unwrap()
    };
    let programs: Vec<Program> = expressions.iter().map(program).collect();
    outputs.iter().find(|output| {
        let text = output.to_string();
        let output = json::read(text.as_bytes(), ReadLimits::DOCUMENT).unwrap();
        let holds = |program: &Program| {
            matches!(program.holds(&output.root(), &mut Steps::default()), Ok(Some(true)))
        };
        programs.iter().all(holds) && schema.is_valid(output.root(), steps).unwrap()
    })
}

/// A result that satisfies all of some expressions, which is verified here once more.
pub(crate) fn witness(schema: &Value, expressions: &[Value]) -> Option<Value> {
    let constraints: Vec<Value> =
        expressions.iter().map(|expr| json!({"expr": expr, "level": "hard"})).collect();
    let call = json!({"outputContract": {"schema": schema, "constraints": constraints}});
    let answer: Value = serde_json::from_str(&witness_text(call.to_string().as_bytes()).unwrap()).unwrap();
    let shown = Some(answer["witness"].clone()).filter(|shown| !shown.is_null())?;
    let expressions: Vec<&Value> = expressions.iter().collect();
    assert!(
        accepted(schema, &expressions, core::slice::from_ref(&shown)).is_some(),
        "{schema} {expressions:?} {shown}"
    );
    Some(shown)
}

#[test]
fn witnesses() {
    let a = || json!({"var": "a"});
    for (schema, expressions, expected) in [
        (json!(true), vec![], Some(json!({}))),
        (
            json!({"type": "array", "minItems": 2, "items": {"type": "integer", "minimum": 3}}),
            vec![],
            Some(json!([3, 3])),
        ),
        (
            object(json!({"a": {"minimum": 0, "maximum": 1}})),
            vec![json!({">": [a(), 0]}), json!({"<": [a(), 1]})],
            Some(json!({"a": 0.5})),
        ),
        (
            object(json!({"a": {"type": "integer", "multipleOf": 7}})),
            vec![json!({">": [a(), 15]})],
            Some(json!({"a": 21})),
        ),
        (
            object(json!({"a": {"type": "string", "minLength": 5}})),
            vec![json!({"starts_with": [a(), "on"]})],
            Some(json!({"a": "onxxx"})),
        ),
        (object(json!({"a": {"type": "string", "pattern": "^[A-Z]{2}-1$"}})), vec![], None),
        (
            object(json!({"a": {"enum": ["x", "y"]}})),
            vec![json!({"!=": [a(), "x"]})],
            Some(json!({"a": "y"})),
        ),
        (object(json!({"a": {"const": {"k": [1]}}})), vec![], Some(json!({"a": {"k": [1]}}))),
        (
            object(json!({"a": {"type": "array", "items": object(json!({"s": {"maximum": 1}}))}})),
            vec![json!({"some": [a(), {">": [{"var": "s"}, 0.5]}]}), json!({">=": [{"length": [a()]}, 2]})],
            Some(json!({"a": [{"s": 1}, {"s": "x"}]})),
        ),
        (
            object(
                json!({"a": {"anyOf": [object(json!({"x": {"const": 1}})), object(json!({"y": {"const": 2}}))]}}),
            ),
            vec![json!({"==": [{"var": "a.y"}, 2]})],
            Some(json!({"a": {"x": "x", "y": 2}})),
        ),
        (object(json!({})), vec![json!({"==": [{"var": "a.0.b"}, 2]})], Some(json!({"a": {"0": {"b": 2}}}))),
        (
            object(json!({"a": {"type": "integer"}, "b": {"type": "integer", "minimum": 0, "maximum": 9}})),
            vec![json!({">": [a(), {"var": "b"}]})],
            Some(json!({"a": 1, "b": 0})),
        ),
    ] {
        assert_eq!(witness(&schema, &expressions), expected, "{schema} {expressions:?}");
    }
}
