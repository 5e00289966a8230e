//! Claims of a replay and its receipt: a row for each sentence of docs/reference/planir.md.

use crate::replay::{
    sentences::{CALL, CANONICAL, COMPAT, PLAN, RESULT, outcome},
    verify,
};

#[test]
fn step_count_and_plan_hash_agree() {
    let start = |more: &str| format!(r#"{{"event": "PlanStart", {more}}}"#);
    let claim = |hash: &str| start(&format!(r#""step_count": 2, "plan_hash": "{hash}""#));
    let receipt = |hash: &str| format!(r#", "receipt": {{"plan_hash": "{hash}"}}"#);
    let other = CANONICAL.replace('a', "b");
    let silent = start(r#""step_count": 2"#);
    for (events, more, expected) in [
        (silent.clone(), "", "null null"),
        (start(r#""step_count": 3"#), "", "step_count_mismatch /events/0/step_count, null null"),
        (start(r#""step_count": 0"#), "", "step_count_mismatch /events/0/step_count, null null"),
        (claim(CANONICAL), "", r#""canonical" null"#),
        (claim(COMPAT), "", r#""serde_f32_compat" null"#),
        (claim(&other), "", "plan_hash_mismatch /events/0/plan_hash, null null"),
        (claim(&CANONICAL.to_uppercase()), "", "plan_hash_mismatch /events/0/plan_hash, null null"),
        (
            claim(CANONICAL.trim_start_matches("sha256:")),
            "",
            "plan_hash_mismatch /events/0/plan_hash, null null",
        ),
        (claim(""), "", "plan_hash_mismatch /events/0/plan_hash, null null"),
        // Receipts.
        (silent.clone(), r#", "receipt": {}"#, "null null"),
        (silent.clone(), r#", "receipt": {"session_id": "s", "amount": [1]}"#, "null null"),
        (silent.clone(), &receipt(CANONICAL), r#""canonical" null"#),
        (silent.clone(), &receipt(COMPAT), r#""serde_f32_compat" null"#),
        (silent.clone(), &receipt(&other), "plan_hash_mismatch /receipt/plan_hash, null null"),
        (claim(COMPAT), &receipt(COMPAT), r#""serde_f32_compat" null"#),
        (
            claim(COMPAT),
            &receipt(&other),
            r#"plan_hash_mismatch /receipt/plan_hash, "serde_f32_compat" null"#,
        ),
        (
            claim(&other),
            &receipt(COMPAT),
            r#"plan_hash_mismatch /events/0/plan_hash, "serde_f32_compat" null"#,
        ),
        // Mixed modes: the first one that is right is reported.
        (claim(CANONICAL), &receipt(COMPAT), r#"mixed_hash_modes /receipt/plan_hash, "canonical" null"#),
        (
            claim(COMPAT),
            &receipt(CANONICAL),
            r#"mixed_hash_modes /receipt/plan_hash, "serde_f32_compat" null"#,
        ),
        (String::new(), "", "no_plan_start /events, null null"),
        (String::new(), &receipt(COMPAT), r#"no_plan_start /events, "serde_f32_compat" null"#),
        (format!("{silent},{silent}"), "", "repeated_plan_start /events/1, null null"),
        (
            [claim(CANONICAL), claim(COMPAT)].join(","),
            "",
            r#"repeated_plan_start /events/1, mixed_hash_modes /events/1/plan_hash, "canonical" null"#,
        ),
    ] {
        let call = format!(r#"{{"plan": {PLAN}, "events": [{events}]{more}}}"#);
        assert_eq!(outcome(&call), expected, "{call}");
    }
    // The plan may start at any time.
    let late =
        format!(r#"{{"plan": {PLAN}, "events": [{}{RESULT},{silent}]}}"#, CALL.trim_start_matches(','));
    assert_eq!(outcome(&late), "null null");
}

#[test]
fn one_hash_in_both_modes_is_the_canonical_one() {
    // A half is a float of 32 bits.
    let plan = PLAN.replace("0.7", "0.5");
    let answer =
        |more: &str| verify(&format!(r#"{{"plan": {plan}, "events": []{more}}}"#)).unwrap_or_default();
    let hash =
        answer("").split(r#""plan_hash":""#).nth(1).and_then(|rest| rest.split('"').next()).map(String::from);
    let hash = hash.unwrap_or_default();
    let claimed = answer(&format!(r#", "receipt": {{"plan_hash": "{hash}"}}"#));
    let expected = format!(r#""plan_hash":"{hash}","hash_mode":"canonical","verification_delta":null}}"#);
    assert!(hash.starts_with("sha256:") && claimed.ends_with(&expected), "{claimed}");
}

/// The result of a log with a start and these events, and with these further parts of the call.
fn of(events: &str, more: &str) -> String {
    let start = r#"{"event": "PlanStart", "step_count": 2}"#;
    outcome(&format!(r#"{{"plan": {PLAN}, "events": [{start}{events}]{more}}}"#))
}

#[test]
fn a_claimed_delta_is_that_of_the_tests() {
    let tests = r#", "tests": {"failing_before": 3, "failing_after": 5}"#;
    let event = |kind: &str, claim: &str| format!(r#",{{{kind}, "verification_delta": {claim}}}"#);
    let complete = r#""event": "StepComplete", "step_id": "fix", "iterations": 1"#;
    let receipt = |claim: &str| format!(r#"{tests}, "receipt": {{"verification_delta": {claim}}}"#);
    let verification = |claim: &str| {
        format!(r#"{tests}, "receipt": {{"verification": {{"exit": 0, "verification_delta": {claim}}}}}"#)
    };
    for (events, more, expected) in [
        (event(complete, "-2"), tests.into(), "null -2"),
        (event(complete, "2"), tests.into(), "delta_mismatch /events/1/verification_delta, null -2"),
        (
            event(complete, "2") + &event(r#""event": "ToolResult", "id": "1""#, "0"),
            tests.into(),
            "delta_mismatch /events/1/verification_delta, result_without_call /events/2/id, \
             delta_mismatch /events/2/verification_delta, null -2",
        ),
        (String::new(), receipt("-2"), "null -2"),
        (String::new(), receipt("3"), "delta_mismatch /receipt/verification_delta, null -2"),
        (String::new(), verification("-2"), "null -2"),
        (
            String::new(),
            verification("-3"),
            "delta_mismatch /receipt/verification/verification_delta, null -2",
        ),
        // Without tests there is nothing to hold a claim against.
        (event(complete, "2"), r#", "receipt": {"verification_delta": 9}"#.into(), "null null"),
        // A claim is an integer, whether there are tests or not.
        (event(complete, "2.0"), String::new(), "invalid_value /events/1/verification_delta"),
        (event(complete, "null"), String::new(), "invalid_value /events/1/verification_delta"),
        (String::new(), receipt(r#""3""#), "invalid_value /receipt/verification_delta"),
        (String::new(), receipt("-0"), "invalid_value /receipt/verification_delta"),
        (
            String::new(),
            verification("18446744073709551616"),
            "invalid_value /receipt/verification/verification_delta",
        ),
        // A value that is no object has no claim, and nested fields of an event are the event's own.
        (String::new(), format!(r#"{tests}, "receipt": {{"verification": "passed"}}"#), "null -2"),
        (format!(r#",{{{complete}, "verification": {{"verification_delta": 9}}}}"#), tests.into(), "null -2"),
    ] {
        assert_eq!(of(&events, &more), expected, "{events} {more}");
    }
    // An event of the session claims as well, and a kind that is only carried.
    let header = r#"{"event": "ReplayHeader", "verification_delta": -2}"#;
    let start = r#"{"event": "PlanStart", "step_count": 2, "verification_delta": 1}"#;
    let call = format!(
        r#"{{"plan": {PLAN}, "events": [{header}, {start}, {{"event": "Verification", "verification_delta": 3}},
            {{"event": "Thought", "verification_delta": 4}}]{tests}}}"#
    );
    assert_eq!(
        outcome(&call),
        "delta_mismatch /events/1/verification_delta, delta_mismatch /events/2/verification_delta, \
         delta_mismatch /events/3/verification_delta, null -2"
    );
}

#[test]
fn the_calls_of_a_receipt_are_those_of_the_log() {
    let receipt = |calls: &str| format!(r#", "receipt": {{"tool_calls": [{calls}], "amount": 1}}"#);
    let call = |id: &str, step: &str| format!(r#"{{"id": "{id}", "step_id": "{step}", "tool": "edit"}}"#);
    let both = format!("{CALL}{RESULT}");
    for (events, more, expected) in [
        (both.as_str(), receipt(&call("1", "fix")), "null null"),
        ("", receipt(""), "null null"),
        // A receipt that lists no calls says nothing of them.
        (&both, r#", "receipt": {"amount": 1}"#.into(), "null null"),
        (&both, receipt(""), "receipt_call_mismatch /events/1/id, null null"),
        ("", receipt(&call("1", "fix")), "receipt_call_mismatch /receipt/tool_calls/0/id, null null"),
        (
            &both,
            receipt(&call("01", "fix")),
            "receipt_call_mismatch /events/1/id, receipt_call_mismatch /receipt/tool_calls/0/id, null null",
        ),
        (
            &both,
            receipt(&[call("1", "fix"), call("1", "fix")].join(",")),
            "receipt_call_mismatch /receipt/tool_calls/1/id, null null",
        ),
        (&both, receipt(&call("1", "Fix")), "receipt_step_unknown /receipt/tool_calls/0/step_id, null null"),
        (&both, receipt(&call("1", "")), "receipt_step_unknown /receipt/tool_calls/0/step_id, null null"),
        (
            "",
            receipt(&call("2", "no")),
            "receipt_call_mismatch /receipt/tool_calls/0/id, \
             receipt_step_unknown /receipt/tool_calls/0/step_id, null null",
        ),
        // A result is no call, and every call of the log is held against the receipt.
        (
            RESULT,
            receipt(&call("1", "fix")),
            "result_without_call /events/1/id, receipt_call_mismatch /receipt/tool_calls/0/id, null null",
        ),
        (
            &format!("{both}{CALL}"),
            receipt(""),
            "receipt_call_mismatch /events/1/id, repeated_call /events/3/id, \
             receipt_call_mismatch /events/3/id, null null",
        ),
        ("", r#", "receipt": {"tool_calls": {}}"#.into(), "invalid_value /receipt/tool_calls"),
        ("", receipt(r#""1""#), "invalid_value /receipt/tool_calls/0"),
        ("", receipt(r#"{"id": "1"}"#), "missing_field /receipt/tool_calls/0/step_id"),
        ("", receipt(r#"{"step_id": "fix"}"#), "missing_field /receipt/tool_calls/0/id"),
        ("", receipt(r#"{"id": 1, "step_id": "fix"}"#), "invalid_value /receipt/tool_calls/0/id"),
        ("", receipt(r#"{"id": "1", "step_id": null}"#), "invalid_value /receipt/tool_calls/0/step_id"),
    ] {
        assert_eq!(of(events, &more), expected, "{events} {more}");
    }
}
