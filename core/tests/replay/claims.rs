//! What a replay and its receipt claim of their plan: a row for each sentence of SPEC section 9.

use crate::{
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
