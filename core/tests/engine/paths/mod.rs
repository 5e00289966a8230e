//! Changed paths under the path lists of a policy, from outside: a table that follows docs/reference/text-formats.md sentence by
//! sentence, a model that expands directories, and laws.

mod diffs;
mod laws;
mod outside;
mod table;

use adjudicate_core::Operation;
use serde_json::{Value, json};

use crate::call;

/// A changed file in a typed diff.
fn file(path: &str, change: &str) -> Value {
    json!({"path": path, "change": change})
}

/// An envelope in which all is well, with a typed diff.
fn envelope(files: &[Value]) -> Value {
    let mut envelope = summarized("");
    envelope["evidence"]["diff"] = json!({"files": files});
    envelope
}

/// An envelope in which all is well, with a summary.
fn summarized(summary: &str) -> Value {
    let envelope = adjudicate_tests::envelope! { steps: r#"["publish","fix","gate","rollback","STOP"]"#, };
    let mut envelope: Value = serde_json::from_str(envelope).unwrap();
    envelope["evidence"]["workspace_diff_summary"] = summary.into();
    envelope
}

/// A policy with some fields.
fn policy(members: &Value) -> Value {
    let mut policy = json!({"policy": "paths", "version": "1.0.0"});
    for (name, value) in members.as_object().unwrap() {
        policy[name] = value.clone();
    }
    policy
}

fn evaluate(envelope: &Value, policy: &Value) -> Value {
    call(Operation::Evaluate, envelope, policy).unwrap_or_else(|error| panic!("{error}: {envelope} {policy}"))
}

fn status(answer: &Value) -> &str {
    answer["decision"]["status"].as_str().unwrap()
}

/// The rules that found something, with what each is about.
fn findings(answer: &Value) -> Vec<(&str, &str)> {
    let findings = answer["findings"].as_array().unwrap().iter();
    findings
        .map(|finding| (finding["rule"].as_str().unwrap(), finding["evidence_ref"].as_str().unwrap()))
        .collect()
}
