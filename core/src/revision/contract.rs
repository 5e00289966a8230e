//! The output contract of `refine`: what its answer must be, whoever made it (SPEC section 4).

use alloc::vec::Vec;

use adjudicate_lang::{
    Error,
    json::{Node, Nullable, Pointer},
};
use serde::Deserialize;

use super::NoPackage;
use crate::{
    codes::{Severity, Status},
    contract::{breach, check_step, decode, shapes},
    evaluate::{Edit, EntryBlocker, Opcode},
};

/// Checks an answer that did not come from this engine: its shape, its closed lists of words, that there is either a
/// package or a reason why there is none, that each event has what its name promises, and that the steps it names are
/// ones that the input allows. `input` is that of the call.
///
/// # Errors
///
/// [`module_invalid_decision`](crate::codes::MODULE_INVALID_DECISION) with the path of the member at fault in the
/// answer, or with none if the input has no list of next steps; and
/// [`module_illegal_next_step`](crate::codes::MODULE_ILLEGAL_NEXT_STEP) at the step.
///
/// ```
/// use adjudicate_core::{codes, json, revision::check_refinement};
/// let input = json::read(br#"{"envelope": {"allowed_next_steps": []}}"#, json::Limits::DOCUMENT)?;
/// let answer = json::read(br#"{"package": null, "reason": "tired"}"#, json::Limits::DOCUMENT)?;
/// let error = check_refinement(input.root(), answer.root()).unwrap_err();
/// assert_eq!((error.code(), error.path()), (codes::MODULE_INVALID_DECISION, "/reason"));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn check_refinement(input: Node<'_>, answer: Node<'_>) -> Result<(), Error> {
    let answer: Answer<'_> = decode(answer)?;
    match (&answer.package.0, answer.reason.0) {
        (Some(_), Some(_)) => {
            return Err(breach("/reason", "there is a package, so there is no reason why not"));
        }
        (None, None) => return Err(breach("/reason", "there is no package, and no reason why not")),
        _ => {}
    }
    for (index, event) in answer.events.iter().enumerate() {
        let path = Pointer::new("/events").index(index).into_string();
        if !event.has_what_it_promises() {
            return Err(breach(&path, "the event has not exactly the members of its name"));
        }
        check_step(input, event.step(), &(path + "/next_step"))?;
    }
    if answer.next.history_entry.opcode != Opcode::Evaluate {
        return Err(breach("/next/history_entry/opcode", "expected `EVALUATE`"));
    }
    check_step(input, answer.status_patch.selected_step.0, "/status_patch/selected_step")
}

/// The names of the events.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EventName {
    ReviewCompleted,
    EvaluateSelected,
    RefinementRequested,
    RefinementSpent,
    Escalated,
}

shapes! {
    "a refinement answer object" Answer {
        package: Nullable<AnswerPackage<'a>>, reason: Nullable<NoPackage>, events: Vec<AnswerEvent<'a>>,
        status_patch: AnswerPatch<'a>, next: AnswerNext<'a>,
    }
    "a refinement package object" AnswerPackage {
        objective: &'a str, issues: Vec<AnswerIssue<'a>>, constraints: Vec<&'a str>, artifact_refs: Vec<&'a str>,
        verification: Vec<AnswerVerification<'a>>,
    }
    "an issue object" AnswerIssue {
        id: &'a str, summary: &'a str, severity: Severity, evidence_ref: &'a str, edit: Option<Edit<'a>> = default,
    }
    "a verification object" AnswerVerification { command: &'a str, expected_signal: &'a str }
    "an event object" AnswerEvent {
        event: EventName, status: Option<Status> = default, next_step: Option<Nullable<&'a str>> = default,
        spent: Option<u64> = default, cap: Option<u64> = default, reason: Option<&'a str> = default,
    }
    "a status patch object" AnswerPatch {
        last_decision_status: Status, selected_step: Nullable<&'a str>, refinement_requested: bool,
        awaiting_human: bool, blocking_reason: Nullable<&'a str>, review_completed: Option<bool> = default,
        refinement: Option<AnswerRefinement<'a>> = default,
    }
    "an object with `refinement` and `history_entry`" AnswerNext {
        refinement: AnswerRefinement<'a>, history_entry: AnswerEntry<'a>,
    }
    "a refinement object" AnswerRefinement { cap: u64, spent: u64 }
    "a history entry object" AnswerEntry {
        step_id: &'a str, opcode: Opcode, status: Status, diff_summary: &'a str, risk_flags: Vec<&'a str>,
        blocker_codes: Vec<&'a str>, blockers: Option<Vec<EntryBlocker<'a>>> = default, failures: u64,
        reviewed: Option<bool> = default,
    }
}

