//! Replays: the codes of the corpus, laws on random sessions, hostile logs, and the contract.

mod hostile;
mod laws;
mod session;

use adjudicate_core::{
    Error, Operation, codes,
    ir::replay::{ReplayCode, check_replay, verify_replay_text},
    json::{self, ReadLimits},
};
use adjudicate_tests::parity::{expected, read_of};
use serde_json::Value;

/// The answer to a call.
fn verify(call: &str) -> Result<String, Error> {
    verify_replay_text(json::read(call.as_bytes(), ReadLimits::DOCUMENT)?.root())
}

/// The answers by the names of the cases.
#[expect(clippy::unwrap_used, reason = "the corpus has these files")]
fn cases() -> Vec<(String, Value)> {
    let fixtures = read_of(Operation::VerifyReplay).into_iter();
    fixtures
        .map(|fixture| (serde_json::from_str(expected(&fixture)).unwrap(), fixture.name))
        .map(|(answer, name)| (name, answer))
        .collect()
}

#[test]
fn every_code_is_found_in_a_case_and_not_found_in_another() {
    let cases = cases();
    // It needs a thousand findings, and occurs in a test about long logs.
    for code in ReplayCode::WORDS.iter().filter(|code| **code != ReplayCode::FindingsOmitted.as_str()) {
        let prefix = format!("{}-", code.replace('_', "-"));
        let of_code = || cases.iter().filter(|(name, _)| format!("{name}-").starts_with(&prefix));
        for (name, answer) in of_code() {
            let has = answer["findings"].as_array().unwrap().iter().any(|found| found["code"] == *code);
            assert_eq!(has, !name.starts_with(&format!("{prefix}quiet-")), "{name}");
        }
        let quiet = of_code().filter(|(name, _)| name.contains("-quiet-")).count();
        assert!(quiet > 0 && of_code().count() > quiet, "{prefix} {quiet}");
    }
}

/// The path at which an answer breaks the contract of a call, if it does.
#[expect(clippy::expect_used, reason = "both are JSON here")]
fn breach(call: &str, answer: &str) -> Option<String> {
    let call = json::read(call.as_bytes(), ReadLimits::DOCUMENT).expect("a call");
    let answer = json::read(answer.as_bytes(), ReadLimits::ANSWER).expect("an answer");
    let error = check_replay(call.root(), answer.root()).err()?;
    assert_eq!(error.code(), codes::MODULE_INVALID_DECISION, "{error}");
    Some(error.path().into())
}

fn call(events: &str) -> String {
    format!(
        r#"{{"plan": {{"analysis": "", "steps": [{{"id": "s", "description": "", "intent": "verify", "target_files": [],
            "depends_on": [], "max_iterations": 1}}], "complexity": "low", "confidence": 0.1,
            "verification_strategy": {{"commands": [], "success_criteria": "", "max_retries": 0}}}},
            "events": [{events}], "tests": {{"failing_before": 2, "failing_after": 3}}}}"#
    )
}

#[test]
fn answers_are_held_to_the_facts() {
    let call = call(
        r#"{"event": "PlanStart", "step_count": 1}, {"event": "ToolResult", "id": "1"}, {"event": "ToolResult", "id": "2"}"#,
    );
    let own = verify(&call).unwrap();
    for (from, to, expected) in [
        ("", "", None),
        // Words are free, and what begins with `x-`.
        ("call `1` was never made", "no call", None),
        (r#""linked""#, r#""x-engine":1,"linked""#, None),
        (r#""linked":false"#, r#""linked":true"#, Some("/linked")),
        (r#""linked":false"#, r#""linked":null"#, Some("/linked")),
        (r#""linked":false,"#, "", Some("/linked")),
        ("sha256:", "sha256:0", Some("/plan_hash")),
        (r#""hash_mode":null"#, r#""hash_mode":"canonical""#, Some("/hash_mode")),
        (r#":-1}"#, ":1}", Some("/verification_delta")),
        (r#":-1}"#, ":-1.0}", Some("/verification_delta")),
        (r#":-1}"#, r#":"-1"}"#, Some("/verification_delta")),
        (r#":-1}"#, ":null}", Some("/verification_delta")),
        (r#":-1}"#, r#":-1,"more":1}"#, Some("/more")),
        ("result_without_call", "repeated_result", Some("/findings/0")),
        ("result_without_call", "no_result", Some("/findings/0/code")),
        ("/events/2/id", "/events/3/id", Some("/findings/1")),
        (r#""line":2"#, r#""line":3"#, Some("/findings/0")),
        (r#","line":2"#, "", Some("/findings/0")),
        (r#","message":"call `1` was never made""#, "", Some("/findings/0/message")),
        (
            r#""findings":["#,
            r#""findings":[{"code":"no_plan_start","path":"/events","message":""},"#,
            Some("/findings/0"),
        ),
        (
            r#"],"plan_hash""#,
            r#",{"code":"no_plan_start","path":"/events","message":""}],"plan_hash""#,
            Some("/findings/2"),
        ),
        (own.as_str(), "[]", Some("")),
        (own.as_str(), "{}", Some("/linked")),
    ] {
        let answer = own.replacen(from, to, 1);
        assert!(from == to || answer != own, "{from}");
        assert_eq!(breach(&call, &answer).as_deref(), expected, "{answer}");
    }
}

#[test]
fn a_hash_that_is_claimed_has_its_mode() {
    let silent = call(r#"{"event": "PlanStart", "step_count": 1}"#);
    let hash = verify(&silent).unwrap().split('"').nth(7).map(String::from).unwrap();
    let claimed = call(&format!(r#"{{"event": "PlanStart", "step_count": 1, "plan_hash": "{hash}"}}"#));
    let own = verify(&claimed).unwrap();
    assert!(own.starts_with(r#"{"linked":true,"#), "{own}");
    assert_eq!(breach(&claimed, &own), None);
    for mode in ["null", r#""serde_f32_compat""#, "1"] {
        let other = own.replace(r#""canonical""#, mode);
        assert_eq!(breach(&claimed, &other).as_deref(), Some("/hash_mode"), "{other}");
    }
}

#[test]
fn an_invalid_call_has_no_answer() {
    let own = verify(&call(r#"{"event": "PlanStart", "step_count": 1}"#)).unwrap();
    for events in ["1", r#"{"event": "ToolCall"}"#] {
        assert_eq!(breach(&call(events), &own).as_deref(), Some(""), "{events}");
    }
}
