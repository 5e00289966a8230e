//! The sentences of docs/reference/planir.md about replays and their call, a row for each.

use serde_json::Value;

use crate::replay::verify;

/// A plan of two steps, `find` (at most 1 iteration) and `fix` (at most 3), whose two hashes differ.
pub(crate) const PLAN: &str = r#"{
    "analysis": "the parser drops the last line",
    "steps": [
        {"id": "find", "description": "", "intent": "investigate", "target_files": [], "depends_on": [], "max_iterations": 1},
        {"id": "fix", "description": "", "intent": "modify", "target_files": ["a.rs"], "depends_on": ["find"], "max_iterations": 3}
    ],
    "verification_strategy": {"commands": [], "success_criteria": "", "max_retries": 0},
    "complexity": "low", "confidence": 0.7
}"#;
/// The hashes of the plan, by an independent implementation of section 1, rule 8.
pub(crate) const CANONICAL: &str = "sha256:dca22c64921ad4dc31ebb800fc88046f6e5c59bd671a84664c03974a481d0726";
pub(crate) const COMPAT: &str = "sha256:45c3230afd69af431d3798ddde87653564f21aa430b3f9fef99281a8c8a1f3d3";

/// The result of a call: the findings, each as `code path`, then the mode and the delta; or the error.
#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "the engine makes these answers")]
pub(crate) fn outcome(call: &str) -> String {
    let answer: Value = match verify(call) {
        Ok(answer) => serde_json::from_str(&answer).unwrap(),
        Err(error) => return format!("{} {}", error.code().as_str(), error.path()),
    };
    let findings = answer["findings"].as_array().unwrap();
    assert_eq!(answer["linked"], findings.is_empty(), "{call}");
    let expected = if answer["hash_mode"] == "serde_f32_compat" { COMPAT } else { CANONICAL };
    assert_eq!(answer["plan_hash"], expected, "{call}");
    let mut outcome = String::new();
    for finding in findings {
        outcome += &format!("{} {}, ", finding["code"].as_str().unwrap(), finding["path"].as_str().unwrap());
    }
    outcome + &format!("{} {}", answer["hash_mode"], answer["verification_delta"])
}

