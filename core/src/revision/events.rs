//! The visible part of the revision loop: events, and a change to the run's status file (docs/reference/loop.md).
//!
//! Events have no timestamps, because the engine has no clock.

use alloc::vec::Vec;

use crate::{
    codes::Status,
    documents::{
        evaluation::{Evaluation, LoopState},
        revision::{LoopEvent, RefinementCount, StatusPatch},
    },
};

/// The events of one evaluation, in order, each if it applies.
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
