//! The JavaScript face, called from where it is used: Node by default, a browser with `WASM_BINDGEN_USE_BROWSER`.
#![cfg(all(target_arch = "wasm32", feature = "js"))]
#![expect(clippy::unwrap_used, reason = "tests fail by panicking, and clippy knows only `#[test]`")]

use adjudicate_wasm::js::{Policy, evaluate, evaluate_with_policy, operations, version};
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;

const ENVELOPE: &str = r#"{
    "run_id": "r", "workflow_id": "w", "step_id": "s", "evaluate_prompt": "p.v1", "allowed_next_steps": ["go"],
    "provenance_window": [], "evidence": {"transcript_summary": "", "workspace_diff_summary": " M a.rs\n",
    "validation": {"mechanical_outcome": "completed", "exit_codes": {"test": 0}, "timeouts": []}, "artifacts": [],
    "policy_events": []}}"#;
const POLICY: &str = r#"{"policy": "house", "version": "1.2.3", "forbidden_paths": ["a.rs"]}"#;

/// What an error carries.
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

#[wasm_bindgen_test]
fn evaluates_text_to_text() {
    let answer = evaluate(ENVELOPE.as_bytes()).unwrap();
    assert!(answer.starts_with(r#"{"decision":{"status":"success","next_step":"go""#), "{answer}");
    assert!(answer.ends_with(r#""policy":null}"#), "{answer}");
}

#[wasm_bindgen_test]
fn a_policy_is_the_same_in_the_call_beside_it_and_parsed_before() {
    let call = format!(r#"{{"envelope":{ENVELOPE},"policy":{POLICY}}}"#);
    let inside = evaluate(call.as_bytes()).unwrap();
    assert!(inside.starts_with(r#"{"decision":{"status":"unsafe""#), "{inside}");
    assert_eq!(evaluate_with_policy(ENVELOPE.as_bytes(), POLICY.as_bytes()).unwrap(), inside);

    let policy = Policy::new(POLICY.as_bytes()).unwrap();
    assert_eq!((policy.name(), policy.version()), ("house".into(), "1.2.3".into()));
    for _ in 0..3 {
        assert_eq!(policy.evaluate(ENVELOPE.as_bytes()).unwrap(), inside);
    }
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
        let [actual, message, at] = details(evaluate(input).unwrap_err());
        assert_eq!((actual.as_str(), at.as_str()), (code, path), "{message}");
        assert!(!message.is_empty());
    }
}

#[wasm_bindgen_test]
fn a_document_cannot_reach_beyond_its_place() {
    let smuggled = format!(r#"{ENVELOPE}, "policy": {POLICY}"#);
    let [code, ..] = details(evaluate_with_policy(smuggled.as_bytes(), b"null").unwrap_err());
    assert_eq!(code, "malformed_json");
    let [code, ..] = details(evaluate_with_policy(b"{}", b"{\"policy\": ").unwrap_err());
    assert_eq!(code, "malformed_json");
    assert!(Policy::new(b"{\"policy\": \"house\"}").is_err_and(|thrown| details(thrown)[2] == "/version"));
}

#[wasm_bindgen_test]
fn the_engine_says_what_it_is() {
    assert_eq!(version(), adjudicate_core::VERSION);
    let names: Vec<String> = serde_wasm_bindgen::from_value(operations()).unwrap();
    assert_eq!(names, ["evaluate", "refine"]);
}
