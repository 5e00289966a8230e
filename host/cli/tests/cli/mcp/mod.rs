//! `adjudicate mcp` and `adjudicate serve --mcp`, as a host of tools speaks with them. `tests/mcp/client.py` does so with the official client.

mod http;
mod runs;

use std::collections::BTreeMap;

use adjudicate_core::{Operation, schema::check_text};
use serde_json::{Value, json};

use crate::command::{ENVELOPE, POLICY, Run, TestFolder, answer_by_policy};

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":"start","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;

const OPERATIONS: [Operation; 5] = [
    Operation::Evaluate,
    Operation::Explain,
    Operation::CheckPolicy,
    Operation::ValidatePlan,
    Operation::Deliberate,
];

/// Returns a call of a tool. The arguments stay as they are written.
fn call(id: u32, tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
    )
}

/// Returns the call of an operation with a smallest good input.
fn example(operation: Operation) -> String {
    match operation {
        Operation::Evaluate | Operation::Explain => format!(r#"{{"envelope":{ENVELOPE}}}"#),
        other => other.example().to_owned(),
    }
}

fn lines(messages: &[String]) -> Vec<u8> {
    let lines = [INITIALIZE.to_owned()].into_iter().chain(messages.iter().cloned());
    lines.map(|line| line + "\n").collect::<String>().into_bytes()
}

/// Returns the replies of a run by their ids, and those without an id in order. Each line is a message.
fn replies(run: &Run) -> (BTreeMap<String, Value>, Vec<Value>) {
    let (mut by_id, mut others) = (BTreeMap::new(), Vec::new());
    for line in run.stdout.lines() {
        let message: Value = serde_json::from_str(line).unwrap();
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        match &message["id"] {
            Value::Null => others.push(message),
            id => assert_eq!(by_id.insert(id.to_string(), message.clone()), None, "{line}"),
        }
    }
    (by_id, others)
}

/// Returns the replies to messages, in their order. Their ids are 1, 2, ...
fn session(place: &TestFolder, arguments: &[&str], messages: &[String]) -> Vec<Value> {
    let run = place.run_with(&[&["mcp"], arguments].concat(), &lines(messages));
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    let (mut by_id, others) = replies(&run);
    assert_eq!(others, [Value::Null; 0]);
    assert_eq!(by_id.remove("\"start\"").unwrap()["result"]["serverInfo"]["name"], "adjudicate");
    (1..=messages.len()).map(|id| by_id.remove(&id.to_string()).unwrap()).collect()
}

/// Returns whether two values are equal. The numbers 0 and 0.0 are.
fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| is_same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.keys().eq(right.keys())
                && left.values().zip(right.values()).all(|(left, right)| is_same(left, right))
        }
        _ => left == right,
    }
}

/// Returns the text of a result, which is the same as its structured content, and whether it is an error.
fn result(reply: &Value) -> (&str, bool) {
    let result = &reply["result"];
    let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{reply}"));
    assert!(is_same(&result["structuredContent"], &serde_json::from_str(text).unwrap()), "{reply}");
    (text, result["isError"].as_bool().unwrap())
}

/// Returns the code and the path of an error.
fn error(reply: &Value) -> (&str, &str) {
    assert!(result(reply).1, "{reply}");
    let error = &reply["result"]["structuredContent"]["error"];
    (error["code"].as_str().unwrap(), error["path"].as_str().unwrap())
}