/// The result of events after the start of the plan.
fn of_events(events: &str) -> String {
    let start = r#"{"event": "PlanStart", "step_count": 2}"#;
    outcome(&format!(r#"{{"plan": {PLAN}, "events": [{start}{events}]}}"#))
}

fn check_events(rows: &[(&str, &str)]) {
    for (events, expected) in rows {
        assert_eq!(of_events(events), *expected, "{events}");
    }
}

pub(crate) const CALL: &str = r#",{"event": "ToolCall", "id": "1", "step_id": "fix"}"#;
pub(crate) const RESULT: &str = r#",{"event": "ToolResult", "id": "1"}"#;

#[test]
fn every_call_is_for_a_step_of_the_plan() {
    check_events(&[
        (&format!("{CALL}{RESULT}"), "null null"),
        (
            &format!(r#",{{"event": "ToolCall", "id": "1", "step_id": "Fix"}}{RESULT}"#),
            "unknown_step /events/1/step_id, null null",
        ),
        (
            &format!(r#",{{"event": "ToolCall", "id": "1", "step_id": ""}}{RESULT}"#),
            "unknown_step /events/1/step_id, null null",
        ),
        // Whom no call is made for is no finding, and neither is a call after its step has ended.
        (
            &format!(r#",{{"event": "StepComplete", "step_id": "fix", "iterations": 1}}{CALL}{RESULT}"#),
            "null null",
        ),
    ]);
}

#[test]
fn every_call_has_a_result_and_every_result_a_call() {
    let other = r#",{"event": "ToolCall", "id": "2", "step_id": "find"}"#;
    let of_other = r#",{"event": "ToolResult", "id": "2"}"#;
    for (events, expected) in [
        (vec![CALL], "call_without_result /events/1/id, null null"),
        (vec![RESULT], "result_without_call /events/1/id, null null"),
        (vec![RESULT, CALL], "result_before_call /events/1/id, null null"),
        (vec![CALL, RESULT, CALL], "repeated_call /events/3/id, null null"),
        (vec![CALL, CALL, RESULT], "repeated_call /events/2/id, null null"),
        (vec![CALL, CALL], "call_without_result /events/1/id, repeated_call /events/2/id, null null"),
        (vec![CALL, RESULT, RESULT], "repeated_result /events/3/id, null null"),
        (
            vec![CALL, RESULT, CALL, RESULT],
            "repeated_call /events/3/id, repeated_result /events/4/id, null null",
        ),
        (
            vec![RESULT, RESULT, CALL],
            "result_before_call /events/1/id, repeated_result /events/2/id, null null",
        ),
        (
            vec![RESULT, CALL, RESULT],
            "result_before_call /events/1/id, repeated_result /events/3/id, null null",
        ),
        (vec![RESULT, CALL, CALL], "result_before_call /events/1/id, repeated_call /events/3/id, null null"),
        // They may overlap in any way.
        (vec![CALL, other, RESULT, of_other], "null null"),
        (vec![CALL, other, of_other, RESULT], "null null"),
        (
            vec![CALL, of_other],
            "call_without_result /events/1/id, result_without_call /events/2/id, null null",
        ),
    ] {
        assert_eq!(of_events(&events.concat()), expected, "{events:?}");
    }
}

#[test]
fn completions_stay_within_max_iterations() {
    let complete = |step: &str, iterations: &str| {
        format!(r#",{{"event": "StepComplete", "step_id": "{step}", "iterations": {iterations}}}"#)
    };
    for (events, expected) in [
        (complete("fix", "0"), "null null"),
        (complete("fix", "3"), "null null"),
        (complete("fix", "4"), "iterations_exceeded /events/1/iterations, null null"),
        (complete("find", "2"), "iterations_exceeded /events/1/iterations, null null"),
        (complete("fix", "18446744073709551615"), "iterations_exceeded /events/1/iterations, null null"),
        (complete("fixes", "1"), "unknown_step /events/1/step_id, null null"),
        // Each is judged by itself: verification may send a step back.
        (complete("fix", "3") + &complete("fix", "3"), "null null"),
        (complete("fix", "-1"), "invalid_value /events/1/iterations"),
        (complete("fix", "1.0"), "invalid_value /events/1/iterations"),
    ] {
        assert_eq!(of_events(&events), expected, "{events}");
    }
}

#[test]
fn the_delta_is_before_minus_after() {
    for (tests, expected) in [
        (r#"{"failing_before": 3, "failing_after": 0}"#, "no_plan_start /events, null 3"),
        (r#"{"failing_after": 5, "failing_before": 3}"#, "no_plan_start /events, null -2"),
        (r#"{"failing_before": 0, "failing_after": 0, "x-suite": 1}"#, "no_plan_start /events, null 0"),
        (
            r#"{"failing_before": 0, "failing_after": 18446744073709551615}"#,
            "no_plan_start /events, null -18446744073709551615",
        ),
        (
            r#"{"failing_before": 18446744073709551616, "failing_after": 0}"#,
            "invalid_value /tests/failing_before",
        ),
        (r#"{"failing_before": -1, "failing_after": 0}"#, "invalid_value /tests/failing_before"),
        (r#"{"failing_before": 1, "failing_after": 0.5}"#, "invalid_value /tests/failing_after"),
        (r#"{"failing_before": 1}"#, "missing_field /tests/failing_after"),
        (r#"{"failing_before": 1, "failing_after": 0, "flaky": 1}"#, "unknown_field /tests/flaky"),
        ("null", "invalid_value /tests"),
    ] {
        let call = format!(r#"{{"plan": {PLAN}, "events": [], "tests": {tests}}}"#);
        // Numbers of so many digits are more than `serde_json` tells apart here.
        if tests.contains("18446744073709551615") {
            let answer = verify(&call).unwrap_or_default();
            assert!(answer.ends_with(r#""verification_delta":-18446744073709551615}"#), "{answer}");
            continue;
        }
        assert_eq!(outcome(&call), expected, "{call}");
    }
}

#[test]
fn events_carry_other_members_and_lack_none() {
    check_events(&[
        (
            r#",{"tool": "edit", "id": "1", "iterations": -1, "x-a": 1, "event": "ToolCall", "step_id": "fix"},
               {"id": "1", "event": "ToolResult", "plan_hash": 5, "exit_code": null}"#,
            "null null",
        ),
        (r#",{"event": "StepStart", "step_id": "fix"}"#, "invalid_value /events/1/event"),
        (r#",{"event": "SessionEnd"}"#, "invalid_value /events/1/event"),
        (r#",{"id": "1"}"#, "missing_field /events/1/event"),
        (r#",{"event": "ToolCall", "id": "1"}"#, "missing_field /events/1/step_id"),
        (r#",{"event": "ToolResult"}"#, "missing_field /events/1/id"),
        (r#",{"event": "StepComplete", "step_id": "fix"}"#, "missing_field /events/1/iterations"),
        (r#",{"event": "PlanStart"}"#, "missing_field /events/1/step_count"),
        (
            r#",{"event": "PlanStart", "step_count": 2, "plan_hash": null}"#,
            "invalid_value /events/1/plan_hash",
        ),
        (r#",{"event": "ToolCall", "id": 1, "step_id": "fix"}"#, "invalid_value /events/1/id"),
        (",[]", "invalid_value /events/1"),
    ]);
}

#[test]
fn logs_that_begin_with_a_header_may_hold_other_events() {
    let of_log =
        |events: &[&str]| outcome(&format!(r#"{{"plan": {PLAN}, "events": [{}]}}"#, events.join(",")));
    let header = r#"{"event": "ReplayHeader", "replay_version": 1}"#;
    let start = r#"{"event": "PlanStart", "t": 1, "step_count": 2}"#;
    let thought = r#"{"event": "Thought", "t": 2, "id": 7, "step_id": null}"#;
    let typed = r#"{"type": "ReplayHeader", "version": "1"}"#;
    let typed_start = r#"{"type": "PlanStart", "ts": 1, "step_count": 2}"#;
    for (events, expected) in [
        (vec![header, start, thought], "null null"),
        (vec![header, thought, start, thought], "null null"),
        (vec![typed, typed_start, r#"{"type": "Thought", "ts": 2}"#], "null null"),
        // Kinds are compared as text: one that is spelt otherwise is another kind.
        (vec![header, start, r#"{"event": "Toolcall", "id": "1", "step_id": "no"}"#], "null null"),
        // Kinds that are known are read as ever.
        (vec![header, start, r#"{"event": "ToolCall", "id": "1"}"#], "missing_field /events/2/step_id"),
        (
            vec![header, start, r#"{"event": "ToolResult", "id": "1"}"#],
            "result_without_call /events/2/id, null null",
        ),
        (vec![header, start, r#"{"event": 1}"#], "invalid_value /events/2/event"),
        (vec![header, start, r#"{"type": "Thought", "ts": 2}"#], "missing_field /events/2/event"),
        (
            vec![typed, typed_start, r#"{"type": "Thought", "event": "Thought"}"#],
            "invalid_value /events/2/event",
        ),
        // The header comes first, else there are the kinds that are known.
        (vec![start, thought], "invalid_value /events/1/event"),
        (vec![start, header, thought], "invalid_value /events/2/event"),
        (vec![thought, start], "invalid_value /events/0/event"),
    ] {
        assert_eq!(of_log(&events), expected, "{events:?}");
    }
}

#[test]
fn calls_follow_section_2() {
    for (call, expected) in [
        ("[]", "invalid_value "),
        ("{}", "missing_field /plan"),
        (&format!(r#"{{"plan": {PLAN}}}"#), "missing_field /events"),
        (r#"{"events": []}"#, "missing_field /plan"),
        // Lines of a log are a host's matter: a call has a list.
        (&format!(r#"{{"plan": {PLAN}, "events": "{{}}"}}"#), "invalid_value /events"),
        (
            &format!(r#"{{"plan": {PLAN}, "events": [], "hash_mode": "canonical"}}"#),
            "unknown_field /hash_mode",
        ),
        (&format!(r#"{{"plan": {PLAN}, "events": [], "x-note": 1}}"#), "no_plan_start /events, null null"),
        (&format!(r#"{{"plan": {PLAN}, "events": [], "receipt": null}}"#), "invalid_value /receipt"),
        (
            &format!(r#"{{"plan": {PLAN}, "events": [], "receipt": {{"plan_hash": 1}}}}"#),
            "invalid_value /receipt/plan_hash",
        ),
        // Only normalised plans.
        (
            &format!(r#"{{"plan": {}, "events": []}}"#, PLAN.replace("modify", "Modify")),
            "invalid_value /plan/steps/1/intent",
        ),
        (
            &format!(r#"{{"plan": {}, "events": []}}"#, PLAN.replace("low", "simple")),
            "invalid_value /plan/complexity",
        ),
        (r#"{"plan": {"subtasks": []}, "events": []}"#, "missing_field /plan/analysis"),
        // Fields that ADR-0009 does not declare are carried, and not part of the hash.
        (
            &format!(r#"{{"plan": {}, "events": []}}"#, PLAN.replacen('{', r#"{"owner": "us", "#, 1)),
            "no_plan_start /events, null null",
        ),
        (r#"{"plan": [], "events": []}"#, "invalid_value /plan"),
        // In document order, whichever field comes first.
        (r#"{"events": [{"event": "ToolResult"}], "plan": 1}"#, "missing_field /events/0/id"),
        (r#"{"plan": 1, "events": [{"event": "ToolResult"}]}"#, "invalid_value /plan"),
        (r#"{"tests": 1, "more": 1}"#, "invalid_value /tests"),
    ] {
        assert_eq!(outcome(call), expected, "{call}");
    }
}

#[test]
fn findings_stand_in_the_order_of_their_paths() {
    let steps = r#",{"event": "StepComplete", "step_id": "no", "iterations": 1}"#.repeat(11);
    let expected: Vec<_> = (1..=11).map(|at| format!("unknown_step /events/{at}/step_id, ")).collect();
    assert_eq!(of_events(&steps), expected.concat() + "null null");
    let call = format!(
        r#"{{"receipt": {{"plan_hash": "no"}}, "plan": {PLAN}, "events": [
            {{"event": "ToolCall", "id": "1", "step_id": "no"}},
            {{"event": "ToolCall", "id": "1", "step_id": "no"}}]}}"#
    );
    assert_eq!(
        outcome(&call),
        "no_plan_start /events, call_without_result /events/0/id, unknown_step /events/0/step_id, \
         repeated_call /events/1/id, unknown_step /events/1/step_id, \
         plan_hash_mismatch /receipt/plan_hash, null null",
    );
}