impl<'a> AnswerEvent<'a> {
    fn has_what_it_promises(&self) -> bool {
        let given = (
            self.status.is_some(),
            self.next_step.is_some(),
            self.spent.is_some(),
            self.cap.is_some(),
            self.reason.is_some(),
        );
        let promised = match self.event {
            EventName::ReviewCompleted | EventName::RefinementRequested => {
                (false, false, false, false, false)
            }
            EventName::EvaluateSelected => (true, true, false, false, false),
            EventName::RefinementSpent => (false, false, true, true, false),
            EventName::Escalated => (true, false, false, false, true),
        };
        given == promised
    }

    fn step(&self) -> Option<&'a str> {
        self.next_step.as_ref().and_then(|step| step.0)
    }
}

#[cfg(test)]
mod tests {
    use adjudicate_lang::json::{self, Limits};

    use super::*;
    use crate::Operation;
    use alloc::format;

    const ENVELOPE: &str = adjudicate_tests::envelope! {
        steps: r#"["fix"]"#,
        diff: r#"" M a""#,
        exit_codes: r#"{"test":1}"#,
        artifacts: r#"["test.log"]"#,
    };

    fn check(answer: &str) -> Result<(), Error> {
        let input = format!(r#"{{"envelope":{ENVELOPE}}}"#);
        let input = Operation::Refine.read(input.as_bytes())?;
        check_refinement(input.root(), json::read(answer.as_bytes(), Limits::DOCUMENT)?.root())
    }

    fn own(envelope: &str) -> alloc::string::String {
        Operation::Refine.call(format!(r#"{{"envelope":{envelope}}}"#).as_bytes()).unwrap()
    }

    #[test]
    fn our_own_answers_pass() {
        for (from, to) in [("", ""), (r#""test":1"#, r#""test":0"#), ("completed", "killed_policy")] {
            let answer = own(&ENVELOPE.replacen(from, to, 1));
            assert_eq!(check(&answer), Ok(()), "{answer}");
        }
    }

    #[test]
    fn every_breach_has_its_code() {
        let answer = own(ENVELOPE);
        for (from, to, code, path) in [
            (&*answer, "null", "module_invalid_decision", ""),
            (r#""reason":null"#, r#""reason":"success""#, "module_invalid_decision", "/reason"),
            (r#""reason":null"#, r#""reason":"tired""#, "module_invalid_decision", "/reason"),
            (r#""reason":null,"#, "", "module_invalid_decision", "/reason"),
            (r#""objective""#, r#""objectiv""#, "module_invalid_decision", "/package/objectiv"),
            (
                r#""next_step":"fix""#,
                r#""next_step":"ship""#,
                "module_illegal_next_step",
                "/events/0/next_step",
            ),
            (r#","next_step":"fix""#, "", "module_invalid_decision", "/events/0"),
            ("evaluate_selected", "escalated", "module_invalid_decision", "/events/0"),
            ("evaluate_selected", "evaluated", "module_invalid_decision", "/events/0/event"),
            (
                r#""selected_step":"fix""#,
                r#""selected_step":"ship""#,
                "module_illegal_next_step",
                "/status_patch/selected_step",
            ),
            ("EVALUATE", "GATE", "module_invalid_decision", "/next/history_entry/opcode"),
            (
                r#""failures":1"#,
                r#""failures":-1"#,
                "module_invalid_decision",
                "/next/history_entry/failures",
            ),
        ] {
            let broken = answer.replacen(from, to, 1);
            assert_ne!(broken, answer, "{from}");
            let error = check(&broken).unwrap_err();
            assert_eq!((error.code().as_str(), error.path()), (code, path), "{from}");
        }
    }

    #[test]
    fn an_input_without_a_list_of_steps_has_no_answer() {
        let answer = own(&ENVELOPE.replacen(r#"["fix"]"#, "[]", 1));
        let input = json::read(br#"{"envelope": {}}"#, Limits::DOCUMENT).unwrap();
        let answer = json::read(answer.as_bytes(), Limits::DOCUMENT).unwrap();
        let error = check_refinement(input.root(), answer.root()).unwrap_err();
        assert_eq!((error.code().as_str(), error.path()), ("module_invalid_decision", ""));
    }
}
