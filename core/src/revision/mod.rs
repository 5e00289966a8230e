//! The revision loop: what a refinement step is told, what the run shows, and what the next evaluation is to know
//! (OA06.1, SPEC section 4).
//!
//! ```text
//! Facts, Evaluation -> package        what a refinement step is to do     package
//!                   -> events, patch  what the run makes visible          events
//!                   -> next           what the next envelope is to carry  next
//! ```
//!
//! Nothing is decided here: the evaluation has decided. Nothing is read here either: what enters a package are typed
//! members of the evidence and what the evaluator built from them, never a transcript or the text of an artifact.

mod agreement;
mod contract;
mod events;
mod name_status;
mod next;
mod package;

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{
    codes::Status,
    evaluate::{Evaluation, Facts},
};

pub(crate) use agreement::check_agreement;
pub use contract::check_refinement;
pub use events::{LoopEvent, RefinementCount, StatusPatch};
pub(crate) use name_status::name_status;
pub use next::{HistoryEntry, NextLoop};
pub use package::{RefinementIssue, RefinementPackage};

/// The complete answer of `refine`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Revision<'a> {
    /// What the refinement step is told, when the evaluation asks for one.
    pub package: Option<RefinementPackage<'a>>,
    /// Why there is no package, when there is none.
    pub reason: Option<NoPackage>,
    /// What happened, in order, for the run's event stream.
    pub events: Vec<LoopEvent<'a>>,
    /// What to change in the run's status file.
    pub status_patch: StatusPatch<'a>,
    /// What the next envelope is to carry.
    pub next: NextLoop<'a>,
}

/// Why no refinement is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum NoPackage {
    /// There is nothing to refine.
    Success,
    /// A fix is called for, and no fix step is legal.
    NoFixStep,
    /// But for what looks back at earlier results a fix would be called for, and the refinements allowed are spent.
    RefinementSpent,
    /// There is no safe way forward.
    Blocked,
    /// A person must decide.
    NeedsHuman,
    /// The state cannot be trusted.
    Unsafe,
}

/// Draws from an evaluation what the revision loop needs.
///
/// The evaluation must be that of the same facts.
///
/// ```
/// use adjudicate_core::{evaluate::{Envelope, Facts, evaluate}, json, revision::{NoPackage, refine}};
/// # let text = br#"{"run_id": "r", "workflow_id": "w", "step_id": "judge", "evaluate_prompt": "p.v1",
/// #   "allowed_next_steps": [], "provenance_window": [], "evidence": {"transcript_summary": "",
/// #   "workspace_diff_summary": "", "validation": {"mechanical_outcome": "killed_policy", "exit_codes": {},
/// #   "timeouts": []}, "artifacts": [], "policy_events": []}}"#;
/// let tape = json::read(text, json::Limits::DOCUMENT)?;
/// let envelope = Envelope::from_tape(&tape)?;
/// let facts = Facts::new(&envelope, tape.root(), None)?;
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
    }
}

fn why_not(evaluation: &Evaluation<'_>, is_spent: bool) -> NoPackage {
    let escalated_from = evaluation.loop_state.escalation.map(|escalation| escalation.from);
    match evaluation.decision.status {
        Status::Success => NoPackage::Success,
        // With a fix step it would be requested: under a bound that is spent, the status is not `partial`.
        Status::Partial => NoPackage::NoFixStep,
        Status::Blocked => NoPackage::Blocked,
        Status::NeedsHuman if is_spent && escalated_from == Some(Status::Partial) => {
            NoPackage::RefinementSpent
        }
        Status::NeedsHuman => NoPackage::NeedsHuman,
        Status::Unsafe => NoPackage::Unsafe,
    }
}
