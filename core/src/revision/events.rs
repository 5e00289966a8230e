//! What a run makes visible of its loop: events, and a change to its status file (OA06.1 section 6).
//!
//! No timestamps: when something happened is the kernel's to say.

use alloc::vec::Vec;

use serde::Serialize;

use crate::{
    codes::Status,
    evaluate::{Evaluation, LoopState},
};

/// Something that happened in the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum LoopEvent<'a> {
    /// The evidence holds a review.
    ReviewCompleted,
    /// The evaluator decided.
    EvaluateSelected {
        /// What it came to.
        status: Status,
        /// The step it chose, if any.
        next_step: Option<&'a str>,
    },
    /// It asks for a refinement.
    RefinementRequested,
    /// The loop is bounded, and no refinement is left.
    RefinementSpent {
        /// How many were made.
        spent: u64,
        /// How many are allowed.
        cap: u64,
    },
    /// The run leaves the loop.
    Escalated {
        /// What the decision came to.
        status: Status,
        /// The first rule that calls for that status.
        reason: &'a str,
    },
}

/// What to change in the status file of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct StatusPatch<'a> {
    /// What the latest decision came to.
    pub last_decision_status: Status,
    /// The step it chose, if any.
    pub selected_step: Option<&'a str>,
    /// Whether it asks for a refinement.
    pub refinement_requested: bool,
    /// Whether a person must decide.
    pub awaiting_human: bool,
    /// The first rule that calls for the status; null for `success` and `partial`.
    pub blocking_reason: Option<&'a str>,
    /// `true` if the evidence held a review.
    pub review_completed: bool,
    /// The refinements allowed and spent, as the evaluation has them.
    pub refinement: RefinementCount,
}

/// How many refinements are allowed and how many are spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct RefinementCount {
    /// How many are allowed.
    pub cap: u64,
    /// How many are spent.
    pub spent: u64,
}

/// The events of one evaluation, in their order, each when it applies.
pub(super) fn events<'a>(evaluation: &'a Evaluation<'a>, is_spent: bool) -> Vec<LoopEvent<'a>> {
    let Evaluation { decision, loop_state, .. } = evaluation;
    let (status, refinement) = (decision.status, loop_state.refinement);
    let events = [
        loop_state.review_completed.then_some(LoopEvent::ReviewCompleted),
        Some(LoopEvent::EvaluateSelected { status, next_step: decision.next_step }),
        refinement.requested.then_some(LoopEvent::RefinementRequested),
        is_spent.then_some(LoopEvent::RefinementSpent { spent: refinement.spent, cap: refinement.cap }),
        blocking_reason(evaluation).map(|reason| LoopEvent::Escalated { status, reason }),
    ];
    events.into_iter().flatten().collect()
}

/// The change to the status file.
pub(super) fn status_patch<'a>(evaluation: &'a Evaluation<'a>) -> StatusPatch<'a> {
    let status = evaluation.decision.status;
    let LoopState { review_completed, refinement, .. } = evaluation.loop_state;
    StatusPatch {
        last_decision_status: status,
        selected_step: evaluation.decision.next_step,
        refinement_requested: refinement.requested,
        awaiting_human: status == Status::NeedsHuman,
        blocking_reason: blocking_reason(evaluation),
        review_completed,
        refinement: RefinementCount { cap: refinement.cap, spent: refinement.spent },
    }
}

/// The first rule that calls for the status, if that is `blocked` or worse.
fn blocking_reason<'a>(evaluation: &'a Evaluation<'a>) -> Option<&'a str> {
    let status = evaluation.decision.status;
    evaluation.cause.filter(|_| status >= Status::Blocked)
}
