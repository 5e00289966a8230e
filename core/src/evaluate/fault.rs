//! The evaluation in place of a missing one, for example because a policy module failed (docs/reference/slots.md).
//!
//! No module judged the evidence, so the evaluation has only one finding, which names the module and the error, and calls for
//! `unsafe`. Next step, loop state and form are those of any composed evaluation, so hosts check and compose it like an answer.
//! The engine itself never fails this way, so its wasm does not contain this module.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use adjudicate_lang::{Error, logic::Value};

use super::{compose::compose, external_answer::ExternalAnswer, facts::Facts};
use crate::{
    codes::{ResolutionKind, Status},
    documents::{
        evaluation::{Blocker, ComposedEvaluation, CompositionMode},
        finding::{ComposedFinding, Resolution, Shown},
    },
};

/// The rule, the flag and the blocker of the evaluation in place of a missing one.
pub const POLICY_MODULE_FAULT: &str = "policy_module_fault";

/// The number of characters of an error message that a summary quotes. Messages may quote texts of a module.
const QUOTED: usize = 500;

/// The reason why a call has no answer.
#[derive(Clone, Copy, Debug)]
pub enum Unanswered<'a> {
    /// The module of this name failed with this error.
    Failed(&'a str, &'a Error),
    /// No module is active in the slot of this name, with this error.
    Empty(&'a str, &'a Error),
}

/// Returns the decision of a host for a call without an answer: `unsafe` with the flag [`POLICY_MODULE_FAULT`], and the next step
/// for `unsafe`, if any.
///
/// ```
/// use adjudicate_core::{Error, codes, evaluate::{Envelope, Judged, Status, Unanswered, fault}, json};
/// # let text = br#"{"run_id": "r", "workflow_id": "w", "step_id": "s", "evaluate_prompt": "p.v1",
/// #   "allowed_next_steps": ["ship", "STOP"], "provenance_window": [], "evidence": {"transcript_summary": "",
/// #   "workspace_diff_summary": "", "validation": {"mechanical_outcome": "completed", "exit_codes": {},
/// #   "timeouts": []}, "artifacts": [], "policy_events": []}}"#;
/// let tape = json::read(text, json::ReadLimits::DOCUMENT)?;
/// let envelope = Envelope::from_tape(&tape)?;
/// let facts = Judged::new(&envelope, None)?;
/// let error = Error::new(codes::MODULE_NOT_UTF8, "the module's reply is not UTF-8 from byte 7 on");
/// let decision = fault(&facts, Unanswered::Failed("house-rules", &error)).decision;
/// assert_eq!((decision.status, decision.next_step), (Status::Unsafe, Some("STOP")));
/// assert_eq!(decision.risk_flags, ["policy_module_fault"]);
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[must_use]
pub fn fault<'a>(facts: &'a Facts<'a>, unanswered: Unanswered<'a>) -> ComposedEvaluation<'a> {
    let status = Status::Unsafe;
    let (Unanswered::Failed(origin, error) | Unanswered::Empty(origin, error)) = unanswered;
    let code = error.code().as_str();
    let message = shortened(error.message());
    let (summary, hint) = match unanswered {
        Unanswered::Empty(..) => (
            format!("no module was asked (`{code}`): {message}"),
            format!("activate a module in the slot `{origin}`, and evaluate again"),
        ),
        Unanswered::Failed(..) => (
            format!("the module `{origin}` failed with `{code}`: {message}"),
            format!("fix `{origin}`, or activate another version, and evaluate again"),
        ),
    };
    let resolution = Resolution { kind: ResolutionKind::Terminal, hint: Cow::from(hint) };
    one_finding(
        facts,
        ComposedFinding {
            rule: POLICY_MODULE_FAULT,
            status,
            flag: Some(POLICY_MODULE_FAULT),
            blocker: Some(POLICY_MODULE_FAULT),
            severity: status.severity(),
            summary: Cow::from(summary),
            evidence_ref: Some(Cow::Borrowed("")),
            count: None,
            expected: None,
            actual: Some(Value::from(Shown::from(code))),
            resolution,
            mode: None,
            origin,
        },
    )
}

