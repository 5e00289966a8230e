//! The payload of any answer of `validate_plan`. A call has that of an earlier answer, to compare a new draft with it.

use alloc::vec::Vec;

use adjudicate_lang::{
    document::{Document, Id, Magnitude, Reader, Shape},
    json::Node,
};

use super::{
    bundle::{BundleStatus, TrimmedNode},
    diagnostic::{Bucket, Diagnostic, Level},
};

/// The findings of an earlier payload that are not satisfied.
#[derive(Clone, Debug)]
pub struct Previous<'a>(pub Vec<Diagnostic<'a>>);

/// The payload of `plan_generated`, `plan_rejected` or `plan_updated`. The first five fields are in every payload.
#[derive(Clone, Debug, Document)]
#[serde(rename_all = "camelCase")]
#[document(expecting = "an object")]
pub struct PreviousPayload<'a> {
    /// The hard findings.
    pub failures: Bucket<'a, { Level::Hard as usize }>,
    /// The soft findings.
    pub warnings: Bucket<'a, { Level::Soft as usize }>,
    /// The informational findings.
    pub infos: Bucket<'a, { Level::Informational as usize }>,
    /// The status.
    pub status: BundleStatus,
    /// The satisfaction score.
    pub satisfaction_score: Magnitude,
    /// The scores of the constraints.
    pub constraint_scores: Option<Vec<PreviousScore<'a>>>,
    /// The version of the plan.
    pub plan_version: Option<u64>,
    /// The nodes of the plan.
    pub nodes: Option<Vec<TrimmedNode<'a>>>,
    /// The findings that were resolved then.
    pub resolved: Option<Vec<Diagnostic<'a>>>,
    /// The findings that were introduced then.
    pub introduced: Option<Vec<Diagnostic<'a>>>,
    /// The number of the other findings.
    pub unchanged: Option<u64>,
}

/// The score of a constraint in an earlier payload.
#[derive(Clone, Debug, Document)]
#[serde(rename_all = "camelCase")]
#[document(expecting = "an object")]
pub struct PreviousScore<'a> {
    /// The id of the constraint.
    pub constraint_id: Id<'a>,
    /// The level of the constraint.
    pub severity: Level,
    /// The score: any value.
    pub score: Node<'a>,
}

impl<'t: 'a, 'a> Document<'t> for Previous<'a> {
    const SHAPE: Shape = PreviousPayload::SHAPE;

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        let payload = PreviousPayload::read(node, reader)?;
        let Bucket(mut findings) = payload.failures;
        findings.extend(payload.warnings.0);
        findings.extend(payload.infos.0);
        findings.retain(Diagnostic::is_open);
        Some(Self(findings))
    }
}
