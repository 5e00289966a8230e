//! Laws of all schemas and all instances.

use adjudicate_lang::{Steps, codes, pattern::Regex, schema::Draft};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::schema::{compiled, found, read};

/// Small values, so that schemas and instances interact.
fn instance() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..4).prop_map(Value::from),
        (-6_i32..7).prop_map(|half| Value::from(f64::from(half) / 2.0)),
        "[ab]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[abc]{1,2}", inner), 0..4)
                .prop_map(|members| members.into_iter().collect::<Map<_, _>>().into()),
        ]
    })
}

fn schema() -> impl Strategy<Value = Value> {
    let types =
        prop::sample::select(vec!["null", "boolean", "integer", "number", "string", "array", "object"]);
    let amount = |name: &'static str| (0_u32..4).prop_map(move |amount| json!({name: amount}));
    let number = |name: &'static str| (-6_i32..7).prop_map(move |half| json!({name: f64::from(half) / 2.0}));
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        types.prop_map(|name| json!({"type": name})),
        prop::collection::vec(instance(), 0..4).prop_map(|values| json!({"enum": values})),
        instance().prop_map(|value| json!({"const": value})),
        prop::sample::select(vec![
            "minLength",
            "maxLength",
            "minItems",
            "maxItems",
            "minProperties",
            "maxProperties"
        ])
        .prop_flat_map(amount),
        prop::sample::select(vec!["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"])
            .prop_flat_map(number),
        (1_u32..4).prop_map(|half| json!({"multipleOf": f64::from(half) / 2.0})),
        prop::sample::select(vec!["^a", "b$", "^a*$", "."]).prop_map(|pattern| json!({"pattern": pattern})),
        Just(json!({"uniqueItems": true})),
        prop::sample::subsequence(vec!["a", "b", "c"], 0..3).prop_map(|names| json!({"required": names})),
        prop::sample::subsequence(vec!["a", "b", "c"], 0..3)
            .prop_map(|names| json!({"dependentRequired": {"a": names}})),
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        let one = ["not", "items", "contains", "additionalProperties", "propertyNames", "unevaluatedItems", "unevaluatedProperties"];
        let named = ["properties", "dependentSchemas", "$defs"];
        let lists = ["allOf", "anyOf", "oneOf", "prefixItems"];
        let part = prop_oneof![
            (prop::sample::select(one.to_vec()), inner.clone()).prop_map(|(word, part)| json!({word: part})),
            (prop::sample::select(named.to_vec()), prop::collection::vec(("[abc]{1,2}", inner.clone()), 0..4))
                .prop_map(|(word, parts)| json!({word: parts.into_iter().collect::<Map<_, _>>()})),
            prop::collection::vec((prop::sample::select(vec!["^a", "b", "c$"]), inner.clone()), 0..3)
                .prop_map(|parts| json!({"patternProperties": parts.into_iter().map(|(name, part)| (name.to_owned(), part)).collect::<Map<_, _>>()})),
            (prop::sample::select(lists.to_vec()), prop::collection::vec(inner.clone(), 1..4))
                .prop_map(|(word, parts)| json!({word: parts})),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(condition, then, otherwise)| json!({"if": condition, "then": then, "else": otherwise})),
            inner,
        ];
        // Several keywords in one object; of equal ones, the last stays.
        prop::collection::vec(part, 1..4).prop_map(|parts| {
            let mut all = Map::new();
            for part in parts {
                match part {
                    Value::Object(part) => all.extend(part),
                    other => return other,
                }
            }
            all.into()
        })
    })
}

fn is_valid(schema: &Value, instance: &Value) -> bool {
    found(&schema.to_string(), Draft::Draft2020, &instance.to_string()).unwrap().is_empty()
}

/// Returns the value as text, with all fields in the opposite order.
fn reversed(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(reversed).collect::<Vec<_>>().join(",")),
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| {
                format!("{}:{}", Value::from(name.as_str()), reversed(value))
            };
            format!("{{{}}}", members.iter().rev().map(member).collect::<Vec<_>>().join(","))
        }
        // The same integer in another notation.
        Value::Number(number) if number.is_i64() => format!("{number}.0"),
        other => other.to_string(),
    }
}

