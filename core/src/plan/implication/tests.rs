use alloc::{
    format,
    string::{String, ToString as _},
};

use adjudicate_lang::{
    json::{self, ReadLimits, Tape},
    logic::Mode,
};
use proptest::{prelude::*, sample::select};

use super::*;

fn read(text: &str) -> Tape<'_> {
    json::read(text.as_bytes(), ReadLimits::DOCUMENT).unwrap()
}

fn implies(schema: &str, expression: &str) -> bool {
    let (schema, expression) = (read(schema), read(expression));
    let program = Program::compile(expression.root(), Mode::Strict, &mut Steps::for_patterns()).unwrap();
    holds(&program, schema.root(), &mut Steps::default()).unwrap()
}

/// The schema of an object with a required field `a`.
fn of_a(schema: &str) -> String {
    format!(r#"{{"type":"object","required":["a"],"properties":{{"a":{schema}}}}}"#)
}

#[test]
fn bounds_of_members_that_cannot_be_absent_imply_comparisons() {
    for (schema, expression, expected) in [
        (r#"{"type":"number","minimum":0.8}"#, r#"{">=":[{"var":"a"},0.8]}"#, true),
        (r#"{"type":"number","minimum":0.8}"#, r#"{"<=":[0.8,{"var":"a"}]}"#, true),
        (r#"{"type":"number","minimum":0.8}"#, r#"{">":[{"var":"a"},0.8]}"#, false),
        (r#"{"type":"number","minimum":0.8}"#, r#"{">=":[{"var":"a"},0.80000000000000001]}"#, true),
        (r#"{"type":"number","minimum":0.8}"#, r#"{">=":[{"var":"a"},0.8000000000000001]}"#, false),
        (r#"{"type":"number","exclusiveMinimum":0.8}"#, r#"{">":[{"var":"a"},0.8]}"#, true),
        (r#"{"type":"number","exclusiveMinimum":0,"minimum":1}"#, r#"{">=":[{"var":"a"},1]}"#, true),
        (r#"{"type":"number","exclusiveMinimum":1,"minimum":1}"#, r#"{">":[{"var":"a"},1]}"#, true),
        (r#"{"type":"integer","maximum":3}"#, r#"{"<":[{"var":"a"},4]}"#, true),
        (r#"{"type":"integer","minimum":1,"maximum":3}"#, r#"{"between":[{"var":"a"},1,3]}"#, true),
        (r#"{"type":"integer","minimum":1,"maximum":3}"#, r#"{"<":[0,{"var":"a"},3]}"#, false),
        (r#"{"type":"integer","minimum":1,"maximum":3}"#, r#"{"<":[0,{"var":"a"},4]}"#, true),
        (r#"{"type":"integer","minimum":2,"maximum":2}"#, r#"{"==":[{"var":"a"},2.0]}"#, true),
        (r#"{"type":"integer","minimum":2}"#, r#"{"!=":[{"var":"a"},1]}"#, true),
        // A numeric bound does not restrict other types.
        (r#"{"minimum":0.8}"#, r#"{">=":[{"var":"a"},0.8]}"#, false),
        (r#"{"type":["number","null"],"minimum":0.8}"#, r#"{">=":[{"var":"a"},0.8]}"#, false),
        // One draft ignores the siblings of a reference.
        (r##"{"$ref":"#/x","type":"number","minimum":0.8}"##, r#"{">=":[{"var":"a"},0.8]}"#, false),
        (r#"{"type":"array","minItems":2,"maxItems":2}"#, r#"{"==":[{"length":[{"var":"a"}]},2]}"#, true),
        (r#"{"type":"array","minItems":2}"#, r#"{"==":[{"length":[{"var":"a"}]},2]}"#, false),
        (r#"{"type":"string","minLength":1}"#, r#"{">":[{"length":[{"var":"a"}]},0]}"#, true),
        (r#"{"type":"array","minLength":1}"#, r#"{">":[{"length":[{"var":"a"}]},0]}"#, false),
        (r#"{"type":"object"}"#, r#"{">=":[{"length":{"var":"a"}},0]}"#, true),
        (r#"{"enum":["x","y"]}"#, r#"{"in":[{"var":"a"},["x","y","z"]]}"#, true),
        (r#"{"enum":["x","y"]}"#, r#"{"in":[{"var":"a"},["x","z"]]}"#, false),
        (r#"{"enum":[]}"#, r#"{"in":[{"var":"a"},["x"]]}"#, false),
        (r#"{"enum":["ab","ac"]}"#, r#"{"starts_with":[{"var":"a"},"a"]}"#, true),
        (r#"{"enum":[true]}"#, r#"{"var":"a"}"#, true),
        (r#"{"const":false}"#, r#"{"!":[{"var":"a"}]}"#, true),
        (r#"{"const":"x","enum":["x","y"]}"#, r#"{"==":[{"var":"a"},"x"]}"#, true),
        (r#"{"const":[1,2]}"#, r#"{"all":[{"var":"a"},{">":[{"var":""},0]}]}"#, true),
        // A type error at run time is no truth.
        (r#"{"enum":[3,"x"]}"#, r#"{">":[{"var":"a"},2]}"#, false),
        (r#"{"type":"string"}"#, r#"{"!=":[{"var":"a"},null]}"#, true),
        (r#"{"type":["string","null"]}"#, r#"{"!=":[null,{"var":"a"}]}"#, false),
        (r#"{"type":["string","number"]}"#, r#"{"!=":[null,{"var":"a"}]}"#, true),
        (r#"{"type":"text"}"#, r#"{"!=":[{"var":"a"},null]}"#, false),
        (r#"{}"#, r#"{"!=":[{"var":"a"},null]}"#, false),
        (r#"{}"#, r#"{"==":[{"length":[{"missing":["a"]}]},0]}"#, true),
        (r#"{}"#, r#"{"==":[{"length":[{"missing":["a","b"]}]},0]}"#, false),
        (
            r#"{"type":"number","minimum":1}"#,
            r#"{"and":[{">":[{"var":"a"},0]},{">=":[{"var":"a"},1]}]}"#,
            true,
        ),
        (
            r#"{"type":"number","minimum":1}"#,
            r#"{"and":[{">":[{"var":"a"},0]},{">":[{"var":"a"},1]}]}"#,
            false,
        ),
        (
            r#"{"type":"number","minimum":1}"#,
            r#"{"or":[{">":[{"var":"b"},0]},{">":[{"var":"a"},0]}]}"#,
            false,
        ),
        (r#"{"type":"number","minimum":1}"#, r#"{"or":[{">":[{"var":"a"},0]},{">":[{"var":"b"},0]}]}"#, true),
        (r#"{"enum":[1,5]}"#, r#"{"or":[{">":[{"var":"a"},4]},{"<":[{"var":"a"},2]}]}"#, true),
        (r#"{"type":"number","minimum":1}"#, r#"{">":[{"var":["a",0]},0]}"#, false),
        (r#"{"type":"number","minimum":1}"#, r#"{">":[{"var":"b"},0]}"#, false),
        (r#"{"type":"number","minimum":1}"#, r#"{">":[{"+":[{"var":"a"},1]},0]}"#, false),
    ] {
        assert_eq!(implies(&of_a(schema), expression), expected, "{schema} {expression}");
    }
}

#[test]
fn optional_paths_imply_nothing() {
    let leaf = r#"{"type":"number","minimum":1}"#;
    let expression = r#"{">=":[{"var":"a.b"},1]}"#;
    assert!(implies(&of_a(&of_a(leaf).replace("\"a\"", "\"b\"")), expression));
    for schema in [
        format!(
            r#"{{"type":"object","required":["a"],"properties":{{"a":{{"type":"object","properties":{{"b":{leaf}}}}}}}}}"#
        ),
        format!(
            r#"{{"type":"object","required":["a"],"properties":{{"a":{{"required":["b"],"properties":{{"b":{leaf}}}}}}}}}"#
        ),
        format!(
            r#"{{"type":"object","properties":{{"a":{{"type":"object","required":["b"],"properties":{{"b":{leaf}}}}}}}}}"#
        ),
        format!(
            r#"{{"required":["a"],"properties":{{"a":{{"type":"object","required":["b"],"properties":{{"b":{leaf}}}}}}}}}"#
        ),
        "true".to_string(),
    ] {
        assert!(!implies(&schema, expression), "{schema}");
    }
}

/// Returns true if a schema of [`any_leaf`] allows a value.
fn allows(schema: &serde_json::Value, value: &serde_json::Value) -> bool {
    let number = |name: &str| schema.get(name).and_then(serde_json::Value::as_f64);
    let types = match schema.get("type") {
        Some(serde_json::Value::Array(types)) => types.clone(),
        Some(one) => alloc::vec![one.clone()],
        None => alloc::vec!["number".into(), "string".into(), "null".into(), "boolean".into()],
    };
    let is_of = |name: &serde_json::Value| match name.as_str().unwrap() {
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|value| value.fract() == 0.0),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        _ => value.is_null(),
    };
    let ordered = value.as_f64().is_none_or(|value| {
        number("minimum").is_none_or(|least| value >= least)
            && number("maximum").is_none_or(|most| value <= most)
            && number("exclusiveMinimum").is_none_or(|least| value > least)
            && number("exclusiveMaximum").is_none_or(|most| value < most)
    });
    let long = value.as_str().is_none_or(|text| {
        number("minLength").is_none_or(|least| text.len() as f64 >= least)
            && number("maxLength").is_none_or(|most| text.len() as f64 <= most)
    });
    let listed =
        schema.get("enum").and_then(serde_json::Value::as_array).is_none_or(|list| list.contains(value));
    types.iter().any(is_of) && ordered && long && listed
}

fn any_leaf() -> impl Strategy<Value = serde_json::Value> {
    let types = select(alloc::vec![
        r#""number""#,
        r#""integer""#,
        r#""string""#,
        r#"["number","null"]"#,
        r#"["string","boolean"]"#,
    ]);
    let bounds = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength"];
    let bounds = proptest::collection::vec((select(bounds.to_vec()), 0_u8..4), 0..4);
    let list = select(alloc::vec!["[1,2]", r#"["x",1]"#, r#"["","xx"]"#, "[null,2.5]"]);
    (proptest::option::of(types), bounds, proptest::option::weighted(0.3, list)).prop_map(
        |(types, bounds, list)| {
            let mut schema = serde_json::Map::new();
            schema.extend(types.map(|types| ("type".to_string(), serde_json::from_str(types).unwrap())));
            schema.extend(bounds.into_iter().map(|(name, bound)| (name.to_string(), bound.into())));
            schema.extend(list.map(|list| ("enum".to_string(), serde_json::from_str(list).unwrap())));
            schema.into()
        },
    )
}

fn any_comparison() -> impl Strategy<Value = String> {
    let operator = select(alloc::vec!["<", "<=", ">", ">=", "==", "!="]);
    let left = select(alloc::vec![r#"{"var":"a"}"#, r#"{"length":[{"var":"a"}]}"#]);
    let right = select(alloc::vec!["0", "1", "1.5", "2", "3", r#""x""#, "null"]);
    (operator, left, right, any::<bool>()).prop_map(|(operator, left, right, swapped)| match swapped {
        true => format!(r#"{{"{operator}":[{right},{left}]}}"#),
        false => format!(r#"{{"{operator}":[{left},{right}]}}"#),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

    /// If a schema implies an expression, the expression holds for everything that the schema allows.
    #[test]
    fn implied_comparisons_hold(leaf in any_leaf(), one in any_comparison(), other in any_comparison(), joined in 0..3) {
        let expression = match joined {
            0 => one,
            1 => format!(r#"{{"and":[{one},{other}]}}"#),
            _ => format!(r#"{{"or":[{one},{other}]}}"#),
        };
        let tape = read(&expression);
        let Ok(program) = Program::compile(tape.root(), Mode::Strict, &mut Steps::for_patterns()) else { return Ok(()) };
        if !implies(&of_a(&leaf.to_string()), &expression) {
            return Ok(());
        }
        for value in ["-1", "0", "0.5", "1", "1.5", "2", "2.5", "3", "4", r#""""#, r#""x""#, r#""xx""#, r#""xxxx""#, "null", "true"] {
            let value: serde_json::Value = serde_json::from_str(value).unwrap();
            if !allows(&leaf, &value) {
                continue;
            }
            let data = format!(r#"{{"a":{value}}}"#);
            let held = program.holds(&read(&data).root(), &mut Steps::default());
            prop_assert!(matches!(held, Ok(Some(true))), "{leaf} {expression} {value}");
        }
    }
}
