//! The output contract: what an `evaluate` answer must be, whoever made it (SPEC section 3.6).

use alloc::vec::Vec;

use adjudicate_lang::{
    Error,
    json::{Node, Nullable},
};
use serde::de::IgnoredAny;

use super::{evidence::Edit, finding::ResolutionKind, route::ClassifiedBy};
use crate::{
    codes::{Severity, Status},
    contract::{check_step, decode, shapes},
    policy::{Role, RuleMode},
};

/// Checks an answer that did not come from this engine: its shape, its closed lists of words, and that its next
/// step is one that the input allows. `input` is that of the call: a bare envelope, or one with a policy.
///
/// That the status follows from the findings, or the findings from the evidence, is not part of the contract: other
/// engines may have other rules.
///
/// # Errors
///
/// [`module_invalid_decision`](crate::codes::MODULE_INVALID_DECISION) with the path of the member at fault in the answer, or with none if the input
/// has no list of next steps, so that there can be no answer; and [`module_illegal_next_step`](crate::codes::MODULE_ILLEGAL_NEXT_STEP) at
/// `/decision/next_step`.
///
/// ```
/// use adjudicate_core::{codes, evaluate::check_answer, json};
/// let input = json::read(br#"{"allowed_next_steps": []}"#, json::Limits::DOCUMENT)?;
/// let answer = json::read(br#"{"decision": {"status": "fine"}}"#, json::Limits::DOCUMENT)?;
/// let error = check_answer(input.root(), answer.root()).unwrap_err();
/// assert_eq!((error.code(), error.path()), (codes::MODULE_INVALID_DECISION, "/decision/status"));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn check_answer(input: Node<'_>, answer: Node<'_>) -> Result<(), Error> {
    let answer: Answer<'_> = decode(answer)?;
    check_step(input, answer.decision.next_step.0, "/decision/next_step")
}

shapes! {
    "an evaluation object" Answer {
        decision: AnswerDecision<'a>, findings: Vec<AnswerFinding<'a>>, r#loop: AnswerLoop<'a>,
        policy: Nullable<AnswerPolicy<'a>>,
    }
    "a decision object" AnswerDecision {
        status: Status, next_step: Nullable<&'a str>, fix_instructions: Nullable<AnswerFix<'a>>,
        blockers: Vec<AnswerBlocker<'a>>, risk_flags: Vec<&'a str>,
    }
    "a fix instructions object" AnswerFix {
        objective: &'a str, constraints: Vec<&'a str>, edits: Vec<Edit<'a>>,
        verification: Vec<AnswerVerification<'a>>,
    }
    "a verification object" AnswerVerification { command: &'a str, expected_signal: &'a str }
    "a blocker object" AnswerBlocker {
        code: &'a str, summary: &'a str, evidence_ref: Nullable<&'a str>, severity: Severity,
    }
    "a finding object" AnswerFinding {
        rule: &'a str, status: Status, flag: Option<&'a str> = default, blocker: Option<&'a str> = default,
        severity: Severity, summary: &'a str, evidence_ref: Nullable<&'a str>, count: Option<u64> = default,
        expected: Option<IgnoredAny> = default, actual: Option<IgnoredAny> = default,
        resolution: AnswerResolution<'a>, mode: Option<RuleMode> = default, origin: Option<&'a str> = default,
    }
    "a resolution object" AnswerResolution { kind: ResolutionKind, hint: &'a str }
    "a loop object" AnswerLoop {
        consecutive_partials: u64, review_completed: bool, refinement: AnswerRefinement<'a>,
        escalation: Nullable<AnswerEscalation<'a>>, route: Nullable<AnswerRoute<'a>> = default,
    }
    "a refinement object" AnswerRefinement { cap: u64, spent: u64, requested: bool }
    "an escalation object" AnswerEscalation { reason: &'a str, from: Status, to: Status }
    "an object with `role` and `by`" AnswerRoute { role: Role, by: ClassifiedBy }
    "an object with `name` and `version`" AnswerPolicy { name: &'a str, version: &'a str }
}

#[cfg(test)]
mod tests {
    use adjudicate_lang::json::{self, Limits};

    use super::*;
    use crate::{Operation, codes};

    const ENVELOPE: &str = adjudicate_tests::envelope! {
        steps: r#"["fix"]"#,
        diff: r#"" M a""#,
        exit_codes: r#"{"test":1}"#,
        artifacts: r#"["test.log"]"#,
        policy_events: r#"["warning"]"#,
    };

    fn check(input: &str, answer: &str) -> Result<(), Error> {
        let input = json::read(input.as_bytes(), Limits::DOCUMENT)?;
        check_answer(input.root(), json::read(answer.as_bytes(), Limits::DOCUMENT)?.root())
    }

    #[test]
    fn our_own_answers_pass() {
        let answer = Operation::Evaluate.call(ENVELOPE.as_bytes()).unwrap();
        assert!(answer.contains(r#""next_step":"fix""#), "{answer}");
        check(ENVELOPE, &answer).unwrap();
        let wrapped = alloc::format!(r#"{{"envelope":{ENVELOPE},"policy":null}}"#);
        check(&wrapped, &answer).unwrap();
    }

    #[test]
    fn every_breach_has_its_code() {
        let answer = Operation::Evaluate.call(ENVELOPE.as_bytes()).unwrap();
        for (from, to, code, path) in [
            (
                r#""next_step":"fix""#,
                r#""next_step":"ship""#,
                "module_illegal_next_step",
                "/decision/next_step",
            ),
            (r#""next_step":"fix","#, "", "module_invalid_decision", "/decision/next_step"),
            (r#""status":"partial""#, r#""status":"fine""#, "module_invalid_decision", "/decision/status"),
            (r#""blockers":["#, r#""blockers":[3,"#, "module_invalid_decision", "/decision/blockers/0"),
            (r#""findings":"#, r#""extra":1,"findings":"#, "module_invalid_decision", "/extra"),
            (r#""spent":0"#, r#""spent":-1"#, "module_invalid_decision", "/loop/refinement/spent"),
        ] {
            let broken = answer.replacen(from, to, 1);
            assert_ne!(broken, answer, "{from}");
            let error = check(ENVELOPE, &broken).unwrap_err();
            assert_eq!((error.code().as_str(), error.path()), (code, path), "{from}");
        }
    }

    #[test]
    fn an_input_without_a_list_of_steps_has_no_answer() {
        let answer = Operation::Evaluate.call(ENVELOPE.as_bytes()).unwrap();
        let stepless = answer.replacen(r#""next_step":"fix""#, r#""next_step":null"#, 1);
        check(r#"{"allowed_next_steps": []}"#, &stepless).unwrap();
        for input in [
            "{}",
            "[]",
            "7",
            r#"{"allowed_next_steps": "fix"}"#,
            r#"{"envelope": 5, "allowed_next_steps": ["fix"]}"#,
        ] {
            for answer in [&answer, &stepless] {
                let error = check(input, answer).unwrap_err();
                assert_eq!((error.code(), error.path()), (codes::MODULE_INVALID_DECISION, ""), "{input}");
            }
        }
    }
}
