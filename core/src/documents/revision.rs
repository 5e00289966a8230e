//! The answer of `refine`: the refinement package, the events of the loop, and the data for the next envelope
//! (docs/reference/loop.md).

use alloc::{borrow::Cow, string::String, vec::Vec};

use adjudicate_lang::{
    document::{Describe, Document},
    json::Nullable,
};
use serde::Serialize;

use super::{
    envelope::{EntryBlocker, Opcode, OwnedEntry, OwnedEntryBlocker},
    evaluation::{AnswerKnownFailure, KnownFailure, OwnedKnownFailure},
    evidence::{Edit, OwnedEdit},
    fix::{AnswerVerification, FixEdit, OwnedVerification, Verification},
};
use crate::codes::{Severity, Status};

/// The complete answer of `refine`.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerRevision, "a refinement answer object"), owned)]
pub struct Revision<'a> {
    /// The instructions for a refinement step, if the evaluation asks for one.
    pub package: Option<RefinementPackage<'a>>,
    /// The reason why there is no package.
    pub reason: Option<NoPackage>,
    /// The events, in order, for the event stream of the run.
    pub events: Vec<LoopEvent<'a>>,
    /// The change to the status file of the run.
    pub status_patch: StatusPatch<'a>,
    /// The data for the next envelope.
    pub next: NextLoop<'a>,
    /// The failed cases that count as known, as in the evaluation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", tsify(optional))]
    pub known_failures: Vec<KnownFailure<'a>>,
}

/// The reason for which the package requests no refinement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum NoPackage {
    /// There is nothing to refine.
    Success,
    /// A fix is called for, and no fix step is legal.
    NoFixStep,
    /// Without the rules that read earlier results, a fix would follow, and no allowed refinement is left.
    RefinementSpent,
    /// There is no safe way forward.
    Blocked,
    /// A human must decide.
    NeedsHuman,
    /// The state cannot be trusted.
    Unsafe,
}

/// Typed instructions for one refinement step.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerRefinementPackage, "a refinement package object"), owned)]
pub struct RefinementPackage<'a> {
    /// The aim.
    pub objective: &'a str,
    /// The issues to fix: one for each finding that calls for a fix, in order.
    pub issues: Vec<RefinementIssue<'a>>,
    /// The parts that must stay as they are.
    pub constraints: &'a [String],
    /// The artifacts that back the issues, each once, in order.
    pub artifact_refs: Vec<&'a str>,
    /// The checks that show that the issues are fixed. If only a review asks for the fix, the validators that must still pass.
    pub verification: Vec<Verification<'a>>,
}

/// An issue to fix.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerRefinementIssue, "an issue object"), owned)]
pub struct RefinementIssue<'a> {
    /// The check or review issue; the name of the rule if there is neither.
    pub id: &'a str,
    /// One line for humans.
    pub summary: &'a str,
    /// The severity, from the review or the finding.
    pub severity: Severity,
    /// An artifact, or a JSON Pointer into the envelope.
    pub evidence_ref: &'a str,
    /// The change to make, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[document(accepts = "Option<Edit<'a>>")]
    pub edit: Option<FixEdit<'a>>,
}

/// An event of the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum LoopEvent<'a> {
    /// The evidence holds a review.
    ReviewCompleted,
    /// The evaluator decided.
    EvaluateSelected {
        /// The status of the decision.
        status: Status,
        /// The selected step.
        next_step: Option<&'a str>,
    },
    /// The decision asks for a refinement.
    RefinementRequested,
    /// The loop is bounded, and no refinement is left.
    RefinementSpent {
        /// The number of refinements that were made.
        spent: u64,
        /// The number of refinements that are allowed.
        cap: u64,
    },
    /// The status is `blocked`, `needs_human` or `unsafe`, so the run leaves the loop without success.
    Escalated {
        /// The status of the decision.
        status: Status,
        /// The first rule that calls for the status.
        reason: &'a str,
    },
}

