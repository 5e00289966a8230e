//! The output contract of `refine`, for answers from outside the engine (docs/reference/loop.md).

use adjudicate_lang::{
    Error,
    json::{Node, Pointer},
};

use crate::{
    contract::{breach, check_step, decode},
    documents::{
        envelope::Opcode,
        revision::{AnswerLoopEvent, AnswerRevision, LoopEventName},
    },
};

/// Checks a foreign answer against `input`, the input of the call. Checks the shape, the closed lists of words, and that there is
/// either a package or a reason for its absence. Each event has the fields of its name, and every step is an allowed one.
///
/// # Errors
///
/// [`module_invalid_decision`](crate::codes::MODULE_INVALID_DECISION) with the path of the field at fault in the answer, or
/// without a path if the input has no list of next steps. [`module_illegal_next_step`](crate::codes::MODULE_ILLEGAL_NEXT_STEP) at
/// the step.
///
/// ```
/// use adjudicate_core::{codes, json, revision::check_refinement};
/// let input = json::read(br#"{"envelope": {"allowed_next_steps": []}}"#, json::ReadLimits::DOCUMENT)?;
/// let answer = json::read(br#"{"package": null, "reason": "tired"}"#, json::ReadLimits::DOCUMENT)?;
/// let error = check_refinement(input.root(), answer.root()).unwrap_err();
/// assert_eq!((error.code(), error.path()), (codes::MODULE_INVALID_DECISION, "/reason"));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn check_refinement(input: Node<'_>, answer: Node<'_>) -> Result<(), Error> {
    let answer: AnswerRevision<'_> = decode(answer)?;
    match (&answer.package.0, answer.reason.0) {
        (Some(_), Some(_)) => {
            return Err(breach("/reason", "expected no reason, because the answer has a package"));
        }
        (None, None) => return Err(breach("/reason", "expected a package or a reason")),
        _ => {}
    }
    for (index, event) in answer.events.iter().enumerate() {
        let path = Pointer::new("/events").index(index).into_string();
        if !event.has_what_it_promises() {
            return Err(breach(&path, "the fields are not those of the event with this name"));
        }
        check_step(input, event.step(), &(path + "/next_step"))?;
    }
    if answer.next.history_entry.opcode != Opcode::Evaluate {
        return Err(breach("/next/history_entry/opcode", "expected `EVALUATE`"));
    }
    check_step(input, answer.status_patch.selected_step.0, "/status_patch/selected_step")
}

impl<'a> AnswerLoopEvent<'a> {
    fn has_what_it_promises(&self) -> bool {
        let given = (
            self.status.is_some(),
            self.next_step.is_some(),
            self.spent.is_some(),
            self.cap.is_some(),
            self.reason.is_some(),
        );
        let promised = match self.event {
            LoopEventName::ReviewCompleted | LoopEventName::RefinementRequested => {
                (false, false, false, false, false)
            }
            LoopEventName::EvaluateSelected => (true, true, false, false, false),
            LoopEventName::RefinementSpent => (false, false, true, true, false),
            LoopEventName::Escalated => (true, false, false, false, true),
        };
        given == promised
    }

    fn step(&self) -> Option<&'a str> {
        self.next_step.as_ref().and_then(|step| step.0)
    }
}

#[cfg(test)]
mod tests {
    use adjudicate_lang::{
        document::{Content, Definition, Describe as _, Field, Type},
        json::{self, ReadLimits},
    };

    use super::*;
    use crate::{Operation, documents::revision::LoopEvent};
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
        check_refinement(input.root(), json::read(answer.as_bytes(), ReadLimits::DOCUMENT)?.root())
    }

    fn own(envelope: &str) -> alloc::string::String {
        Operation::Refine.call(format!(r#"{{"envelope":{envelope}}}"#).as_bytes()).unwrap()
    }

    #[test]
    fn events_are_read_with_the_fields_that_are_written() {
        let Type::Named(Definition { content: Content::Tagged { tag: "event", variants, .. }, .. }) =
            LoopEvent::describe()
        else {
            panic!("events have the tag `event`");
        };
        assert!(variants.iter().map(|variant| variant.name).eq(LoopEventName::WORDS.iter().copied()));
        let Type::Named(read) = AnswerLoopEvent::describe() else { panic!("events have a name") };
        let shown = |field: &Field| format!("{:?}", (field.describe)());
        for written in variants.iter().flat_map(|variant| variant.fields) {
            let read = read.fields().find(|field| field.name == written.name);
            assert_eq!(read.map(shown), Some(shown(written)), "{}", written.name);
        }
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
        let input = json::read(br#"{"envelope": {}}"#, ReadLimits::DOCUMENT).unwrap();
        let answer = json::read(answer.as_bytes(), ReadLimits::DOCUMENT).unwrap();
        let error = check_refinement(input.root(), answer.root()).unwrap_err();
        assert_eq!((error.code().as_str(), error.path()), ("module_invalid_decision", ""));
    }
}