fn tools(place: &TestFolder, arguments: &[&str]) -> Vec<Value> {
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.to_owned();
    session(place, arguments, &[list])[0]["result"]["tools"].as_array().unwrap().clone()
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

fn is_valid(schema: &Value, instance: &Value) -> bool {
    let call = json!({"schema": schema, "instance": instance, "draft": "2020-12"}).to_string();
    check_text(call.as_bytes()).unwrap().starts_with(r#"{"valid":true"#)
}

/// Returns the references of a schema.
fn references(schema: &Value) -> Vec<&str> {
    match schema {
        Value::Object(fields) => {
            let here = fields.get("$ref").and_then(Value::as_str);
            here.into_iter().chain(fields.values().flat_map(references)).collect()
        }
        Value::Array(items) => items.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn tools_have_the_schemas_of_documents_as_objects() {
    let tools = tools(&TestFolder::new(), &[]);
    assert_eq!(names(&tools), ["run", "evaluate", "explain", "check_policy", "validate_plan", "deliberate"]);
    for tool in &tools {
        assert_eq!(tool["annotations"]["readOnlyHint"], tool["name"] != "run");
        for schema in [&tool["inputSchema"], &tool["outputSchema"]] {
            assert_eq!(schema["type"], "object");
            for reference in references(schema) {
                let name = reference.strip_prefix("#/$defs/").unwrap();
                assert!(schema["$defs"][name].is_object(), "{reference}");
            }
        }
        assert!(tool["inputSchema"]["properties"].is_object(), "{tool}");
        assert!(!is_valid(&tool["inputSchema"], &json!({"unknown": 1})));
        assert!(!is_valid(&tool["outputSchema"], &json!({})));
    }
}

#[test]
fn each_tool_answers_as_the_engine_does_and_refuses_with_code_and_path() {
    let place = TestFolder::new();
    let tools = tools(&place, &[]);
    let mut messages = Vec::new();
    for operation in OPERATIONS {
        for arguments in [example(operation), r#"{"unknown":1}"#.to_owned()] {
            messages.push(call(messages.len() as u32 + 1, operation.name(), &arguments));
        }
    }
    let replies = session(&place, &[], &messages);
    for (operation, replies) in OPERATIONS.into_iter().zip(replies.chunks(2)) {
        let schemas = tools.iter().find(|tool| tool["name"] == operation.name()).unwrap();
        let arguments = serde_json::from_str(&example(operation)).unwrap();
        assert!(is_valid(&schemas["inputSchema"], &arguments));
        let answer = operation.call(example(operation).as_bytes()).unwrap();
        assert_eq!(result(&replies[0]), (answer.as_str(), false));
        let refused = operation.call(br#"{"unknown":1}"#).unwrap_err();
        assert_eq!(result(&replies[1]), (refused.to_json().as_str(), true));
        assert_eq!(error(&replies[1]), (refused.code().as_str(), refused.path()));
        for reply in replies {
            assert!(is_valid(&schemas["outputSchema"], &reply["result"]["structuredContent"]), "{reply}");
        }
    }
}

/// A parser between client and engine would keep one of two fields, round numbers and have limits of its own.
#[test]
fn the_engine_reads_arguments_as_they_are_written() {
    let place = TestFolder::new();
    let repeated = r#"{"turns":[],"turns":[]}"#;
    let precise =
        r#"{"policy":{"policy":"a","version":"1.0.0","parameters":{"x-limit":0.12345678901234567890123}}}"#;
    let deep = "[".repeat(200) + &"]".repeat(200);
    let escaped = format!(r#"{{"\u0065nvelope":{ENVELOPE}}}"#);
    let replies = session(
        &place,
        &[],
        &[
            call(1, "deliberate", repeated),
            call(2, "check_policy", precise),
            call(3, "evaluate", &escaped),
            r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"deliberate"}}"#.to_owned(),
            call(5, "deliberate", &deep),
            call(6, "deliberate", r#"{"turns":1e400}"#),
            call(7, "deliberate", r#"{"turns":nothing}"#),
        ],
    );
    assert_eq!(error(&replies[0]), ("duplicate_key", "/turns"));
    assert_eq!(error(&replies[4]).0, "limit_exceeded");
    assert_eq!(error(&replies[6]).0, "malformed_json");
    let answer = |operation: Operation, input: &str| match operation.call(input.as_bytes()) {
        Ok(answer) => (answer, false),
        Err(error) => (error.to_json(), true),
    };
    for (reply, operation, input) in [
        (&replies[1], Operation::CheckPolicy, precise),
        (&replies[2], Operation::Evaluate, &escaped),
        (&replies[3], Operation::Deliberate, "{}"),
        (&replies[4], Operation::Deliberate, &deep),
        (&replies[5], Operation::Deliberate, r#"{"turns":1e400}"#),
    ] {
        let (text, is_error) = result(reply);
        assert_eq!((text.to_owned(), is_error), answer(operation, input));
    }
}

#[test]
fn a_policy_of_the_command_decides_and_no_call_replaces_it() {
    let place = TestFolder::new();
    place.file("policy.json", POLICY);
    let call_with_policy = format!(r#"{{"envelope":{ENVELOPE},"policy":{POLICY}}}"#);
    let messages = [
        call(1, "evaluate", &example(Operation::Evaluate)),
        call(2, "evaluate", &call_with_policy),
        call(3, "explain", &call_with_policy),
        call(4, "check_policy", &format!(r#"{{"policy":{POLICY}}}"#)),
    ];
    let replies = session(&place, &["--policy", "policy.json"], &messages);
    assert_eq!(result(&replies[0]), (answer_by_policy().as_str(), false));
    assert_eq!(error(&replies[1]), ("invalid_value", "/policy"));
    assert_eq!(error(&replies[2]), ("invalid_value", "/policy"));
    assert!(!result(&replies[3]).1);
    assert_eq!(place.run(&["mcp", "--policy", "-"]).code(), "wrong_usage");
    assert_eq!(place.run(&["mcp", "--policy", "none.json"]).code(), "unreadable_input");
}

#[test]
fn a_list_of_tools_is_all_that_is_offered() {
    let place = TestFolder::new();
    let options = ["--tool", "deliberate", "--tool", "explain"];
    assert_eq!(names(&tools(&place, &options)), ["deliberate", "explain"]);
    let replies = session(&place, &options, &[call(1, "run", "{}"), call(2, "deliberate", "{}")]);
    assert_eq!(replies[0]["error"]["code"], -32602);
    let message = "unknown tool `run`; the tools are deliberate, explain";
    assert_eq!(replies[0]["error"]["message"], message);
    assert!(!result(&replies[1]).1);
    assert_eq!(place.run(&["mcp", "--tool", "refine"]).code(), "wrong_usage");
}

/// A client that sends such lines still gets answers to its other calls.
#[test]
fn a_line_that_is_no_message_is_refused_alone() {
    let place = TestFolder::new();
    let long = format!(r#"{{"turns":"{}"}}"#, "x".repeat(9 << 20));
    let mut input = lines(&[
        "not JSON".to_owned(),
        String::new(),
        "[]".to_owned(),
        r#"{"a":1}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"a":1e400}}"#.to_owned(),
        call(2, "deliberate", "{"),
        call(3, "deliberate", &long),
    ]);
    input.extend(b"\xff\n\xef\xbb\xbf");
    input.extend(call(4, "deliberate", "{}").bytes());
    let run = place.run_with(&["mcp"], &input);
    let (by_id, others) = replies(&run);
    let codes = |replies: &[Value]| -> Vec<Value> {
        replies.iter().map(|reply| reply["error"]["code"].clone()).collect()
    };
    assert_eq!(codes(&others), [-32700, -32600, -32600, -32600, -32600, -32700]);
    assert_eq!(codes(&[by_id["1"].clone(), by_id["2"].clone()]), [-32700, -32700]);
    assert!(!by_id.contains_key("3") && !result(&by_id["4"]).1);
    assert_eq!((run.status, run.stderr.lines().count()), (Some(0), 8), "{}", run.stderr);
}

#[test]
fn a_session_begins_with_initialize() {
    let place = TestFolder::new();
    let run = place
        .run_with(&["mcp"], b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{}}\n");
    assert_eq!((run.code().as_str(), run.status), ("invalid_value", Some(2)));
    let run = place.run(&["mcp"]);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str(), run.status), ("", "", Some(0)));
}