/// The change to the status file of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerStatusPatch, "a status patch object"), owned)]
pub struct StatusPatch<'a> {
    /// The status of the latest decision.
    pub last_decision_status: Status,
    /// The selected step.
    pub selected_step: Option<&'a str>,
    /// True if the decision asks for a refinement.
    pub refinement_requested: bool,
    /// True if a human must decide.
    pub awaiting_human: bool,
    /// The first rule that calls for the status; null for `success` and `partial`.
    pub blocking_reason: Option<&'a str>,
    /// True if the evidence held a review.
    #[document(accepts = "Option<bool>")]
    pub review_completed: bool,
    /// The refinements allowed and spent, as in the evaluation.
    #[document(accepts = "Option<AnswerRefinementCount<'a>>")]
    pub refinement: RefinementCount,
}

/// The refinements allowed and spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerRefinementCount, "a refinement object"), owned)]
pub struct RefinementCount {
    /// The number that is allowed.
    pub cap: u64,
    /// The number that was made.
    pub spent: u64,
}

/// The data for the next envelope.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerNextLoop, "an object with `refinement` and `history_entry`"), owned)]
pub struct NextLoop<'a> {
    /// The next `refinement`. A requested refinement counts as spent.
    #[document(answer)]
    pub refinement: RefinementCount,
    /// The entry to append to `evaluate_history`, `provenance_window` or both.
    pub history_entry: HistoryEntry<'a>,
}

/// An evaluation as an entry of the history, with every field that an envelope's entry may have.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerHistoryEntry, "a history entry object"), owned)]
pub struct HistoryEntry<'a> {
    /// The EVALUATE step.
    pub step_id: &'a str,
    /// The opcode, EVALUATE.
    #[cfg_attr(feature = "typescript", tsify(type = "\"EVALUATE\""))]
    #[document(schema = r#"{"const": "EVALUATE"}"#)]
    pub opcode: Opcode,
    /// The decision.
    pub status: Status,
    /// The diff, as git prints it: the summary, or the typed diff in the form of `--name-status`.
    pub diff_summary: Cow<'a, str>,
    /// The flags.
    pub risk_flags: &'a [&'a str],
    /// The codes of the blockers, each once.
    pub blocker_codes: Vec<&'a str>,
    /// The blockers with the items at fault, in the order of the findings. Absent if there are more than an answer lists; the
    /// next evaluation then compares codes only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[document(accepts = "Option<Vec<EntryBlocker<'a>>>")]
    pub blockers: Option<Vec<EntryBlocker<'a>>>,
    /// The number of failed checks.
    pub failures: u64,
    /// True if the evidence held a review and its artifact.
    #[document(accepts = "Option<bool>")]
    pub reviewed: bool,
}

/// The names of the events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LoopEventName {
    /// The evidence holds a review.
    ReviewCompleted,
    /// The evaluator decided.
    EvaluateSelected,
    /// The decision asks for a refinement.
    RefinementRequested,
    /// The loop is bounded, and no refinement is left.
    RefinementSpent,
    /// The status is `blocked`, `needs_human` or `unsafe`, so the run leaves the loop without success.
    Escalated,
}

/// An event of the loop, with the fields of its name, as a host reads it from the answer of any engine.
#[derive(Clone, Debug, Document)]
#[document(owned, expecting = "an event object")]
pub(crate) struct AnswerLoopEvent<'a> {
    /// The name.
    pub event: LoopEventName,
    /// The status of the decision, in `evaluate_selected` and `escalated`.
    pub status: Option<Status>,
    /// The selected step, in `evaluate_selected`.
    pub next_step: Option<Nullable<&'a str>>,
    /// The number of refinements that were made, in `refinement_spent`.
    pub spent: Option<u64>,
    /// The number of refinements that are allowed, in `refinement_spent`.
    pub cap: Option<u64>,
    /// The first rule that calls for the status, in `escalated`.
    pub reason: Option<&'a str>,
}

impl From<OwnedHistoryEntry> for OwnedEntry {
    fn from(entry: OwnedHistoryEntry) -> Self {
        let OwnedHistoryEntry {
            step_id,
            opcode,
            status,
            diff_summary,
            risk_flags,
            blocker_codes,
            blockers,
            failures,
            reviewed,
            extra,
        } = entry;
        Self {
            step_id,
            opcode,
            status: Some(status),
            outcome: None,
            diff_summary,
            risk_flags,
            blocker_codes,
            blockers,
            failures: Some(failures),
            reviewed,
            extra,
        }
    }
}
