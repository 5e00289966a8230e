//! Laws of reports that something is impossible, tested with every output of a small world. No output satisfies an
//! impossible condition, and every shown example is valid.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "the tests make these calls, and a `Value` indexes to null"
)]

use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};

use super::{
    constraint,
    symbolic::{accepted, impossible, witness},
};

/// Values that fields have.
fn values() -> Vec<Value> {
    vec![
        json!(null),
        json!(false),
        json!(true),
        json!(-1),
        json!(0),
        json!(0.5),
        json!(1),
        json!(2),
        json!(3),
        json!(""),
        json!("x"),
        json!("xy"),
        json!([]),
        json!([1]),
        json!(["x", 2]),
        json!({}),
        json!({"s": 1}),
        json!({"s": "x"}),
        json!([{"s": 2}]),
    ]
}

/// All outputs with up to two of these fields.
fn outputs() -> Vec<Value> {
    let members = || std::iter::once(None).chain(values().into_iter().map(Some));
    let mut outputs = vec![json!([1]), json!("x"), json!(3)];
    for a in members() {
        for b in members() {
            let pairs = [("a", a.clone()), ("b", b)];
            outputs.push(
                pairs.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect(),
            );
        }
    }
    outputs
}

fn leaf() -> impl Strategy<Value = Value> {
    let number = || select(vec![json!(-1), json!(0), json!(0.5), json!(1), json!(2)]);
    let keyword = select(vec!["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]);
    let length =
        select(vec!["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"]);
    let kinds = vec!["null", "boolean", "number", "integer", "string", "array", "object"];
    prop_oneof![
        Just(json!(true)),
        Just(json!(false)),
        Just(json!({"multipleOf": 2})),
        Just(json!({"pattern": "^x"})),
        Just(json!({"uniqueItems": true})),
        Just(json!({"$ref": "#/definitions/d"})),
        (keyword, number()).prop_map(|(keyword, number)| json!({keyword: number})),
        (length, 0..3_u32).prop_map(|(keyword, count)| json!({keyword: count})),
        select(kinds.clone()).prop_map(|kind| json!({"type": kind})),
        (select(kinds.clone()), select(kinds)).prop_map(|(one, other)| match one == other {
            true => json!({"type": one}),
            false => json!({"type": [one, other]}),
        }),
        vec(select(values()), 1..4).prop_map(|values| json!({"enum": values})),
        select(values()).prop_map(|value| json!({"const": value})),
    ]
}

fn some_schema() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(3, 12, 3, |inner| {
        let list = select(vec!["allOf", "anyOf", "oneOf"]);
        prop_oneof![
            (list, vec(inner.clone(), 1..3)).prop_map(|(keyword, schemas)| json!({keyword: schemas})),
            inner.clone().prop_map(|schema| json!({"not": schema})),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(one, then, other)| json!({"if": one, "then": then, "else": other})),
            (inner.clone(), 0..3_u32).prop_map(|(schema, least)| json!({"items": schema, "minItems": least})),
            (inner.clone(), inner.clone())
                .prop_map(|(first, rest)| json!({"items": [first], "additionalItems": rest})),
            (inner.clone(), any::<bool>(), any::<bool>()).prop_map(|(schema, required, open)| {
                let required = if required { json!(["s"]) } else { json!([]) };
                json!({"type": "object", "properties": {"s": schema}, "required": required, "additionalProperties": open})
            }),
            (inner.clone(), inner).prop_map(|(schema, other)| json!({"patternProperties": {"s": schema}, "allOf": [other]})),
        ]
    })
}

fn schema() -> impl Strategy<Value = Value> {
    let required = vec(select(vec!["a", "b"]), 0..2);
    let shape = (some_schema(), some_schema(), required, leaf(), any::<bool>(), any::<bool>());
    let whole = shape.prop_map(|(a, b, required, of_all, typed, open)| {
        let mut schema = json!({
            "properties": {"a": a, "b": b},
            "required": required,
            "additionalProperties": open,
            "definitions": {"d": {"maximum": 1}},
        });
        if typed {
            schema["type"] = json!("object");
        } else {
            schema["allOf"] = json!([of_all]);
        }
        schema
    });
    let whole = whole.boxed();
    let branches = (whole.clone(), whole.clone())
        .prop_map(|(one, other)| json!({"anyOf": [one, other], "definitions": {"d": {"maximum": 1}}}));
    prop_oneof![3 => whole, 1 => branches]
}

