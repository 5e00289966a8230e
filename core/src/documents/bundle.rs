//! Bundles as documents: the answers of `validate_plan`, `merge_diagnostics` and `observe_output`.

use alloc::vec::Vec;
use core::mem;

use adjudicate_lang::{
    Decimal, Error,
    document::{Document, Id, Magnitude, Reader, Shape},
    json::{Node, Nullable},
};

use super::diagnostic::{Bucket, Diagnostic, Level};
use crate::contract::breach;

/// The status of a plan or an output. The order is that of severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document)]
#[serde(rename_all = "snake_case")]
pub enum BundleStatus {
    /// There are no findings.
    Accepted,
    /// A soft or informational constraint is not satisfied, or there is advice.
    AcceptedWithFindings,
    /// A hard constraint is not satisfied, or nothing shows whether it is.
    Rejected,
}

/// Declares the answers that contain a bundle. Each has its name in descriptions, the keywords of its status, and further fields: those
/// before the fields of the bundle, `..`, and those behind them.
macro_rules! bundles {
    ($($(#[$about:meta])* $visible:vis $name:ident $title:literal $status:literal {
        $($(#[$before_about:meta])* $before:ident: $before_kind:ty,)* .. $($(#[$behind_about:meta])* $behind:ident: $behind_kind:ty,)*
    })+) => { $(
        $(#[$about])*
        #[derive(Clone, Debug, Document)]
        #[serde(rename_all = "camelCase")]
        #[document(name = $title, expecting = "an object")]
        $visible struct $name<'a> {
            $($(#[$before_about])* pub $before: $before_kind,)*
            /// The status, which follows from the findings.
            #[document(schema = $status)]
            pub status: BundleStatus,
            /// The satisfaction score, for example `0.75`.
            pub satisfaction_score: Share,
            /// The hard findings, merged.
            pub failures: Bucket<'a, { Level::Hard as usize }>,
            /// The soft findings, merged.
            pub warnings: Bucket<'a, { Level::Soft as usize }>,
            /// The informational findings, merged.
            pub infos: Bucket<'a, { Level::Informational as usize }>,
            $($(#[$behind_about])* pub $behind: $behind_kind,)*
        }

        impl<'a> $name<'a> {
            /// Takes the bundle out of the answer.
            pub(crate) fn take_bundle(&mut self) -> StatedBundle<'a> {
                let mut diagnostics = mem::take(&mut self.failures.0);
                diagnostics.append(&mut self.warnings.0);
                diagnostics.append(&mut self.infos.0);
                StatedBundle { status: self.status, score: self.satisfaction_score.0, diagnostics }
            }
        }
    )+ };
}

bundles! {
    /// The answer of `merge_diagnostics`: merged diagnostics, their status and their score.
    pub MergedBundle "Bundle" "" { .. }
    /// The answer of `observe_output`: the diagnostics of an output, their status and their score.
    pub OutputObservation "Observation" "" {
        ..
        /// The same as the satisfaction score.
        observed_satisfaction: Share,
    }
    /// The payload of the event `plan_rejected`.
    pub(crate) PlanRejectedPayload "PlanRejectedPayload" r#"{"const": "rejected"}"# {
        ..
        /// The score of each constraint of the task, in the order of declaration.
        constraint_scores: Vec<ConstraintScore<'a>>,
    }
    /// The payload of the event `plan_generated`.
    pub(crate) PlanGeneratedPayload "PlanGeneratedPayload" r#"{"not": {"const": "rejected"}}"# {
        /// The version of the plan.
        plan_version: u64,
        /// The nodes of the plan, in its order.
        nodes: Vec<TrimmedNode<'a>>,
        ..
        /// The score of each constraint of the task, in the order of declaration.
        constraint_scores: Vec<ConstraintScore<'a>>,
    }
    /// The payload of the event `plan_updated`.
    pub(crate) PlanUpdatedPayload "PlanUpdatedPayload" r#"{"not": {"const": "rejected"}}"# {
        /// The version of the plan.
        plan_version: u64,
        /// The nodes of the plan, in its order.
        nodes: Vec<TrimmedNode<'a>>,
        ..
        /// The score of each constraint of the task, in the order of declaration.
        constraint_scores: Vec<ConstraintScore<'a>>,
        /// The findings of the earlier answer that are no longer there.
        resolved: Vec<Diagnostic<'a>>,
        /// The findings that the earlier answer did not have.
        introduced: Vec<Diagnostic<'a>>,
        /// The number of findings that are in both answers.
        unchanged: u64,
    }
}

/// The answer of `validate_plan`: an event and its payload.
#[derive(Document)]
#[serde(tag = "event")]
#[document(expecting = "an object")]
pub(crate) enum PlanAnswer<'a> {
    /// The plan is accepted.
    #[serde(rename = "plan_generated")]
    Generated {
        /// The findings and the nodes.
        payload: PlanGeneratedPayload<'a>,
    },
    /// The plan is rejected.
    #[serde(rename = "plan_rejected")]
    Rejected {
        /// The findings.
        payload: PlanRejectedPayload<'a>,
    },
    /// The plan is accepted, and the call has an earlier answer.
    #[serde(rename = "plan_updated")]
    Updated {
        /// The findings, the nodes, and the changes since the earlier answer.
        payload: PlanUpdatedPayload<'a>,
    },
}

/// A node of a payload.
#[derive(Clone, Debug, Document)]
#[serde(rename_all = "camelCase")]
#[document(expecting = "an object")]
pub struct TrimmedNode<'a> {
    /// The id of the node.
    pub node_id: Id<'a>,
    /// The id of its capability.
    pub capability_id: Option<Id<'a>>,
    /// The fields that it gives.
    pub provides: Vec<Id<'a>>,
    /// The ids of the constraints that it enforces.
    pub enforces: Vec<Id<'a>>,
}

/// The score of a constraint in a payload.
#[derive(Clone, Debug, Document)]
#[serde(rename_all = "camelCase")]
#[document(expecting = "an object")]
pub(crate) struct ConstraintScore<'a> {
    /// The id of the constraint.
    pub constraint_id: Id<'a>,
    /// The level of the constraint.
    pub severity: Level,
    /// The score, 1 or 0; null if the constraint is informational.
    pub score: Nullable<Share>,
}

/// A number from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share(pub Decimal);

impl Document<'_> for Share {
    const SHAPE: Shape = Shape::Magnitude;

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        let Magnitude(number) = Magnitude::read(node, reader)?;
        if number <= Decimal::ONE {
            return Some(Self(number));
        }
        reader.note(out_of_range());
        None
    }
}

pub(crate) fn out_of_range() -> Error {
    breach("", "expected a number from 0 to 1")
}

/// The bundle of an answer.
pub(crate) struct StatedBundle<'a> {
    pub status: BundleStatus,
    pub score: Decimal,
    pub diagnostics: Vec<Diagnostic<'a>>,
}
