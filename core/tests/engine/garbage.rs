//! Garbage in the place of each value of a call: an answer, or an error that leads to the garbage.

use adjudicate_core::Operation;
use adjudicate_tests::parity::{expected, is_error, read_of};
use serde_json::{Value, json};

/// The number of calls of each operation: those with the most values that are not too many.
const CALLS: usize = 6;
const MOST_VALUES: usize = 150;

/// Adds pointers to all parts of a value.
pub(crate) fn pointers(value: &Value, at: &str, all: &mut Vec<String>) {
    let mut part = |name: &str, value| {
        let at = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
        all.push(at.clone());
        pointers(value, &at, all);
    };
    match value {
        Value::Array(items) => (0..).zip(items).for_each(|(at, item): (u32, _)| part(&at.to_string(), item)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| part(name, value)),
        _ => {}
    }
}

/// Values that few fields allow.
pub(crate) fn garbage() -> [Value; 12] {
    [
        json!(null),
        json!(true),
        json!(-1),
        json!(1.5),
        json!(u64::MAX),
        json!(""),
        json!("\u{0}?\u{1F600}"),
        json!([]),
        json!([[]]),
        json!({}),
        json!({"": 1}),
        json!({"x-y": {"x-z": null}}),
    ]
}

#[test]
fn garbage_is_answered_or_refused_where_it_is() {
    let garbage = garbage();
    for operation in Operation::ALL {
        let answered = read_of(*operation).into_iter().filter(|fixture| !is_error(expected(fixture)));
        let mut calls: Vec<(Value, Vec<String>)> = answered
            .filter_map(|fixture| {
                // Some calls are nested deeper than this reader goes.
                let (call, mut all) = (serde_json::from_slice(&fixture.call).ok()?, Vec::new());
                pointers(&call, "", &mut all);
                Some((call, all))
            })
            .collect();
        calls.retain(|(_, all)| all.len() <= MOST_VALUES);
        calls.sort_by_key(|(_, all)| std::cmp::Reverse(all.len()));
        let (mut refused, mut elsewhere) = (0, 0);
        for (call, all) in &calls[..CALLS] {
            for (pointer, value) in all.iter().flat_map(|at| garbage.iter().map(move |value| (at, value))) {
                let mut call = call.clone();
                *call.pointer_mut(pointer).unwrap() = value.clone();
                let Err(error) = operation.call(call.to_string().as_bytes()) else { continue };
                // A path is one of the call or of one of its documents. A missing field has a parent that is there.
                let documents = operation.documents().iter().map(|name| format!("/{name}"));
                let mut paths: Vec<String> =
                    documents.chain([String::new()]).map(|place| place + error.path()).collect();
                paths.retain(|path| {
                    path.rsplit_once('/').is_some_and(|(parent, _)| call.pointer(parent).is_some())
                });
                assert!(!paths.is_empty(), "{value} at {pointer}: {error}");
                refused += 1;
                elsewhere += usize::from(!paths.iter().any(|path| path.starts_with(pointer)));
            }
        }
        // A few errors are at a field that no longer agrees with the garbage.
        let name = operation.name();
        assert!(refused > 300 && elsewhere * 4 < refused, "{name}: {refused} refused, {elsewhere} elsewhere");
    }
}
