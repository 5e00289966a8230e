//! The output contract of `evaluate`, for answers from outside the engine (docs/reference/rules.md).

use adjudicate_lang::{Error, json::Node};

use crate::{
    contract::{check_step, decode},
    documents::evaluation::AnswerEvaluation,
};

/// Checks a foreign answer against `input`, the input of the call: a bare envelope, or one with a policy. Checks the shape, the
/// closed lists of words, and that the next step is an allowed one.
///
/// The contract does not check that the status follows from the findings, or the findings from the evidence, because other
/// engines may have other rules.
///
/// # Errors
///
/// [`module_invalid_decision`](crate::codes::MODULE_INVALID_DECISION) with the path of the field at fault in the answer. The path
/// is empty if the input has no list of next steps, because such a call has no answer.
/// [`module_illegal_next_step`](crate::codes::MODULE_ILLEGAL_NEXT_STEP) at `/decision/next_step`.
///
/// ```
/// use adjudicate_core::{codes, evaluate::check_answer, json};
/// let input = json::read(br#"{"allowed_next_steps": []}"#, json::ReadLimits::DOCUMENT)?;
/// let answer = json::read(br#"{"decision": {"status": "fine"}}"#, json::ReadLimits::DOCUMENT)?;
/// let error = check_answer(input.root(), answer.root()).unwrap_err();
/// assert_eq!((error.code(), error.path()), (codes::MODULE_INVALID_DECISION, "/decision/status"));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn check_answer(input: Node<'_>, answer: Node<'_>) -> Result<(), Error> {
    let answer: AnswerEvaluation<'_> = decode(answer)?;
    check_step(input, answer.decision.next_step.0, "/decision/next_step")
}

#[cfg(test)]
mod tests {
    use adjudicate_lang::json::{self, ReadLimits};

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
        let input = json::read(input.as_bytes(), ReadLimits::DOCUMENT)?;
        check_answer(input.root(), json::read(answer.as_bytes(), ReadLimits::DOCUMENT)?.root())
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