/// Returns the evaluation that has only this finding, with its flag and blocker.
pub(super) fn one_finding<'a>(facts: &'a Facts<'a>, finding: ComposedFinding<'a>) -> ComposedEvaluation<'a> {
    let blocker = finding.blocker.map(|code| Blocker {
        code,
        summary: finding.summary.clone(),
        evidence_ref: finding.evidence_ref.clone().unwrap_or_default(),
        severity: finding.severity,
    });
    let answer = ExternalAnswer {
        flags: finding.flag.into_iter().collect(),
        blockers: blocker.into_iter().collect(),
        findings: Vec::from([finding]),
        fixes: Vec::new(),
        known: Vec::new(),
    };
    compose(facts, answer, Vec::new(), CompositionMode::Restrict)
}

/// Cuts a message to a line or two.
pub(super) fn shortened(message: &str) -> Cow<'_, str> {
    match message.char_indices().nth(QUOTED).and_then(|(end, _)| message.get(..end)) {
        Some(beginning) => Cow::from(String::from(beginning) + "..."),
        None => Cow::Borrowed(message),
    }
}

#[cfg(test)]
mod tests {
    use adjudicate_lang::json::{self, ReadLimits};

    use super::*;
    use crate::{
        Operation, Policy, codes,
        evaluate::{AnswerText, ComposedCall, CompositionMember},
        fail_closed,
    };

    /// An envelope that leads to `partial`, after two `partial` results, with these next steps and fields.
    fn envelope(steps: &str, more: &str) -> String {
        let entry = r#"{"step_id":"e","opcode":"EVALUATE","status":"partial","diff_summary":"","risk_flags":[],
            "blocker_codes":[]}"#;
        let envelope = adjudicate_tests::envelope! {
            steps: "[STEPS]",
            diff: r#"" M a""#,
            exit_codes: r#"{"test":1}"#,
            artifacts: r#"["test.log"]"#,
            policy_events: r#"["warning: slow"]"#,
        };
        let history = format!(r#"{{"evaluate_history":[{entry},{entry}],{more}"#);
        envelope.replacen("STEPS", steps, 1).replacen('{', &history, 1)
    }

    /// The answer if the module `house` failed with this error.
    fn fail(call: &str, error: &Error) -> Result<String, Error> {
        fail_closed(call.as_bytes(), Unanswered::Failed("house", error))
    }

    fn failure() -> Error {
        Error::new(codes::MODULE_MALFORMED_REPLY, "the module's reply is malformed")
    }

    /// The answer after a failure of `house`. It satisfies the output contract.
    fn failed(call: &str) -> String {
        let answer = fail(call, &failure()).unwrap();
        let (input, output) = (
            json::read(call.as_bytes(), ReadLimits::DOCUMENT),
            json::read(answer.as_bytes(), ReadLimits::ANSWER),
        );
        Operation::Evaluate.check_answer(input.unwrap().root(), output.unwrap().root()).unwrap();
        answer
    }