fn operand() -> impl Strategy<Value = Value> {
    let path = || select(vec!["a", "b", "a.s", "a.0", "a.2", "b.0.s", "a.length", "b.length"]);
    prop_oneof![
        6 => path().prop_map(|path| json!({"var": path})),
        1 => path().prop_map(|path| json!({"var": [path, 1]})),
        2 => path().prop_map(|path| json!({"length": [{"var": path}]})),
        1 => (path(), path()).prop_map(|(one, other)| json!({"+": [{"var": one}, {"var": other}, 1]})),
        1 => (path(), path()).prop_map(|(one, other)| json!({"max": [{"var": one}, {"var": other}]})),
        1 => path().prop_map(|path| json!({"-": [{"*": [{"var": path}, -2]}, 1]})),
        1 => (path(), path()).prop_map(|(one, other)| json!({"length": [{"cat": [{"var": one}, {"var": [other, "x"]}]}]})),
        1 => (path(), path()).prop_map(|(one, other)| json!({"length": [{"merge": [{"var": one}, {"var": other}]}]})),
        1 => (path(), path()).prop_map(|(one, other)| json!({"if": [{"==": [{"var": one}, 1]}, {"var": other}, 2]})),
        1 => (path(), path()).prop_map(|(one, other)| json!({"length": [[{"var": one}, {"var": other}]]})),
        1 => (path(), path()).prop_map(|(one, other)| json!({"reduce": [{"var": one}, {"var": "current"}, {"var": other}]})),
        1 => (path(), path()).prop_map(|(one, other)| json!({"length": [{"missing": [one, other]}]})),
        1 => path().prop_map(|path| json!({"length": [{"filter": [{"var": path}, true]}]})),
        6 => select(values()).prop_filter("no object is a constant", |value| !value.to_string().contains('{')),
    ]
}

fn expression() -> impl Strategy<Value = Value> {
    let operator = select(vec!["==", "!=", "<", "<=", ">", ">=", "===", "!=="]);
    let path = || select(vec!["a", "b", "a.s", "a.length"]);
    let item = || {
        prop_oneof![
            operand_of_item().prop_map(|left| json!({">": [left, 1]})),
            operand_of_item().prop_map(|left| json!({"==": [left, "x"]})),
            Just(json!(true)),
        ]
    };
    let leaf = prop_oneof![
        6 => (operator, operand(), operand()).prop_map(|(operator, left, right)| json!({operator: [left, right]})),
        1 => path().prop_map(|path| json!({"var": path})),
        1 => (path(), vec(select(vec!["x", "xy", "q"]), 1..3)).prop_map(|(path, texts)| json!({"in": [{"var": path}, texts]})),
        1 => path().prop_map(|path| json!({"in": ["x", {"var": path}]})),
        1 => path().prop_map(|path| json!({"starts_with": [{"var": path}, "x"]})),
        1 => (operand(), operand(), operand()).prop_map(|(one, from, to)| json!({"between": [one, from, to]})),
        1 => (operand(), operand(), operand()).prop_map(|(one, from, to)| json!({"<": [one, from, to]})),
        1 => (path(), select(vec!["some", "all", "none"]), item())
            .prop_map(|(path, operator, body)| json!({operator: [{"var": path}, body]})),
        1 => path().prop_map(|path| json!({"==": [{"missing": [path]}, []]})),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            (select(vec!["and", "or"]), vec(inner.clone(), 1..3))
                .prop_map(|(operator, all)| json!({operator: all})),
            inner.clone().prop_map(|one| json!({"!": [one]})),
            (inner.clone(), inner.clone(), inner)
                .prop_map(|(one, then, other)| json!({"if": [one, then, other]})),
        ]
    })
}

fn operand_of_item() -> impl Strategy<Value = Value> {
    select(vec![
        json!({"var": ""}),
        json!({"var": "s"}),
        json!({"var": "length"}),
        json!({"var": "s.length"}),
    ])
}

fn is_a_constraint(expression: &Value) -> bool {
    // An expression that is never a boolean, or that has a type error, is refused before.
    let call =
        json!({"outputContract": {"schema": true, "constraints": [{"expr": expression, "level": "hard"}]}});
    adjudicate_core::plan::witness_text(call.to_string().as_bytes()).is_ok()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_impossible_claim_has_no_output(schema in schema(), expressions in vec(expression(), 1..4)) {
        let expressions: Vec<Value> = expressions.into_iter().filter(is_a_constraint).collect();
        let constraints: Vec<Value> =
            expressions.iter().enumerate().map(|(at, expr)| constraint(&format!("k{at}"), "hard", expr.clone())).collect();
        let expression_of = |id: &Value| {
            let at: usize = id.as_str().unwrap().strip_prefix('k').unwrap().parse().unwrap();
            &expressions[at]
        };
        let outputs = outputs();
        for found in impossible(&schema, &constraints) {
            let details = &found["details"];
            let mut claims: Vec<Vec<&Value>> = Vec::new();
            match details["code"].as_str().unwrap() {
                "impossible_output" => claims.push(Vec::new()),
                "unsatisfiable_constraint" => claims.push(vec![expression_of(&found["constraintId"])]),
                _ => for conflict in details["conflicts"].as_array().unwrap() {
                    let others = conflict["with"].as_array().unwrap();
                    let mut claim = vec![expression_of(&found["constraintId"])];
                    claim.extend(others.iter().map(|other| expression_of(&other["constraintId"])));
                    claims.push(claim);
                    for (shown, id) in others.iter().map(|other| (&other["witness"], &other["constraintId"]))
                        .chain([(&details["witness"], &found["constraintId"])])
                    {
                        prop_assert!(shown.is_null() || accepted(&schema, &[expression_of(id)], core::slice::from_ref(shown)).is_some(), "{shown}");
                    }
                },
            }
            for claim in claims {
                let satisfied = accepted(&schema, &claim, &outputs);
                prop_assert!(satisfied.is_none(), "{schema} {claim:?} {satisfied:?}");
            }
        }
        // It is verified where it is found.
        witness(&schema, &expressions);
    }
}
