//! The answer of `evaluate`, from one policy or from a composition of several (docs/reference/rules.md).

use alloc::{borrow::Cow, vec::Vec};

use adjudicate_lang::{
    document::{Describe, Document},
    json::Nullable,
};
use serde::Serialize;

use super::{
    finding::{AnswerFinding, ComposedFinding, Finding, OwnedFinding},
    fix::{AnswerFixInstructions, FixInstructions, OwnedFixInstructions},
    role::Role,
};
use crate::codes::{Severity, Status};

/// The complete answer of `evaluate`.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerEvaluation, "an evaluation object"), owned)]
pub struct Evaluation<'a> {
    /// The part that a program acts on.
    pub decision: Decision<'a>,
    /// The reasons. Beyond 10,000, one more finding of the rule `findings_omitted` has the number left out in `count`.
    pub findings: Vec<Finding<'a>>,
    /// The position of the run in its loop.
    #[serde(rename = "loop")]
    #[document(answer)]
    pub loop_state: LoopState,
    /// The policy of the call, or null.
    pub policy: Option<PolicyName<'a>>,
    /// The failed cases that count as known, because they failed on the base revision, too: at most 10,000.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", tsify(optional))]
    pub known_failures: Vec<KnownFailure<'a>>,
    /// The number of findings that are left out.
    #[serde(skip)]
    pub(crate) omitted: usize,
    /// The rule of the first of the most severe findings, listed or not.
    #[serde(skip)]
    pub(crate) cause: Option<&'a str>,
    /// The codes of all findings that raise a blocker, each once, in the order of findings.
    #[serde(skip)]
    pub(crate) blocker_codes: Vec<&'a str>,
}

/// A decision.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerDecision, "a decision object"), owned)]
pub struct Decision<'a> {
    /// The status of the step.
    pub status: Status,
    /// The step to take, one of the allowed ones, or null.
    pub next_step: Option<&'a str>,
    /// The instructions for a fix step, if the decision asks for one.
    pub fix_instructions: Option<FixInstructions<'a>>,
    /// The obstacles, most severe first. Beyond 10,000, one more with the code `blockers_omitted` has the number left out.
    pub blockers: Vec<Blocker<'a>>,
    /// The flags, sorted, none twice.
    pub risk_flags: Vec<&'a str>,
}

/// A failed case that failed on the base revision, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerKnownFailure, "an object with `id` and `validator`"), owned)]
pub struct KnownFailure<'a> {
    /// The id of the case.
    pub id: &'a str,
    /// The validator that ran it, if the case names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validator: Option<&'a str>,
}

/// An obstacle.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerBlocker, "a blocker object"), owned)]
pub struct Blocker<'a> {
    /// A stable code.
    pub code: &'a str,
    /// One line for humans.
    pub summary: Cow<'a, str>,
    /// JSON Pointer into the envelope.
    #[document(accepts = "Nullable<&'a str>")]
    pub evidence_ref: Cow<'a, str>,
    /// The severity.
    pub severity: Severity,
}

/// The position of a run in its loop.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerLoopState, "a loop object"), owned)]
pub struct LoopState {
    /// The number of results in a row that call for a fix, this one included.
    pub consecutive_partials: u64,
    /// True if the evidence holds a review.
    pub review_completed: bool,
    /// The refinements.
    #[document(answer)]
    pub refinement: RefinementState,
    /// The escalation of the status because of earlier results.
    #[document(answer)]
    pub escalation: Option<Escalation>,
    /// The classification of the next step; null without a next step.
    #[document(accepts = "Option<Nullable<AnswerRoute<'a>>>")]
    pub route: Option<Route>,
}

/// Refinements allowed, spent and requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerRefinementState, "a refinement object"), owned)]
pub struct RefinementState {
    /// The number that is allowed.
    pub cap: u64,
    /// The number that was made.
    pub spent: u64,
    /// True if the decision asks for another.
    pub requested: bool,
}

/// A status that a look at earlier results raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerEscalation, "an escalation object"), owned)]
pub struct Escalation {
    /// The rule.
    pub reason: &'static str,
    /// The status without the rule.
    pub from: Status,
    /// The status with the rule.
    pub to: Status,
}

/// The name and version of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerPolicyName, "an object with `name` and `version`"), owned)]
pub struct PolicyName<'a> {
    /// The name.
    pub name: &'a str,
    /// The version.
    pub version: &'a str,
}

/// The classification of a step: its role, and the source of the role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerRoute, "an object with `role` and `by`"), owned)]
pub struct Route {
    /// The role that the step plays.
    pub role: Role,
    /// The source of the role.
    pub by: ClassifiedBy,
}

/// The source of the role of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum ClassifiedBy {
    /// The envelope's `steps` or the policy's `routes`.
    Declared,
    /// The step is `STOP`.
    Reserved,
    /// The words of its id.
    Named,
    /// Nothing classifies the step. It counts as a forward step if it is the only such step and no step is declared forward.
    Unclassified,
}

/// The mode of a composition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Document, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum CompositionMode {
    /// All count: an added evaluation makes the decision stricter, never more lenient.
    #[default]
    Restrict,
    /// The last one counts; the findings of the others are reported without effect.
    Override,
}

/// A composed evaluation. It has the form of an evaluation.
#[derive(Clone, Debug, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct ComposedEvaluation<'a> {
    /// The decision that the program acts on.
    pub decision: Decision<'a>,
    /// The findings of all evaluations, in the order of the evaluations.
    pub findings: Vec<ComposedFinding<'a>>,
    /// The loop state of the run.
    #[serde(rename = "loop")]
    pub loop_state: LoopState,
    /// The base policy, or null.
    pub policy: Option<PolicyName<'a>>,
    /// The failed cases that an evaluation counts as known: at most 10,000.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", tsify(optional))]
    pub known_failures: Vec<KnownFailure<'a>>,
}
