//! Answers are bounded (docs/reference/rules.md): the decision follows from everything, and the first 10,000 of each list are
//! listed.

use adjudicate_core::{
    MAX_ANSWER_BYTES, MAX_DIAGNOSTICS, MAX_LISTED, Operation, Policy,
    evaluate::{AnswerText, ComposedCall, CompositionMember},
    json::{self, ReadLimits},
};
use serde_json::{Value, json};

const MORE: usize = 7;

fn envelope(evidence: &Value) -> Value {
    let envelope = adjudicate_tests::envelope! { steps: r#"["fix","STOP"]"#, exit_codes: "{}", };
    let mut envelope: Value = serde_json::from_str(envelope).expect("it is JSON");
    for (name, value) in evidence.as_object().expect("evidence is an object") {
        envelope["evidence"][name] = value.clone();
    }
    envelope
}

fn answer(operation: Operation, call: &Value) -> Value {
    let call = call.to_string();
    let answer = operation.call(call.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    let [input, output] =
        [&call, &answer].map(|text| json::read(text.as_bytes(), ReadLimits::ANSWER).expect("JSON"));
    operation.check_answer(input.root(), output.root()).unwrap_or_else(|error| panic!("{error}"));
    serde_json::from_str(&answer).expect("an answer is JSON")
}

fn failing(count: usize) -> Value {
    let cases: Vec<Value> =
        (0..count).map(|n| json!({"id": format!("c{n}"), "status": "failed", "repro": "r"})).collect();
    json!({"harness_report": {"cases": cases}})
}

#[test]
fn the_first_findings_blockers_and_edits_are_listed_and_the_rest_is_counted() {
    let whole = answer(Operation::Evaluate, &envelope(&failing(MAX_LISTED)));
    assert_eq!(whole["findings"].as_array().map(Vec::len), Some(MAX_LISTED));
    let cut = answer(Operation::Evaluate, &envelope(&failing(MAX_LISTED + MORE)));
    let findings = cut["findings"].as_array().expect("a list");
    assert_eq!(findings.len(), MAX_LISTED + 1);
    assert_eq!(findings[..MAX_LISTED], whole["findings"].as_array().expect("a list")[..]);
    let last = &findings[MAX_LISTED];
    assert_eq!(
        (&last["rule"], &last["count"], &last["status"]),
        (&json!("findings_omitted"), &json!(MORE), &json!("partial"))
    );
    assert!(last.get("blocker").is_none() && last.get("flag").is_none());
    for (list, marker) in [
        ("/decision/blockers", "code"),
        ("/decision/fix_instructions/edits", "target"),
        ("/decision/fix_instructions/verification", "command"),
    ] {
        let list = cut.pointer(list).and_then(Value::as_array).expect("a list");
        let last = list.last().expect("an item");
        assert!(
            last[marker].as_str().is_some_and(|text| text.ends_with("_omitted"))
                && last.to_string().contains(&format!("{MORE} ")),
            "{last}"
        );
        assert!(list.len() <= MAX_LISTED + 1);
    }
    let objective = cut["decision"]["fix_instructions"]["objective"].as_str().expect("a text");
    assert!(objective.ends_with(&format!(", {MORE} more")));
}

#[test]
fn items_that_are_not_listed_still_decide() {
    // The rule that decides comes after all listed ones.
    let mut evidence = failing(MAX_LISTED + MORE);
    evidence["uncollected"] = json!([{"what": "the log", "reason": "it is gone"}]);
    let call = envelope(&evidence);
    let cut = answer(Operation::Evaluate, &call);
    assert_eq!(cut["decision"]["status"], "needs_human");
    let last = cut["findings"].as_array().and_then(|list| list.last().cloned()).expect("a finding");
    assert_eq!((&last["count"], &last["status"]), (&json!(MORE + 1), &json!("needs_human")));
    assert!(
        cut["findings"]
            .as_array()
            .expect("a list")
            .iter()
            .all(|finding| finding["rule"] != "unknown_evidence")
    );
    let refined = answer(Operation::Refine, &json!({"envelope": call.clone(), "evaluation": cut}));
    assert_eq!(refined["status_patch"]["blocking_reason"], "unknown_evidence");
    // Blockers that are not all listed leave only their codes, which suffice to recognise a repeat.
    assert!(refined["next"]["history_entry"].get("blockers").is_none());
    assert_eq!(
        refined["next"]["history_entry"]["blocker_codes"],
        json!(["validation_failed", "unknown_evidence"])
    );
    let explained = answer(Operation::Explain, &call);
    assert_eq!(explained["reasons"].as_array().map(Vec::len), Some(MAX_LISTED + 1));
    assert_eq!(explained["reasons"][0]["overruled_by"], "unknown_evidence");
    assert_eq!(explained["no_counterfactual"]["reason"], "unfinished");
}

#[test]
fn a_blocker_that_is_not_listed_is_still_repeated() {
    let mut call = envelope(&failing(MAX_LISTED + MORE));
    let earlier = json!({"step_id": "e", "opcode": "EVALUATE", "status": "partial", "diff_summary": "", "risk_flags": [],
        "blocker_codes": ["validation_failed"], "failures": MAX_LISTED,
        "blockers": [{"code": "validation_failed", "item": format!("c{}", MAX_LISTED + MORE - 1)}]});
    call["provenance_window"] = json!([earlier.clone(), earlier]);
    let policy = json!({"policy": "p", "version": "1.0.0", "parameters": {"partial_threshold": 9}});
    let call = json!({"envelope": call, "policy": policy});
    let findings = answer(Operation::Evaluate, &call);
    assert!(
        findings["findings"].as_array().expect("a list").iter().any(|one| one["rule"] == "repeated_blocker")
    );
}

#[test]
fn a_composition_counts_the_findings_that_its_members_omit() {
    let envelope = envelope(&failing(MAX_LISTED + MORE)).to_string();
    let strict = Policy::parse(br#"{"policy": "strict", "version": "1.0.0"}"#).expect("a policy");
    let own = Operation::Evaluate.call(envelope.as_bytes()).expect("an answer");
    let call = ComposedCall {
        answer: Some(AnswerText { origin: "base", answer: own.as_bytes() }),
        restrictions: vec![CompositionMember::Policy(&strict)],
        ..ComposedCall::default()
    };
    let composed: Value =
        serde_json::from_str(&call.evaluate(envelope.as_bytes()).expect("an answer")).expect("JSON");
    let findings = composed["findings"].as_array().expect("a list");
    let last = findings.last().expect("a finding");
    assert_eq!(findings.len(), MAX_LISTED + 1);
    assert_eq!((&last["count"], &last["status"]), (&json!(MAX_LISTED + 2 * MORE), &json!("partial")));
}

#[test]
fn only_findings_omitted_stand_for_others() {
    let envelope = envelope(&json!({})).to_string();
    let finding = |rule: &str, count: u64| {
        json!({"rule": rule, "status": "blocked", "severity": "high", "summary": rule, "evidence_ref": "", "count": count,
            "resolution": {"kind": "terminal", "hint": ""}})
    };
    let mut claimed: Value =
        serde_json::from_str(&Operation::Evaluate.call(envelope.as_bytes()).expect("an answer"))
            .expect("JSON");
    // More than 32 bits, because a count is the same number on every platform.
    claimed["findings"] = json!([finding("hidden", 1), finding("findings_omitted", 1 << 40)]);
    let claimed = claimed.to_string();
    let call = ComposedCall {
        answer: Some(AnswerText { origin: "base", answer: claimed.as_bytes() }),
        ..ComposedCall::default()
    };
    let composed: Value =
        serde_json::from_str(&call.evaluate(envelope.as_bytes()).expect("an answer")).expect("JSON");
    let findings = composed["findings"].as_array().expect("a list");
    assert_eq!(findings[0]["rule"], "hidden");
    let last = findings.last().expect("a finding");
    assert_eq!(
        (&last["rule"], &last["count"], &last["status"]),
        (&json!("findings_omitted"), &json!(1_u64 << 40), &composed["decision"]["status"])
    );
}

#[test]
fn static_findings_and_results_of_tests_are_counted() {
    let tests: Vec<Value> =
        (0..MAX_LISTED + MORE).map(|n| json!({"name": format!("t{n}"), "input": {}, "expect": {}})).collect();
    let policy = json!({"policy": "p", "version": "1.0.0", "tests": tests});
    let found = answer(Operation::CheckPolicy, &json!({"policy": policy}));
    let findings = found["findings"].as_array().expect("a list");
    let last = findings.last().expect("a finding");
    assert_eq!(findings.len(), MAX_LISTED + 1);
    assert_eq!(
        (&last["code"], &last["count"], &last["severity"]),
        (&json!("findings_omitted"), &json!(MORE), &json!("error"))
    );
    assert_eq!(findings[MAX_LISTED - 1]["path"], format!("/tests/{}/input/run_id", MAX_LISTED - 1));
}

#[test]
fn more_diagnostics_than_an_answer_lists_are_counted_and_the_status_stands() {
    let diagnostic = |n: usize| json!({"severity": "soft", "status": "satisfied", "cause": "advisory", "nodeId": format!("{n:x}")});
    let mut diagnostics: Vec<Value> = (0..MAX_DIAGNOSTICS + MORE).map(diagnostic).collect();
    diagnostics[MAX_DIAGNOSTICS]["status"] = json!("unsatisfied");
    let bundle = answer(Operation::MergeDiagnostics, &json!({"diagnostics": diagnostics}));
    assert_eq!(bundle["status"], "accepted_with_findings");
    let warnings = bundle["warnings"].as_array().expect("a list");
    assert_eq!(warnings.len(), MAX_DIAGNOSTICS + 1);
    let observed = json!({"code": "diagnostics_omitted", "count": MORE});
    assert!(warnings.iter().any(|warning| warning["details"] == observed));
}

#[test]
fn an_answer_over_16_mib_is_none() {
    // Ten thousand findings have a name of 700 bytes in several places each.
    let name = "n".repeat(700);
    let files: Vec<Value> =
        (0..MAX_LISTED).map(|n| json!({"path": format!("{n}{name}"), "change": "added"})).collect();
    let policy = json!({"policy": "p", "version": "1.0.0", "forbidden_paths": ["**"]});
    let call =
        json!({"envelope": envelope(&json!({"diff": {"files": files}})), "policy": policy}).to_string();
    let error = Operation::Evaluate.call(call.as_bytes()).expect_err("it is too long");
    assert_eq!((error.code().as_str(), error.path()), ("limit_exceeded", ""));
    assert!(error.message().contains(&MAX_ANSWER_BYTES.to_string()), "{error}");
}
