//! The documents of the engine: one type for each, with its reader, its shape and its description.
//!
//! Documents depend on no module that works with them. The modules that do export them: `evaluate` the envelope and the evaluation, for
//! example.

mod action;
pub(crate) mod bundle;
pub(crate) mod calls;
mod capability;
pub(crate) mod check_code;
pub(crate) mod check_finding;
mod contract;
pub(crate) mod counterfactual;
pub(crate) mod deliberation;
mod describe;
pub(crate) mod diagnostic;
pub(crate) mod envelope;
pub(crate) mod error;
pub(crate) mod evaluation;
mod event;
pub(crate) mod evidence;
pub(crate) mod explanation;
pub(crate) mod finding;
pub(crate) mod fix;
mod guardrail;
pub(crate) mod guardrail_answer;
pub(crate) mod ledger;
pub(crate) mod need;
pub(crate) mod outcome;
mod plan;
pub(crate) mod plan_ir;
pub(crate) mod policy;
pub(crate) mod policy_test;
mod previous;
pub(crate) mod replay;
pub(crate) mod revision;
pub(crate) mod role;
pub(crate) mod row;
pub(crate) mod rule;
mod task;
pub(crate) mod tree;

pub use action::Action;
pub use bundle::{BundleStatus, MergedBundle, OutputObservation, Share, TrimmedNode};
pub use calls::{GuardrailCall, MergeCall, ObserveCall, Weights};
pub use capability::{Capability, Direction, Facet};
pub use contract::{Constraint, ConstraintExpression, Contract, Hints, PostCondition, ResultPath};
pub use diagnostic::Bucket;
pub use event::{GuardrailEvent, Numbers, RunState};
pub use guardrail::{EventKind, Guardrail, Selector, Trigger};
pub use guardrail_answer::ActionReason;
pub use plan::{Edge, Plan, PlanNode};
pub use previous::{Previous, PreviousPayload, PreviousScore};
pub use task::{PlanCall, PlannerPolicy, Task, TaskDocument, TaskPolicies, Topology};
