//! Schemas and the readers of the same types agree, over documents with one mistake.

use adjudicate_core::{
    Operation,
    evaluate::Envelope,
    ir::replay::Receipt,
    json::{self, ReadLimits},
    policy::PolicyDocument,
};
use adjudicate_tests::Fixture;
use serde_json::{Value, json};

use super::{Schemas, visit};
use crate::policies::suite::Suite;

/// The values that replace each value.
fn wrong() -> [Value; 12] {
    [
        Value::Null,
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(u64::MAX),
        json!(""),
        json!("."),
        json!("a.v1"),
        json!([]),
        json!([""]),
        json!({}),
    ]
}

/// Each document that differs from this one in one place.
fn mistakes(document: &Value) -> Vec<Value> {
    let mut pointers = Vec::new();
    visit(document, String::new(), &mut |path, object| {
        let names = object.as_object().expect("an object").keys();
        pointers.extend(names.map(|name| (path.to_owned(), name.clone())));
    });
    let mut documents = Vec::new();
    for (path, name) in pointers {
        let mut change = |change: &dyn Fn(&mut serde_json::Map<String, Value>)| {
            let mut copy = document.clone();
            let object = copy.pointer_mut(&path).and_then(Value::as_object_mut).expect("it was there");
            change(object);
            documents.push(copy);
        };
        change(&|object| drop(object.remove(&name)));
        change(&|object| drop(object.insert("unknown".into(), Value::Null)));
        change(&|object| drop(object.insert("x-note".into(), Value::Null)));
        for value in wrong() {
            change(&|object| drop(object.insert(name.clone(), value.clone())));
        }
    }
    documents
}

/// Asserts that a schema and a reader agree on each mistake, unless only the reader can know. At least `least` mistakes are
/// refused, and at least 50 are accepted.
fn assert_agree(schema: &str, document: &Value, least: usize, read: fn(&[u8]) -> Result<(), String>) {
    let schema = Schemas::read().compile(schema);
    let (mut refused, mut accepted) = (0, 0);
    for document in mistakes(document) {
        let text = document.to_string();
        let tape = json::read(text.as_bytes(), ReadLimits::DOCUMENT).expect("it is JSON");
        let faults = schema.faults(tape.root());
        match read(text.as_bytes()) {
            Ok(()) => {
                accepted += 1;
                assert!(faults.is_empty(), "the reader accepts what the schema refuses: {faults:?}\n{text}");
            }
            Err(error) => {
                refused += 1;
                assert!(!faults.is_empty(), "the schema accepts what the reader refuses: {error}\n{text}");
            }
        }
    }
    assert!(refused >= least && accepted >= 50, "{refused} refused, {accepted} accepted");
}

#[test]
fn the_schema_of_envelopes_agrees_with_their_reader() {
    let fixture = Fixture::read(Operation::Evaluate, "clash-everything-at-once").expect("it is there");
    let call: Value = serde_json::from_slice(&fixture.call).expect("it is JSON");
    assert_agree("envelope", &call["envelope"], 500, |text| {
        let tape = json::read(text, ReadLimits::DOCUMENT).expect("it is JSON");
        Envelope::from_tape(&tape).map(drop).map_err(|error| error.to_json())
    });
}

#[test]
fn the_schema_of_policies_agrees_with_their_reader() {
    let suite = Suite::all().into_iter().find(|suite| suite.name == "release-gate").expect("it is there");
    let mut policy: Value = serde_json::from_str(&suite.document.to_text()).expect("it is JSON");
    let object = policy.as_object_mut().expect("an object");
    // The reader of the document leaves conditions to the compiler.
    object["rules"].as_array_mut().expect("rules").iter_mut().for_each(|rule| rule["when"] = json!(true));
    assert_agree("policy", &policy, 500, |text| {
        let tape = json::read(text, ReadLimits::DOCUMENT).expect("it is JSON");
        let read = PolicyDocument::from_tape(&tape).map(drop);
        let compiled = read.and_then(|()| adjudicate_core::Policy::parse(text).map(drop));
        compiled.map_err(|error| error.to_json())
    });
}

#[test]
fn the_schema_of_receipts_agrees_with_their_reader() {
    let receipt = json!({
        "plan_hash": "sha256:00",
        "verification_delta": 3,
        "verification": {"verification_delta": 3, "tool": "cargo-test"},
        "tool_calls": [{"id": "1", "step_id": "fix"}],
    });
    assert_agree("receipt", &receipt, 50, read_receipt);
}

fn read_receipt(text: &[u8]) -> Result<(), String> {
    let tape = json::read(text, ReadLimits::DOCUMENT).expect("it is JSON");
    Receipt::read(tape.root()).map(drop).map_err(|error| error.to_json())
}

/// The engine's own validator cannot show this: beyond 64 bits, numbers have the value of their float.
#[test]
fn bounds_beyond_64_bits_are_those_of_the_reader() {
    let schemas = Schemas::read();
    for (name, text) in schemas.all() {
        let bounds = text
            .lines()
            .map(str::trim)
            .filter(|line| line.starts_with("\"minimum\"") || line.starts_with("\"maximum\""));
        for line in bounds {
            let (_, bound) = line.trim_end_matches(',').split_once(": ").expect("a field");
            let bound: i128 = bound.parse().unwrap_or_else(|_| panic!("{name}: {line}"));
            if bound < i64::MIN.into() {
                let [least, less] =
                    [bound, bound - 1].map(|delta| format!(r#"{{"verification_delta": {delta}}}"#));
                assert_eq!(read_receipt(least.as_bytes()), Ok(()), "{name}");
                assert!(read_receipt(less.as_bytes()).is_err(), "{name}");
            }
        }
    }
}
