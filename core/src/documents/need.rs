//! The evidence that a policy reads.

use alloc::{string::String, vec::Vec};

use adjudicate_lang::document::{Describe, Document};
use serde::Serialize;

/// A kind of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    /// The result of a validator. The name is the id of the validator.
    Validator,
    /// A report of a test harness.
    Report,
    /// An artifact. The name is a path or a pattern.
    Artifact,
    /// An approval. The name is the approval, or the pattern of a protected path.
    Approval,
    /// A review.
    Review,
    /// The intent and the claims of the agent.
    Claims,
    /// The changes.
    Diff,
    /// The tree that is judged.
    Tree,
    /// The results on the base revision.
    Baseline,
    /// A policy event. The name is its class.
    Event,
    /// The earlier steps of the run, and its refinements.
    History,
    /// An `x-` field. The name is its JSON Pointer in the envelope.
    Extension,
    /// Another part of the envelope. The name is its JSON Pointer.
    Field,
    /// A variable with a computed path, which may be any evidence.
    Computed,
}

/// Evidence that policies read.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
pub struct EvidenceNeed {
    /// The kind of evidence.
    pub kind: EvidenceKind,
    /// The name; null if the policy reads all evidence of the kind, whatever its name.
    pub name: Option<String>,
    /// The places that read it, in the order of the policies.
    pub read_by: Vec<NeedPlace>,
}

/// A place that reads evidence.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
pub struct NeedPlace {
    /// The name of the policy.
    pub policy: String,
    /// JSON Pointer into the policy.
    pub path: String,
    /// The variable of a condition, for example `facts.harness.failed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
    /// The type that the variable can have, for example `a number`, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
}
