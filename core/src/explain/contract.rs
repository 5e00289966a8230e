//! The output contract of `explain`, for answers from outside the engine (docs/reference/policies.md).

use adjudicate_lang::{
    Error,
    json::{Node, Pointer},
};

use crate::{
    codes::Status,
    contract::{breach, check_step, decode},
    documents::{
        counterfactual::{AnswerEvidenceChange, ChangeOp},
        explanation::AnswerExplanation,
    },
};

/// Checks a foreign answer against `input`, the input of the call. Checks the shape, the closed lists of words, and that
/// each next step is an allowed one. There must be either a counterfactual with the status `success`, or a reason for its absence.
///
/// The contract does not check that reasons match the findings, that routes are those of the allowed steps, or that the changes
/// have the stated effect.
///
/// # Errors
///
/// [`module_invalid_decision`](crate::codes::MODULE_INVALID_DECISION) with the path of the field at fault in the answer, or
/// without a path if the input has no list of next steps. [`module_illegal_next_step`](crate::codes::MODULE_ILLEGAL_NEXT_STEP) at
/// the step.
///
/// ```
/// use adjudicate_core::{codes, explain::check_explanation, json};
/// let input = json::read(br#"{"allowed_next_steps": []}"#, json::ReadLimits::DOCUMENT)?;
/// let answer = json::read(br#"{"counterfactual": {"changes": 3}}"#, json::ReadLimits::DOCUMENT)?;
/// let error = check_explanation(input.root(), answer.root()).unwrap_err();
/// assert_eq!((error.code(), error.path()), (codes::MODULE_INVALID_DECISION, "/counterfactual/changes"));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn check_explanation(input: Node<'_>, answer: Node<'_>) -> Result<(), Error> {
    let read: AnswerExplanation<'_> = decode(answer)?;
    check_step(input, read.evaluation.decision.next_step.0, "/evaluation/decision/next_step")?;
    match (&read.counterfactual.0, &read.no_counterfactual.0) {
        (Some(_), Some(_)) => {
            Err(breach("/no_counterfactual", "expected null, because the answer has a counterfactual"))
        }
        (None, None) => Err(breach("/no_counterfactual", "expected a counterfactual or a reason")),
        (None, Some(_)) => Ok(()),
        (Some(found), None) if found.status != Status::Success => {
            Err(breach("/counterfactual/status", "expected `success`"))
        }
        (Some(found), None) => {
            if let Some(index) = found.changes.iter().position(|change| !change.has_what_it_takes()) {
                let path = Pointer::new("/counterfactual/changes").index(index).into_string();
                return Err(breach(&path, "the fields are not those of a change with this `op`"));
            }
            check_step(input, found.next_step.0, "/counterfactual/next_step")
        }
    }
}

impl AnswerEvidenceChange<'_> {
    fn has_what_it_takes(&self) -> bool {
        // Null is a value.
        let (value, was) = (self.value.is_some(), self.was.is_some());
        match self.op {
            ChangeOp::Add => value && !was,
            ChangeOp::Remove => !value && was,
            ChangeOp::Replace => value && was,
        }
    }
}