/// A pattern from all kinds of syntax.
fn pattern() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "a",
        "b",
        "c",
        "é",
        ".",
        "^",
        "$",
        "[a-b]",
        "[^a]",
        r"\d",
        r"\W",
        "[^é]",
        "",
        "[]",
        "(?:^a|b$)",
    ]);
    leaf.prop_map(String::from).prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
            prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| format!("(?:{})", parts.join("|"))),
            (inner, prop::sample::select(vec!["*", "+", "?", "{2}", "{0,2}", "{1,}"]))
                .prop_map(|(part, times)| format!("(?:{part}){times}")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_search_algorithms_agree(pattern in pattern(), texts in prop::collection::vec("[abcé1]{0,8}", 1..8)) {
        let steps = &mut Steps::default();
        let quick = Regex::compile(&pattern, steps).unwrap();
        // With so many characters, there are too many positions to precompute.
        let slow = Regex::compile(&format!("x{{140}}|{pattern}"), steps).unwrap();
        for text in texts {
            prop_assert_eq!(quick.matches(&text, steps), slow.matches(&text, steps), "{} {}", pattern, text);
        }
    }

    #[test]
    fn violation_paths_exist_and_results_repeat(schema in schema(), instance in instance()) {
        let texts = (schema.to_string(), instance.to_string());
        let violations = found(&texts.0, Draft::Draft2020, &texts.1).unwrap();
        prop_assert_eq!(&violations, &found(&texts.0, Draft::Draft2020, &texts.1).unwrap());
        for violation in violations {
            prop_assert!(instance.pointer(&violation.instance_path).is_some(), "{:?}", violation);
            prop_assert!(schema.pointer(&violation.schema_path).is_some(), "{:?}", violation);
            prop_assert!(violation.keyword == "false" || violation.schema_path.contains(violation.keyword));
            prop_assert!(!violation.expected.is_empty());
        }
    }

    #[test]
    fn field_order_and_number_notation_do_not_matter(schema in schema(), instance in instance()) {
        let expected = is_valid(&schema, &instance);
        let other = found(&reversed(&schema), Draft::Draft2020, &reversed(&instance)).unwrap();
        prop_assert_eq!(expected, other.is_empty());
    }

    #[test]
    fn wrapping_a_schema_keeps_its_meaning(schema in schema(), instance in instance()) {
        let expected = is_valid(&schema, &instance);
        for around in [
            json!({"allOf": [schema, true]}),
            json!({"anyOf": [false, schema]}),
            json!({"oneOf": [schema, false]}),
            json!({"not": {"not": schema}}),
            json!({"if": schema, "else": false}),
            json!({"$ref": "#/$defs/a", "$defs": {"a": schema}}),
            json!({"$dynamicRef": "#a", "$defs": {"a": {"$dynamicAnchor": "a", "allOf": [schema]}}}),
            json!({"allOf": [schema], "unevaluatedItems": true, "unevaluatedProperties": true}),
        ] {
            prop_assert_eq!(is_valid(&around, &instance), expected, "{}", around);
        }
        prop_assert_eq!(is_valid(&json!({"not": schema}), &instance), !expected);
        prop_assert_eq!(is_valid(&json!({"items": schema}), &json!([instance])), expected);
        prop_assert_eq!(is_valid(&json!({"properties": {"a": schema}}), &json!({"a": instance})), expected);
        let constant = json!({"const": instance});
        prop_assert!(is_valid(&constant, &instance));
    }

    #[test]
    fn any_schema_compiles_or_fails_with_a_path(mut schema in schema(), garbage in instance(), words in prop::collection::vec("[a-z$]{1,6}", 0..3), at in any::<prop::sample::Index>()) {
        // Replaces a random part.
        let mut places = Vec::new();
        collect(&schema, String::new(), &mut places);
        let place = at.get(&places).clone();
        if let Some(part) = schema.pointer_mut(&place) {
            *part = garbage;
        }
        if let Some(object) = schema.as_object_mut() {
            object.extend(words.into_iter().map(|word| (word, json!(1))));
        }
        for draft in [Draft::Draft7, Draft::Draft2020] {
            match compiled(&schema.to_string(), draft, &mut Steps::default()) {
                Ok(compiled) => {
                    let instance = schema.to_string();
                    prop_assert!(compiled.is_valid(read(&instance).root(), &mut Steps::default()).is_ok());
                }
                Err(error) => {
                    prop_assert_eq!(error.code(), codes::INVALID_SCHEMA);
                    prop_assert!(schema.pointer(error.path()).is_some(), "{}", error);
                }
            }
        }
    }

    #[test]
    fn any_budget_gives_the_answer_or_a_limit(schema in schema(), instance in instance(), steps in 0_u64..60) {
        let compiled = compiled(&schema.to_string(), Draft::Draft2020, &mut Steps::default()).unwrap();
        let text = instance.to_string();
        let tape = read(&text);
        let expected = compiled.is_valid(tape.root(), &mut Steps::default());
        match compiled.is_valid(tape.root(), &mut Steps::new(steps)) {
            Err(error) => prop_assert_eq!(error.code(), codes::LIMIT_EXCEEDED),
            answer => prop_assert_eq!(answer, expected),
        }
    }
}

/// Collects the pointers of all parts of a value.
fn collect(value: &Value, at: String, places: &mut Vec<String>) {
    let escaped = |name: &String| name.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| collect(item, format!("{at}/{index}"), places));
        }
        Value::Object(members) => {
            members
                .iter()
                .for_each(|(name, member)| collect(member, format!("{at}/{}", escaped(name)), places));
        }
        _ => {}
    }
    places.push(at);
}
