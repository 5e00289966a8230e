//! The output contract of `explain`: what its answer must be, whoever made it (SPEC section 12).

use alloc::vec::Vec;

use adjudicate_lang::{
    Error,
    json::{Node, Nullable, Pointer},
};
use serde::{Deserialize, de::IgnoredAny};

use super::{ChangeOp, Impossibility, RuleResult, ShownState};
use crate::{
    codes::Status,
    contract::{breach, check_step, decode, shapes},
    evaluate,
    policy::RuleMode,
};

/// Checks an answer that did not come from this engine: its shape, its closed lists of words, that there is either a
/// counterfactual, which is of `success`, or a reason why there is none, and that the steps it names are ones that the
/// input allows. `input` is that of the call.
///
/// That the reasons are those of the findings, and that the changes lead where they are said to, is not part of the
/// contract.
///
/// # Errors
///
/// [`module_invalid_decision`](crate::codes::MODULE_INVALID_DECISION) with the path of the member at fault in the
/// answer, or with none if the input has no list of next steps; and
/// [`module_illegal_next_step`](crate::codes::MODULE_ILLEGAL_NEXT_STEP) at the step.
///
/// ```
/// use adjudicate_core::{codes, explain::check_explanation, json};
/// let input = json::read(br#"{"allowed_next_steps": []}"#, json::Limits::DOCUMENT)?;
/// let answer = json::read(br#"{"counterfactual": {"changes": 3}}"#, json::Limits::DOCUMENT)?;
/// let error = check_explanation(input.root(), answer.root()).unwrap_err();
/// assert_eq!((error.code(), error.path()), (codes::MODULE_INVALID_DECISION, "/counterfactual/changes"));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn check_explanation(input: Node<'_>, answer: Node<'_>) -> Result<(), Error> {
    let read: Answer<'_> = decode(answer)?;
    check_step(input, read.evaluation.decision.next_step.0, "/evaluation/decision/next_step")?;
    match (&read.counterfactual.0, &read.no_counterfactual.0) {
        (Some(_), Some(_)) => {
            Err(breach("/no_counterfactual", "there is a counterfactual, so there is no reason why not"))
        }
        (None, None) => {
            Err(breach("/no_counterfactual", "there is no counterfactual, and no reason why not"))
        }
        (None, Some(_)) => Ok(()),
        (Some(found), None) if found.status != Status::Success => {
            Err(breach("/counterfactual/status", "a counterfactual leads to `success`"))
        }
        (Some(found), None) => {
            if let Some(index) = found.changes.iter().position(|change| !change.has_what_it_takes()) {
                let path = Pointer::new("/counterfactual/changes").index(index).into_string();
                return Err(breach(&path, "the change has not exactly the members of its `op`"));
            }
            check_step(input, found.next_step.0, "/counterfactual/next_step")
        }
    }
}

shapes! {
    "an explanation object" Answer {
        evaluation: evaluate::Answer<'a>, reasons: Vec<AnswerReason<'a>>, overruled: Vec<AnswerOverruled<'a>>,
        counterfactual: Nullable<AnswerCounterfactual<'a>>, no_counterfactual: Nullable<AnswerImpossibility<'a>>,
        trace: Option<AnswerTrace<'a>> = default,
    }
    "a reason object" AnswerReason {
        rule: &'a str, status: Status, evidence_ref: &'a str, expected: IgnoredAny, actual: IgnoredAny,
        decisive: bool, overruled_by: Option<&'a str> = default, mode: Option<RuleMode> = default,
        conditions: Vec<AnswerPart<'a>> = default,
    }
    "a condition part object" AnswerPart {
        path: &'a str, operator: Nullable<&'a str>, holds: Nullable<bool>, operands: Vec<AnswerOperand<'a>>,
        variables: Vec<AnswerInput<'a>>,
    }
    "an operand object" AnswerOperand { state: ShownState, value: IgnoredAny }
    "an input object" AnswerInput {
        variable: &'a str, evidence_ref: Nullable<&'a str>, state: ShownState, value: IgnoredAny,
    }
    "an overruled object" AnswerOverruled {
        rule: &'a str, status: Status, findings: u64, by: &'a str, by_status: Status, why: &'a str,
    }
    "a counterfactual object" AnswerCounterfactual {
        changes: Vec<AnswerChange<'a>>, resolves: Vec<&'a str>, status: Status, next_step: Nullable<&'a str>,
    }
    "a change object" AnswerChange {
        op: ChangeOp, path: &'a str, value: Given = default, was: Given = default,
    }
    "a reason why there is no counterfactual" AnswerImpossibility {
        reason: Impossibility, message: &'a str, rules: Vec<&'a str>,
    }
    "a trace object" AnswerTrace { inputs: Vec<AnswerInput<'a>>, rules: Vec<AnswerRule<'a>> }
    "a traced rule object" AnswerRule {
        rule: &'a str, verdict: RuleResult, findings: Vec<u64>, inputs: Vec<u64>, mode: Option<RuleMode> = default,
    }
}

/// Whether a member is there, null included.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Given(bool);

impl<'de> Deserialize<'de> for Given {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self(true))
    }
}

impl AnswerChange<'_> {
    fn has_what_it_takes(&self) -> bool {
        let (value, was) = (self.value.0, self.was.0);
        match self.op {
            ChangeOp::Add => value && !was,
            ChangeOp::Remove => !value && was,
            ChangeOp::Replace => value && was,
        }
    }
}
