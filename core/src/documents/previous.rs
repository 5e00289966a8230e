//! The payload of an earlier answer, which `validate_plan` compares a new draft with.

use alloc::vec::Vec;

use adjudicate_lang::{
    document::{Document, Id, Magnitude, Reader, Shape},
    json::Node,
};
use serde::de::IgnoredAny;

use super::{
    bundle::{BundleStatus, TrimmedNode},
    diagnostic::{Bucket, Diagnostic, Level},
};

/// The findings of an earlier payload that are not satisfied.
#[derive(Clone, Debug)]
pub struct Previous<'a>(pub Vec<Diagnostic<'a>>);

/// The payload of `plan_generated`, `plan_rejected` or `plan_updated`. The first five fields are in every payload.
#[derive(Document)]
#[serde(rename_all = "camelCase")]
#[document(expecting = "an object")]
#[expect(dead_code, reason = "only the findings matter")]
pub(super) struct PreviousPayload<'a> {
    /// The hard findings.
    failures: Bucket<'a, { Level::Hard as usize }>,
    /// The soft findings.
    warnings: Bucket<'a, { Level::Soft as usize }>,
    /// The informational findings.
    infos: Bucket<'a, { Level::Informational as usize }>,
    /// The status.
    status: BundleStatus,
    /// The satisfaction score.
    satisfaction_score: Magnitude,
    /// The scores of the constraints.
    constraint_scores: Option<Vec<PreviousScore<'a>>>,
    /// The version of the plan.
    plan_version: Option<u64>,
    /// The nodes of the plan.
    nodes: Option<Vec<TrimmedNode<'a>>>,
    /// The findings that were resolved then.
    resolved: Option<Vec<Diagnostic<'a>>>,
    /// The findings that were introduced then.
    introduced: Option<Vec<Diagnostic<'a>>>,
    /// The number of the other findings.
    unchanged: Option<u64>,
}

/// The score of a constraint in an earlier payload.
#[derive(Document)]
#[serde(rename_all = "camelCase")]
#[document(expecting = "an object")]
#[expect(dead_code, reason = "only the findings matter")]
struct PreviousScore<'a> {
    /// The id of the constraint.
    constraint_id: Id<'a>,
    /// The level of the constraint.
    severity: Level,
    /// The score: any value.
    score: IgnoredAny,
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