    #[test]
    fn the_whole_answer() {
        let answer = failed(&envelope(r#""ship","fix""#, ""));
        let summary =
            "the module `house` failed with `module_malformed_reply`: the module's reply is malformed";
        let expected = format!(
            concat!(
                r#"{{"decision":{{"status":"unsafe","next_step":null,"fix_instructions":null,"blockers":["#,
                r#"{{"code":"policy_module_fault","summary":"{0}","evidence_ref":"","severity":"high"}}],"#,
                r#""risk_flags":["policy_module_fault"]}},"findings":[{{"rule":"policy_module_fault","#,
                r#""status":"unsafe","flag":"policy_module_fault","blocker":"policy_module_fault","#,
                r#""severity":"high","summary":"{0}","evidence_ref":"","actual":"module_malformed_reply","#,
                r#""resolution":{{"kind":"terminal","#,
                r#""hint":"fix `house`, or activate another version, and evaluate again"}},"#,
                r#""origin":"house"}}],"loop":{{"consecutive_partials":0,"review_completed":false,"#,
                r#""refinement":{{"cap":1,"spent":0,"requested":false}},"escalation":null,"route":null}},"policy":null}}"#,
            ),
            summary
        );
        assert_eq!(answer, expected);
    }

    #[test]
    fn the_next_step_is_one_that_unsafe_asks_for() {
        for (steps, more, next) in [
            ("", "", "null"),
            (r#""ship","fix""#, "", "null"),
            (r#""ship","STOP""#, "", r#""STOP""#),
            (r#""STOP","review""#, "", r#""review""#),
            (r#""review","rollback","STOP""#, "", r#""rollback""#),
            (r#""ship","undo""#, r#""steps":{"undo":{"role":"rollback"}},"#, r#""undo""#),
        ] {
            let answer = failed(&envelope(steps, more));
            let expected = format!(r#"{{"decision":{{"status":"unsafe","next_step":{next},"#);
            assert!(answer.starts_with(&expected), "{steps}: {answer}");
        }
    }

    #[test]
    fn the_policy_of_the_call_routes_and_bounds_the_loop() {
        let policy = r#"{"policy":"ours","version":"1.2.0","profile":"oa06.1","routes":{"rollback":["undo-*"]},
            "parameters":{"refinement_cap":7}}"#;
        let call = format!(r#"{{"envelope":{},"policy":{policy}}}"#, envelope(r#""undo-it""#, ""));
        let answer = failed(&call);
        for part in [
            r#""next_step":"undo-it""#,
            r#""refinement":{"cap":7,"spent":2,"requested":false}"#,
            r#""policy":{"name":"ours","version":"1.2.0"}"#,
        ] {
            assert!(answer.contains(part), "{part}: {answer}");
        }
    }

    #[test]
    fn unreadable_calls_have_no_decision() {
        let good = envelope("", "");
        for (call, code, path) in [
            ("{", "malformed_json", ""),
            ("{}", "missing_field", "/run_id"),
            (
                &*good.replacen("completed", "finished", 1),
                "invalid_value",
                "/evidence/validation/mechanical_outcome",
            ),
            (&format!(r#"{{"envelope":{good},"policy":{{"policy":"p"}}}}"#), "missing_field", "/version"),
        ] {
            let error = fail(call, &failure()).unwrap_err();
            let own = Operation::Evaluate.call(call.as_bytes()).unwrap_err();
            assert_eq!((error.code().as_str(), error.path()), (code, path));
            assert_eq!(error, own);
        }
    }

    #[test]
    fn no_composition_makes_it_more_lenient() {
        let envelope = envelope(r#""ship","fix","STOP""#, "");
        let failed = failed(&envelope);
        let ours = Operation::Evaluate.call(envelope.as_bytes()).unwrap();
        let [failed, ours] = [("house", &failed), ("ours", &ours)]
            .map(|(origin, answer)| AnswerText { origin, answer: answer.as_bytes() });
        let lenient = Policy::parse(br#"{"policy":"lenient","version":"1.0.0"}"#).unwrap();
        for call in [
            ComposedCall {
                answer: Some(failed),
                restrictions: Vec::from([CompositionMember::Answer(ours)]),
                ..ComposedCall::default()
            },
            ComposedCall {
                answer: Some(ours),
                restrictions: Vec::from([CompositionMember::Answer(failed)]),
                ..ComposedCall::default()
            },
            ComposedCall {
                answer: Some(ours),
                overrides: Vec::from([CompositionMember::Policy(&lenient)]),
                restrictions: Vec::from([CompositionMember::Answer(failed)]),
                ..ComposedCall::default()
            },
        ] {
            let composed = call.evaluate(envelope.as_bytes()).unwrap();
            assert!(composed.starts_with(
                r#"{"decision":{"status":"unsafe","next_step":"STOP","fix_instructions":null,"#
            ));
            assert!(
                composed.contains(r#""origin":"house""#)
                    && composed.contains(r#""rule":"validation_failed""#)
            );
        }
    }

    #[test]
    fn an_empty_slot_is_not_reported_as_a_failed_module() {
        let error = Error::new(codes::UNSUPPORTED_OPERATION, "nothing is active in the slot `release`");
        let unanswered = Unanswered::Empty("release", &error);
        let answer = fail_closed(envelope(r#""STOP""#, "").as_bytes(), unanswered).unwrap();
        assert!(answer.contains(
            r#""summary":"no module was asked (`unsupported_operation`): nothing is active in the slot `release`""#
        ));
        assert!(answer.contains(r#""hint":"activate a module in the slot `release`, and evaluate again""#));
        assert!(!answer.contains("the module `release`"), "{answer}");
    }

    #[test]
    fn a_long_message_is_cut() {
        let error = Error::new(codes::MODULE_ILLEGAL_NEXT_STEP, "é".repeat(10_000));
        let answer = fail(&envelope("", ""), &error).unwrap();
        assert!(answer.contains("ééé...\"") && answer.len() < 4_000, "{}", answer.len());
    }
}
