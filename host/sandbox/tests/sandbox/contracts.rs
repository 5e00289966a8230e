//! The answers of modules are checked by the output contract of the operation.

use std::sync::LazyLock;

use adjudicate_core::Operation;
use adjudicate_sandbox::{Host, Module};

use crate::guests::{ENVELOPE, Parts, host};

static MANIFEST: LazyLock<String> = LazyLock::new(|| {
    let names: Vec<&str> = Operation::ALL.iter().map(|operation| operation.name()).collect();
    format!(r#"{{"abi":1,"name":"test","version":"0.1.0","operations":{names:?}}}"#)
});

const BREACH: &str = "module_invalid_decision";
const STEP: &str = "module_illegal_next_step";

/// A policy for which the envelope is a step to fix, with findings.
const POLICY: &str = r#"{"policy": "p", "version": "1.0.0", "rules": [{"id": "late", "when": true,
    "then": {"status": "partial", "summary": "late"}}], "tests": [{"name": "t", "input": {}, "expect":
    {"decision": {"status": "unsafe"}}}]}"#;

const DIAGNOSTICS: &str = r#"{"diagnostics": [
    {"severity": "soft", "status": "unsatisfied", "constraintId": "a", "cause": "unsatisfied_soft"},
    {"severity": "soft", "status": "satisfied", "constraintId": "b", "cause": "unsatisfied_soft"}]}"#;

const GUARDRAILS: &str = r#"{
    "policies": [
        {"id": "quiet", "trigger": {"kind": "manual"}, "action": {"type": "fail", "message": "m"}},
        {"id": "again", "trigger": {"kind": "onStart"}, "action": {"type": "retry", "maxAttempts": 2}},
        {"id": "stop", "trigger": {"kind": "onStart"}, "action": {"type": "pause", "reason": "r"}}],
    "event": {"kind": "onStart"}}"#;

const REPLAY: &str = r#"{
    "plan": {"analysis": "", "steps": [{"id": "fix", "description": "", "intent": "modify", "target_files": [],
        "depends_on": [], "max_iterations": 2}], "verification_strategy": {"commands": [], "success_criteria": "",
        "max_retries": 0}, "complexity": "low", "confidence": 0.5},
    "events": [{"event": "PlanStart", "step_count": 1}, {"event": "ToolCall", "id": "1", "step_id": "fix"}],
    "tests": {"failing_before": 1, "failing_after": 0}}"#;

/// A ledger whose time is used up, with a question that is not contextual.
const LEDGER: &str = r#"{
    "turns": [{"n": 1, "consumed": {"wall_time_ms": 400000}, "confidence": 0.5, "uncertainty": 0.5}],
    "question": {"text": "Which?", "options": ["a", "b"], "unblocks": "the next step"}}"#;

