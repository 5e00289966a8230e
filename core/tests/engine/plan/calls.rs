//! Calls of `validate_plan` to start from, and what their answers say, in short.

use adjudicate_core::plan::validate_text;
use serde_json::{Value, json};

/// Two nodes, `brief` and `write`, that give all that the task asks for.
pub(crate) fn small() -> Value {
    json!({
        "task": {
            "objective": "a post",
            "inputs": {"topic": "tea"},
            "outputContract": {
                "schema": {
                    "type": "object",
                    "required": ["copy"],
                    "properties": {"copy": {}, "outline": {}}
                }
            }
        },
        "plan": {
            "nodes": [
                {"nodeId": "brief", "capabilityId": "Briefer"},
                {"nodeId": "write", "capabilityId": "Writer"}
            ],
            "edges": [{"from": "brief", "to": "write"}]
        },
        "capabilities": [
            {"capabilityId": "Briefer", "inputFacets": ["topic"], "outputFacets": ["outline"]},
            {"capabilityId": "Writer", "inputFacets": ["outline"], "outputFacets": ["copy"]},
            {"capabilityId": "Reviewer", "kind": "validation", "inputFacets": ["copy"], "outputFacets": ["review"]}
        ]
    })
}

/// The same with some fields set; `-` stands for the end of a list.
pub(crate) fn with(patches: &[(&str, Value)]) -> Value {
    patched(small(), patches)
}

#[expect(clippy::unwrap_used, clippy::panic, reason = "the tests write these pointers")]
pub(crate) fn patched(mut call: Value, patches: &[(&str, Value)]) -> Value {
    for (pointer, value) in patches {
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        match call.pointer_mut(parent).unwrap_or_else(|| panic!("{pointer}")) {
            Value::Array(items) if name == "-" => items.push(value.clone()),
            Value::Array(items) => *items.get_mut(name.parse::<usize>().unwrap()).unwrap() = value.clone(),
            Value::Object(members) => {
                members.insert(name.into(), value.clone());
            }
            other => panic!("{pointer} leads into {other}"),
        }
    }
    call
}

#[expect(clippy::unwrap_used, reason = "the tests make calls that have answers")]
pub(crate) fn validate(call: &Value) -> Value {
    serde_json::from_str(&validate_text(call.to_string().as_bytes()).unwrap()).unwrap()
}

/// The code and path of the error that a call ends in.
#[expect(clippy::unwrap_used, reason = "the tests make calls that have none")]
pub(crate) fn refusal(call: &Value) -> (&'static str, String) {
    let error = validate_text(call.to_string().as_bytes()).unwrap_err();
    (error.code().as_str(), error.path().into())
}

/// All that is in the buckets of an answer, in order.
#[expect(clippy::indexing_slicing, reason = "a `Value` indexes to null")]
pub(crate) fn diagnostics(answer: &Value) -> Vec<&Value> {
    let buckets = ["failures", "warnings", "infos"].map(|bucket| &answer["payload"][bucket]);
    buckets.into_iter().filter_map(Value::as_array).flatten().collect()
}

/// Each diagnostic as `severity code subject`, the subject being the constraint, else the node.
#[expect(clippy::indexing_slicing, reason = "a `Value` indexes to null")]
pub(crate) fn findings(answer: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    diagnostics(answer)
        .into_iter()
        .map(|one| {
            let subject = text(&one["constraintId"]).or_else(|| text(&one["nodeId"]));
            let words = [text(&one["severity"]), text(&one["details"]["code"]), subject];
            words.into_iter().flatten().collect::<Vec<_>>().join(" ")
        })
        .collect()
}

/// All lines of suggestions, in order.
pub(crate) fn suggestions(answer: &Value) -> Vec<String> {
    let lines = |one: &&Value| one["suggestion"].as_str().unwrap_or_default().to_owned();
    diagnostics(answer)
        .iter()
        .flat_map(|one| lines(one).lines().map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

/// The name of a case, the changes to the call, and the expected findings.
pub(crate) type Row<'r> = (&'r str, &'r [(&'r str, Value)], &'r [&'r str]);

#[expect(clippy::indexing_slicing, reason = "a `Value` indexes to null")]
pub(crate) fn check(rows: &[Row<'_>]) {
    for (name, patches, expected) in rows {
        let answer = validate(&with(patches));
        assert_eq!(findings(&answer), *expected, "{name}");
        let is_rejected = expected.iter().any(|finding| finding.starts_with("hard"));
        let event = if is_rejected { "plan_rejected" } else { "plan_generated" };
        assert_eq!(answer["event"], event, "{name}");
        for one in diagnostics(&answer) {
            assert_ne!(one["status"], "satisfied", "{name}");
        }
    }
}

pub(crate) fn constraint(id: &str, level: &str, expr: Value) -> Value {
    json!({"constraintId": id, "expr": expr, "level": level})
}

pub(crate) fn nodes(ids: &[&str]) -> Value {
    ids.iter().map(|id| json!({"nodeId": id, "capabilityId": "Writer", "inputFacets": []})).collect()
}

pub(crate) fn edges(pairs: &[(&str, &str)]) -> Value {
    pairs.iter().map(|(from, to)| json!({"from": from, "to": to})).collect()
}
