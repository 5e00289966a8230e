//! The JavaScript interface in its environments: Node by default, a browser with `WASM_BINDGEN_USE_BROWSER`.
#![cfg(all(target_arch = "wasm32", feature = "js"))]
#![expect(clippy::unwrap_used, reason = "tests fail by panicking, and clippy knows only `#[test]`")]

use adjudicate_core::Operation;
use adjudicate_wasm::{
    js::{Policy, call, join, operations, version},
    open_envelope::OpenEnvelope,
};
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;

const ENVELOPE: &str = adjudicate_tests::envelope! { steps: r#"["go"]"#, diff: r#"" M a.rs\n""#, };
const POLICY: &str = r#"{"policy": "house", "version": "1.2.3", "forbidden_paths": ["a.rs"]}"#;

/// Returns the code, the message and the path of an error.
fn details(thrown: JsValue) -> [String; 3] {
    #[derive(serde::Deserialize)]
    struct Details {
        code: String,
        message: String,
        path: String,
    }
    let Details { code, message, path } = serde_wasm_bindgen::from_value(thrown).unwrap();
    [code, message, path]
}

const EVALUATE: i32 = Operation::Evaluate.number();

/// The input of a call that is made of these documents.
fn joined(documents: &[(&str, &str)]) -> Result<Vec<u8>, JsValue> {
    let names = documents.iter().map(|(name, _)| (*name).to_owned()).collect();
    let lengths: Vec<_> = documents.iter().map(|(_, text)| u32::try_from(text.len()).unwrap()).collect();
    let texts: String = documents.iter().map(|(_, text)| *text).collect();
    join(names, &lengths, texts.as_bytes())
}

#[wasm_bindgen_test]
fn answers_text_with_text() {
    let answer = call(EVALUATE, ENVELOPE.as_bytes()).unwrap();
    assert!(answer.starts_with(r#"{"decision":{"status":"success","next_step":"go""#), "{answer}");
    assert!(answer.ends_with(r#""policy":null}"#), "{answer}");
}

#[wasm_bindgen_test]
fn a_policy_is_the_same_in_the_call_apart_and_parsed_before() {
    let whole = format!(r#"{{"envelope":{ENVELOPE},"policy":{POLICY}}}"#);
    let alone = format!(r#"{{"envelope":{ENVELOPE}}}"#);
    let policy = Policy::new(POLICY.as_bytes()).unwrap();
    assert_eq!(joined(&[("envelope", ENVELOPE), ("policy", POLICY)]).unwrap(), whole.as_bytes());
    for operation in [Operation::Evaluate, Operation::Refine, Operation::Explain] {
        let expected = operation.call(whole.as_bytes()).unwrap();
        assert!(expected.contains("unsafe"), "{expected}");
        assert_eq!(call(operation.number(), whole.as_bytes()).unwrap(), expected);
        for _ in 0..3 {
            assert_eq!(policy.call(operation.number(), alone.as_bytes()).unwrap(), expected);
        }
        let [code, _, path] = details(policy.call(operation.number(), whole.as_bytes()).unwrap_err());
        assert_eq!((code.as_str(), path.as_str()), ("invalid_value", "/policy"));
    }
    let checked = format!(r#"{{"policy":{POLICY}}}"#);
    assert_eq!(
        policy.call(Operation::CheckPolicy.number(), b"{}").unwrap(),
        Operation::CheckPolicy.call(checked.as_bytes()).unwrap(),
    );
}

#[wasm_bindgen_test]
fn plans_and_guardrails_are_judged_without_a_policy() {
    let policy = Policy::new(POLICY.as_bytes()).unwrap();
    for (operation, input) in [
        (
            Operation::ValidatePlan,
            r#"{"task": {"objective": "o", "outputContract": {"schema": true}},
                "plan": {"nodes": [{"nodeId": "a", "capabilityId": "A"}], "edges": []}, "capabilities": []}"#,
        ),
        (Operation::MergeDiagnostics, r#"{"diagnostics": []}"#),
        (Operation::ObserveOutput, r#"{"outputContract": {"schema": {"type": "string"}}, "output": 1}"#),
        (
            Operation::ApplyGuardrails,
            r#"{"policies": [{"id": "p", "trigger": {"kind": "manual"}, "action": {"type": "replan"}}],
                "event": {"kind": "manual"}}"#,
        ),
    ] {
        let expected = operation.call(input.as_bytes()).unwrap();
        assert_eq!(call(operation.number(), input.as_bytes()).unwrap(), expected);
        assert_eq!(policy.call(operation.number(), input.as_bytes()).unwrap(), expected);
    }
}

#[wasm_bindgen_test]
fn a_policy_says_what_it_is() {
    #[derive(serde::Deserialize)]
    struct Info {
        name: String,
        version: String,
        digest: String,
        rules: Vec<Rule>,
    }
    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Rule {
        id: String,
        status: String,
        severity: String,
        flag: Option<String>,
        blocker: Option<String>,
        summary: String,
        mode: String,
    }
    let document = r#"{"policy": "house", "version": "1.2.3", "rules": [{"id": "late", "when": true,
        "then": {"status": "blocked", "flag": "f", "summary": "s"}, "mode": "monitor"}]}"#;
    let info = Policy::new(document.as_bytes()).unwrap().info();
    let Info { name, version, digest, rules } = serde_wasm_bindgen::from_value(info).unwrap();
    assert_eq!((name.as_str(), version.as_str()), ("house", "1.2.3"));
    assert_eq!(digest, adjudicate_core::Policy::parse(document.as_bytes()).unwrap().digest());
    let text = |text: &str| text.to_owned();
    let rule = Rule {
        id: text("late"),
        status: text("blocked"),
        severity: text("medium"),
        flag: Some(text("f")),
        blocker: None,
        summary: text("s"),
        mode: text("monitor"),
    };
    assert_eq!(rules, [rule]);
}

#[wasm_bindgen_test]
fn errors_are_values_with_code_message_and_path() {
    for (input, code, path) in [
        (&b""[..], "malformed_json", ""),
        (b"\xff\xfe", "malformed_json", ""),
        (b"\x89PNG\r\n\x1a\n", "malformed_json", ""),
        (b"{\"run_id\": NaN}", "malformed_json", ""),
        (b"{\"run_id\": \"r\", \"run_id\": \"r\"}", "duplicate_key", "/run_id"),
        (b"{\"run\": 1}", "unknown_field", "/run"),
        (b"{\"run_id\": 1}", "invalid_value", "/run_id"),
        (b"{}", "missing_field", "/run_id"),
        (b"[]", "invalid_value", ""),
    ] {
        let [actual, message, at] = details(call(EVALUATE, input).unwrap_err());
        assert_eq!((actual.as_str(), at.as_str()), (code, path), "{message}");
        assert!(!message.is_empty());
    }
    let next = i32::try_from(Operation::ALL.len()).unwrap() + 1;
    for number in [i32::MIN, -1, 0, next, i32::MAX] {
        let [code, ..] = details(call(number, ENVELOPE.as_bytes()).unwrap_err());
        assert_eq!(code, "unsupported_operation");
    }
}

#[wasm_bindgen_test]
fn an_open_envelope_takes_changes() {
    let policy = Policy::new(POLICY.as_bytes()).unwrap();
    let mut open = OpenEnvelope::new(ENVELOPE.as_bytes()).unwrap();
    open.policy(&policy);
    drop(policy);
    assert!(open.evaluate().unwrap().contains("unsafe"));
    open.set("/evidence/workspace_diff_summary", br#"" M b.rs\n""#).unwrap();
    open.set("/run_id", b"1").unwrap();
    let [code, _, path] = details(open.evaluate().unwrap_err());
    assert_eq!((code.as_str(), path.as_str()), ("invalid_value", "/run_id"));
    let [code, _, path] = details(open.set("/evidence/review/issues", b"[]").unwrap_err());
    assert_eq!((code.as_str(), path.as_str()), ("missing_field", "/evidence/review"));
    let [code, _, path] = details(open.set("/run_id", b"\xff").unwrap_err());
    assert_eq!((code.as_str(), path.as_str()), ("malformed_json", "/run_id"));
    open.set("/run_id", br#""r""#).unwrap();
    open.set("/x-note", b"1.0").unwrap();
    open.remove("/x-note").unwrap();
    let expected = ENVELOPE.replace("a.rs", "b.rs");
    let answer = Policy::new(POLICY.as_bytes()).unwrap().call(EVALUATE, expected.as_bytes()).unwrap();
    assert_eq!(open.evaluate().unwrap(), answer);
}

#[wasm_bindgen_test]
fn a_document_cannot_reach_beyond_its_place() {
    let smuggled = format!(r#"{ENVELOPE}, "policy": {POLICY}"#);
    for documents in [
        [("envelope", smuggled.as_str()), ("policy", "{}")],
        [("envelope", "{}"), ("policy", "{\"policy\": ")],
        [("envelope", "{}"), ("evaluation", "")],
    ] {
        let [code, ..] = details(joined(&documents).unwrap_err());
        assert_eq!(code, "malformed_json");
    }
    let [code, message, _] = details(joined(&[("envelope", "{}"), ("policy", "null")]).unwrap_err());
    assert_eq!((code.as_str(), message.starts_with("policy: ")), ("invalid_value", true), "{message}");
    // The announced length is larger than the real one.
    let [code, ..] = details(join(vec!["envelope".into()], &[u32::MAX], b"{}").unwrap_err());
    assert_eq!(code, "malformed_json");
    assert!(Policy::new(b"{\"policy\": \"house\"}").is_err_and(|thrown| details(thrown)[2] == "/version"));
}

#[wasm_bindgen_test]
fn the_engine_says_what_it_is() {
    assert_eq!(version(), adjudicate_core::VERSION);
    let offered: Vec<(String, i32)> = serde_wasm_bindgen::from_value(operations()).unwrap();
    let all = Operation::ALL.iter().map(|operation| (operation.name().to_owned(), operation.number()));
    assert_eq!(offered, all.collect::<Vec<_>>());
}
