//! Counterfactuals, a part of the answer of `explain`.

use alloc::{string::String, vec::Vec};

use adjudicate_lang::{
    document::{Describe, Document},
    json::OwnedValue,
};
use serde::Serialize;

use crate::codes::Status;

/// A change to an envelope: an operation of a JSON Patch.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerEvidenceChange, "a change object"), owned)]
pub struct EvidenceChange {
    /// The operation.
    pub op: ChangeOp,
    /// JSON Pointer into the envelope, after all earlier changes.
    pub path: String,
    /// The new value; absent for a removal.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", tsify(optional, type = "unknown"))]
    pub value: Option<OwnedValue>,
    /// The previous value; absent for an addition.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", tsify(optional, type = "unknown"))]
    pub was: Option<OwnedValue>,
}

/// The operation of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum ChangeOp {
    /// A field or an item is added; later items move on.
    Add,
    /// A field or an item is removed; later items move up.
    Remove,
    /// A value is replaced.
    Replace,
}

/// Changes to an envelope under which the decision is `success`: a smallest set among those that resolve each finding on its own.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerCounterfactual, "a counterfactual object"), owned)]
pub struct Counterfactual {
    /// The changes, in order, as operations of a JSON Patch (RFC 6902).
    #[document(answer)]
    pub changes: Vec<EvidenceChange>,
    /// The rules without findings after the changes, in the order of findings.
    pub resolves: Vec<String>,
    /// The new status: `success`.
    pub status: Status,
    /// The new next step.
    pub next_step: Option<String>,
}

/// The reason why there is no counterfactual.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerNoCounterfactual, "a reason why there is no counterfactual"), owned)]
pub struct NoCounterfactual<'a> {
    /// The reason, from a closed list.
    pub reason: Impossibility,
    /// The reason in one line.
    pub message: &'static str,
    /// The rules that prevent `success`, in the order of findings.
    pub rules: Vec<&'a str>,
}

/// The reason why no change to the evidence leads to `success`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Impossibility {
    /// The decision is `success`.
    Success,
    /// A human must decide something.
    NeedsHuman,
    /// The obstacle is not evidence that could differ: it already happened, or it is what the step is.
    Terminal,
    /// No set of changes that was tried leads to `success`.
    NotFound,
    /// The search reached its limit before trying all sets.
    Unfinished,
}