fn input(operation: Operation) -> String {
    match operation {
        Operation::MergeDiagnostics => DIAGNOSTICS.into(),
        Operation::ApplyGuardrails => GUARDRAILS.into(),
        Operation::VerifyReplay => REPLAY.into(),
        Operation::Deliberate => LEDGER.into(),
        Operation::CheckPolicy => format!(r#"{{"policy": {POLICY}}}"#),
        _ if operation.documents().contains(&"envelope") => {
            format!(r#"{{"envelope": {ENVELOPE}, "policy": {POLICY}}}"#)
        }
        _ => operation.example().into(),
    }
}

/// The answer of the engine.
fn own(operation: Operation) -> String {
    operation.call(input(operation).as_bytes()).unwrap()
}

/// A module with this answer to every call.
fn answering(host: &Host, answer: &str) -> Module {
    let reply = format!(r#"{{"ok":{answer}}}"#).into_bytes();
    // Long answers need memory.
    let memory = r#"(memory (export "memory") 4 16)"#;
    let alloc = "(i32.const 196608)";
    host.load(&Parts { reply, memory, alloc, manifest: Some(&MANIFEST), ..Parts::default() }.build()).unwrap()
}

fn ask(module: &Module, operation: Operation) -> Result<String, String> {
    module.call(operation, input(operation).as_bytes()).map_err(|error| error.code().to_owned())
}

#[test]
fn the_manifest_lists_every_operation() {
    let module = answering(&host(), "null");
    assert_eq!(*module.manifest().operations, *Operation::ALL);
}

#[test]
fn our_own_answers_pass() {
    let host = host();
    for &operation in Operation::ALL {
        let own = own(operation);
        assert_eq!(ask(&answering(&host, &own), operation), Ok(own.clone()), "{operation:?}");
        let annotated = own.replacen('{', r#"{"x-note":[1],"#, 1);
        assert_eq!(ask(&answering(&host, &annotated), operation), Ok(annotated.clone()), "{operation:?}");
    }
}

#[test]
fn answers_of_another_shape_are_rejected() {
    let host = host();
    for &operation in Operation::ALL {
        let own = own(operation);
        let renamed = own.replacen(r#"{"#, r#"{"more":1,"#, 1);
        for answer in ["null", "true", "7", r#""success""#, "[]", "{}", r#"{"ok":{}}"#, &renamed] {
            let outcome = ask(&answering(&host, answer), operation);
            assert_eq!(outcome, Err("module_invalid_decision".to_owned()), "{operation:?}: {answer}");
        }
        // The answer to another operation.
        for &other in Operation::ALL.iter().filter(|other| **other != operation) {
            let outcome = ask(&answering(&host, &self::own(other)), operation);
            assert_eq!(outcome, Err("module_invalid_decision".to_owned()), "{operation:?}: {other:?}");
        }
    }
}

#[test]
fn unknown_words_and_steps_are_rejected() {
    let host = host();
    for (operation, from, to, code) in [
        (Operation::Evaluate, r#""status":"partial""#, r#""status":"fine""#, BREACH),
        (Operation::Evaluate, r#""next_step":"fix""#, r#""next_step":"ship""#, STEP),
        (Operation::Refine, r#""reason":null"#, r#""reason":"success""#, BREACH),
        (Operation::Refine, r#""next_step":"fix""#, r#""next_step":"ship""#, STEP),
        (Operation::Refine, r#""selected_step":"fix""#, r#""selected_step":"ship""#, STEP),
        (Operation::ValidatePlan, r#""plan_generated""#, r#""plan_rejected""#, BREACH),
        (Operation::ValidatePlan, r#""plan_generated""#, r#""plan_made""#, BREACH),
        (Operation::ValidatePlan, r#""status":"accepted_with_findings""#, r#""status":"accepted""#, BREACH),
        (Operation::ValidatePlan, r#""satisfactionScore":0.0"#, r#""satisfactionScore":1.5"#, BREACH),
        (Operation::ValidatePlan, r#""nodeId":"n""#, r#""nodeId":"m""#, BREACH),
        (
            Operation::ValidatePlan,
            r#""nodes":["#,
            r#""nodes":[{"nodeId":"n","provides":[],"enforces":[]},"#,
            BREACH,
        ),
        (Operation::ValidatePlan, r#""planVersion":1"#, r#""planVersion":2"#, BREACH),
        (Operation::ValidatePlan, r#""capabilityId":"C""#, r#""capabilityId":"D""#, BREACH),
        (Operation::ValidatePlan, r#""capabilityId":"C","#, "", BREACH),
        (Operation::ValidatePlan, r#""plan_generated""#, r#""plan_updated""#, BREACH),
        (
            Operation::ValidatePlan,
            r#""constraintScores":[{"#,
            r#""constraintScores":[],"x-scores":[{"#,
            BREACH,
        ),
        (Operation::ValidatePlan, r#"[{"constraintId":"c""#, r#"[{"constraintId":"d""#, BREACH),
        (Operation::ValidatePlan, r#""severity":"soft","score""#, r#""severity":"hard","score""#, BREACH),
        (Operation::ValidatePlan, r#""score":0.0"#, r#""score":null"#, BREACH),
        (Operation::MergeDiagnostics, r#""satisfactionScore":0.5"#, r#""satisfactionScore":1.0"#, BREACH),
        (Operation::MergeDiagnostics, r#""warnings":["#, r#""warnings":[null,"#, BREACH),
        (Operation::MergeDiagnostics, r#""severity":"soft""#, r#""severity":"hard""#, BREACH),
        (Operation::MergeDiagnostics, r#""constraintId":"a""#, r#""constraintId":"c""#, BREACH),
        (Operation::MergeDiagnostics, r#""constraintId":"a""#, r#""constraintId":"""#, BREACH),
        (Operation::MergeDiagnostics, r#""cause":"unsatisfied_soft""#, r#""cause":"mood""#, BREACH),
        (Operation::ObserveOutput, r#""status":"rejected""#, r#""status":"accepted_with_findings""#, BREACH),
        (Operation::ObserveOutput, r#","observedSatisfaction":1.0"#, "", BREACH),
        (Operation::ObserveOutput, r#""observedSatisfaction":1.0"#, r#""observedSatisfaction":0.5"#, BREACH),
        (Operation::ObserveOutput, r#""observedSatisfaction":1.0"#, r#""observedSatisfaction":-1.0"#, BREACH),
        (Operation::ApplyGuardrails, r#""type":"retry""#, r#""type":"goto""#, BREACH),
        (Operation::ApplyGuardrails, r#""maxAttempts":2"#, r#""maxAttempts":3"#, BREACH),
        (
            Operation::ApplyGuardrails,
            r#""terminal":false"#,
            r#""terminal":false,"reason":"retries_exhausted""#,
            BREACH,
        ),
        (Operation::ApplyGuardrails, r#""terminal":false"#, r#""terminal":false,"reason":"mood""#, BREACH),
        (Operation::ApplyGuardrails, r#"{"kind":"onStart"}"#, r#"{"kind":"manual"}"#, BREACH),
        (Operation::ApplyGuardrails, r#""terminal":false"#, r#""terminal":true"#, BREACH),
        (Operation::ApplyGuardrails, r#""policyId":"again""#, r#""policyId":"stop""#, BREACH),
        (Operation::ApplyGuardrails, r#""severity":"informational""#, r#""severity":"hard""#, BREACH),
        (Operation::ApplyGuardrails, r#""cause":"advisory""#, r#""nodeId":"n","cause":"advisory""#, BREACH),
        (Operation::ApplyGuardrails, r#","diagnostic":"#, r#","x-diagnostic":"#, BREACH),
        (
            Operation::ApplyGuardrails,
            r#""payloads":[{"#,
            r#""payloads":[{"policyId":"again","trigger":{},"action":{}},{"#,
            BREACH,
        ),
        (Operation::NormalizePlan, r#""plan_hash":"sha256:"#, r#""plan_hash":"sha256:0"#, BREACH),
        (Operation::NormalizePlan, r#""format":"adjutant""#, r#""format":"planir""#, BREACH),
        (Operation::VerifyReplay, r#""linked":false"#, r#""linked":true"#, BREACH),
        (Operation::Deliberate, r#""gate":"stop""#, r#""gate":"continue""#, BREACH),
        (Operation::CheckPolicy, r#""severity":"error""#, r#""severity":"fatal""#, BREACH),
        (Operation::CheckPolicy, r#""findings":["#, r#""findings":[null,"#, BREACH),
        (Operation::Explain, r#""status":"partial""#, r#""status":"fine""#, BREACH),
        (Operation::Explain, r#""reasons":["#, r#""reasons":[7,"#, BREACH),
        (Operation::Explain, r#""next_step":"fix""#, r#""next_step":"ship""#, STEP),
    ] {
        let own = own(operation);
        let broken = own.replacen(from, to, 1);
        assert_ne!(broken, own, "{operation:?}: {from}");
        assert_eq!(ask(&answering(&host, &broken), operation), Err(code.to_owned()), "{operation:?}: {to}");
    }
}

/// The answer has the declared action and payload of the call.
#[test]
fn an_answer_is_not_milder_than_the_call_declares() {
    let host = host();
    let mild = own(Operation::ApplyGuardrails)
        .replace(r#"{"type":"pause","reason":"r"}"#, r#"{"type":"emit","event":"e"}"#)
        .replace(r#""terminal":true"#, r#""terminal":false"#);
    let asking = |reason: &str| {
        let action = r#"{"type":"hitl","rationale":"r"}"#;
        own(Operation::ApplyGuardrails)
            .replace(r#"{"type":"pause","reason":"r"}"#, action)
            .replace(r#""terminal":true"#, &format!(r#""terminal":true{reason}"#))
    };
    let nothing = r#"{"status":"accepted","satisfactionScore":0.5,"failures":[],"warnings":[],"infos":[]}"#;
    for (operation, answer, passes) in [
        (Operation::ApplyGuardrails, &*mild, false),
        (Operation::ApplyGuardrails, &asking(""), false),
        (Operation::ApplyGuardrails, &asking(r#","reason":"condition_undecided""#), true),
        (Operation::MergeDiagnostics, nothing, false),
    ] {
        assert_eq!(ask(&answering(&host, answer), operation).is_ok(), passes, "{operation:?}: {answer}");
    }
}

/// JSON without a list of next steps has no answer.
#[test]
fn inputs_that_allow_no_answer_get_none() {
    let host = host();
    for operation in [Operation::Evaluate, Operation::Refine, Operation::Explain] {
        let module = answering(&host, &own(operation));
        for input in
            ["{}", "[]", "null", r#"{"envelope":{}}"#, r#"{"envelope":{"allowed_next_steps":"fix"}}"#]
        {
            let error = module.call(operation, input.as_bytes()).unwrap_err();
            assert_eq!(error.code(), "module_invalid_decision", "{operation:?}: {input}");
        }
    }
}
