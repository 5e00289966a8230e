//! The revision loop: instructions for a refinement step, events of the run, and data for the next evaluation
//! (docs/reference/loop.md).
//!
//! ```text
//! Facts, Evaluation -> package        instructions for a refinement step   package
//!                   -> events, patch  the visible part of the loop         events
//!                   -> next           data for the next envelope           next
//! ```
//!
//! This module only reshapes the evaluation. A package consists of typed fields of the evidence and the evaluator's own findings,
//! never of a transcript or the text of an artifact.

mod agreement;
mod contract;
mod events;
mod name_status;
mod next;
mod package;

use crate::{codes::Status, documents::evaluation::Evaluation, evaluate::Facts};

pub use crate::documents::revision::{
    HistoryEntry, LoopEvent, LoopEventName, NextLoop, NoPackage, OwnedHistoryEntry, OwnedLoopEvent,
    OwnedNextLoop, OwnedRefinementCount, OwnedRefinementIssue, OwnedRefinementPackage, OwnedRevision,
    OwnedStatusPatch, RefinementCount, RefinementIssue, RefinementPackage, Revision, StatusPatch,
};
pub(crate) use agreement::check_agreement;
pub use contract::check_refinement;
pub(crate) use name_status::name_status;

/// Derives the input of the revision loop from an evaluation.
///
/// The evaluation must be that of the same facts.
///
/// ```
/// use adjudicate_core::{evaluate::{Envelope, Judged, evaluate}, json, revision::{NoPackage, refine}};
/// # let text = br#"{"run_id": "r", "workflow_id": "w", "step_id": "judge", "evaluate_prompt": "p.v1",
/// #   "allowed_next_steps": [], "provenance_window": [], "evidence": {"transcript_summary": "",
/// #   "workspace_diff_summary": "", "validation": {"mechanical_outcome": "killed_policy", "exit_codes": {},
/// #   "timeouts": []}, "artifacts": [], "policy_events": []}}"#;
/// let tape = json::read(text, json::ReadLimits::DOCUMENT)?;
/// let envelope = Envelope::from_tape(&tape)?;
/// let facts = Judged::new(&envelope, None)?;
/// let evaluation = evaluate(&facts);
/// let revision = refine(&facts, &evaluation);
/// assert_eq!(revision.reason, Some(NoPackage::Unsafe));
/// assert_eq!(revision.status_patch.blocking_reason, Some("policy_violation"));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[must_use]
pub fn refine<'a>(facts: &'a Facts<'a>, evaluation: &'a Evaluation<'a>) -> Revision<'a> {
    let is_spent = evaluation.loop_state.refinement.is_spent(facts.policy().profile());
    let package =
        if evaluation.loop_state.refinement.requested { package::package(facts, evaluation) } else { None };
    Revision {
        reason: package.is_none().then(|| why_not(evaluation, is_spent)),
        package,
        events: events::events(evaluation, is_spent),
        status_patch: events::status_patch(evaluation),
        next: next::next(facts, evaluation),
        known_failures: evaluation.known_failures.clone(),
    }
}

fn why_not(evaluation: &Evaluation<'_>, is_spent: bool) -> NoPackage {
    let escalated_from = evaluation.loop_state.escalation.map(|escalation| escalation.from);
    match evaluation.decision.status {
        Status::Success => NoPackage::Success,
        // With a fix step it would be requested: under a spent limit, the status is not `partial`.
        Status::Partial => NoPackage::NoFixStep,
        Status::Blocked => NoPackage::Blocked,
        Status::NeedsHuman if is_spent && escalated_from == Some(Status::Partial) => {
            NoPackage::RefinementSpent
        }
        Status::NeedsHuman => NoPackage::NeedsHuman,
        Status::Unsafe => NoPackage::Unsafe,
    }
}
