//! The answer of `normalize_plan`, as foreign engines must give it too (docs/reference/planir.md).

use alloc::vec::Vec;

use adjudicate_lang::{
    Decimal,
    document::{Document, Object},
    json::Node,
};

use super::PlanFormat;

/// The answer of `normalize_plan`.
#[derive(Clone, Debug, Document)]
#[document(expecting = "an object")]
pub struct NormalizedPlan<'a> {
    /// The plan in its canonical form. Fields of the source that have no place there are in `x-source`, at the plan or at the
    /// step.
    #[document(described = "super::PlanDocument<'static, false>")]
    pub plan: Object<'a>,
    /// `sha256:` and the hash of the plan, without the fields that are kept aside.
    pub plan_hash: &'a str,
    /// The report of the adapter.
    pub adapter: AdapterReport<'a>,
    /// The event that begins a log of the plan.
    pub plan_start: PlanStartEvent<'a>,
    /// Counts about the plan.
    pub quality: PlanQuality,
}

/// The report of an adapter: how a plan came to its canonical form.
#[derive(Clone, Debug, Document)]
#[document(expecting = "an object")]
pub struct AdapterReport<'a> {
    /// The form of the source.
    pub format: PlanFormat,
    /// True if the form was detected by the fields of the source, false if the call named it.
    pub detected: bool,
    /// JSON Pointer to the steps in the source.
    pub items: &'a str,
    /// The values that the source does not have, in the order of the plan.
    pub inferred: Vec<InferredValue<'a>>,
    /// The fields of the source that are kept aside.
    pub kept: Vec<KeptValue<'a>>,
}

/// A value that the source does not have in that place, or has in other words.
#[derive(Clone, Debug, Document)]
#[document(expecting = "an object")]
pub struct InferredValue<'a> {
    /// JSON Pointer into the plan.
    pub path: &'a str,
    /// The value.
    pub value: Node<'a>,
    /// The reason for the value.
    pub reason: InferenceReason,
    /// JSON Pointer into the source, to the origin of the value. It is absent if the origin is inside of a JSON text.
    pub source: Option<&'a str>,
    /// The text of the origin.
    pub given: Option<&'a str>,
}

/// A field of the source that is kept aside.
#[derive(Clone, Debug, Document)]
#[document(expecting = "an object")]
pub struct KeptValue<'a> {
    /// JSON Pointer into the plan.
    pub path: &'a str,
    /// JSON Pointer into the source.
    pub source: &'a str,
}

/// The event that begins a log of a plan, ready to be logged.
#[derive(Clone, Debug, Document)]
#[document(expecting = "an object")]
pub struct PlanStartEvent<'a> {
    /// The kind of the event.
    pub event: PlanStartKind,
    /// The hash of the plan, in the mode of the call.
    pub plan_hash: &'a str,
    /// The number of steps.
    pub step_count: u64,
}

/// The kind of the event that begins a log.
#[derive(Clone, Copy, Debug, Document)]
pub enum PlanStartKind {
    /// The plan starts.
    PlanStart,
}

/// Counts about a plan. They are data for comparisons, not a verdict.
#[derive(Clone, Debug, Document)]
#[document(expecting = "an object")]
pub struct PlanQuality {
    /// The number of steps.
    pub steps: u64,
    /// The number of steps that a `verify` step depends on, directly or through others.
    pub verified_steps: u64,
    /// The number of steps without a dependency in either direction; 0 in a plan of one step.
    pub orphan_steps: u64,
    /// The number of steps in the longest chain of dependencies.
    pub longest_path: u64,
    /// The number of different texts in all `target_files`.
    pub files: u64,
    /// True if there is a `verify` step or a command.
    pub has_verification: bool,
    /// The confidence of the plan.
    pub confidence: Decimal,
}

/// The reason for a value that the source does not have there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document)]
#[document(name = "InferenceReason")]
#[serde(rename_all = "snake_case")]
pub enum InferenceReason {
    /// The source has no value.
    Default,
    /// The value is from a field that is something else first.
    Derived,
    /// The source has another word for the value.
    Alias,
    /// The source has text that is no step id.
    InvalidId,
    /// An earlier step has the id.
    RepeatedId,
}
