//! The answers of `explain` and `facts` (docs/reference/policies.md).

use alloc::{borrow::Cow, string::String, vec::Vec};

use adjudicate_lang::{
    document::{Describe, Document},
    json::Node,
    logic::Value,
};
use serde::Serialize;

use super::{
    counterfactual::{
        AnswerCounterfactual, AnswerNoCounterfactual, Counterfactual, NoCounterfactual, OwnedCounterfactual,
        OwnedNoCounterfactual,
    },
    evaluation::{
        AnswerEvaluation, AnswerPolicyName, ClassifiedBy, Evaluation, OwnedEvaluation, OwnedPolicyName,
        PolicyName,
    },
    finding::Shown,
    role::Role,
    rule::RuleMode,
};
use crate::codes::Status;

/// The complete answer of `explain`.
#[derive(Clone, Debug, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerExplanation, "an explanation object"), owned)]
pub struct Explanation<'a> {
    /// The complete answer of `evaluate`.
    pub evaluation: &'a Evaluation<'a>,
    /// One reason for each finding, in order.
    pub reasons: Vec<Reason<'a>>,
    /// The findings that lost to a more severe status, in order, each rule and status once.
    pub overruled: Vec<Overruled<'a>>,
    /// A smallest set of changes to the evidence under which the decision is `success`, if there is one.
    #[document(answer)]
    pub counterfactual: Option<Counterfactual>,
    /// The reason why there is no counterfactual; null if there is one.
    pub no_counterfactual: Option<NoCounterfactual<'a>>,
    /// The allowed steps, each once with its classification, in the order of the list: at most 10,000. Absent without an allowed
    /// step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", tsify(optional))]
    pub routes: Vec<StepRoute<'a>>,
    /// Every rule, if a trace was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace<'a>>,
}

/// The complete answer of `facts`.
#[derive(Clone, Debug, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerKnownFacts, "an object with `variables` and `policy`"), owned)]
pub struct KnownFacts<'a> {
    /// All facts in the order of their table, the policy's thresholds, and then the other variables of the policy's conditions.
    pub variables: Vec<Input<'a>>,
    /// The policy of the call; null without one.
    pub policy: Option<PolicyName<'a>>,
}

/// The reason of a finding.
#[derive(Clone, Debug, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerReason, "a reason object"), owned)]
pub struct Reason<'a> {
    /// The name of the rule.
    pub rule: &'a str,
    /// The status that the finding calls for.
    pub status: Status,
    /// JSON Pointer into the envelope.
    pub evidence_ref: &'a str,
    /// The value that the rule looks for.
    #[document(accepts = "Node<'a>")]
    pub expected: Cow<'a, Shown<'a>>,
    /// The value that the rule found.
    #[document(accepts = "Node<'a>")]
    pub actual: Cow<'a, Shown<'a>>,
    /// True if the decision has the status that the finding calls for.
    pub decisive: bool,
    /// The first rule that called for a more severe status, if the finding lost to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overruled_by: Option<&'a str>,
    /// `monitor` for a finding without effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<RuleMode>,
    /// For a rule of the policy, the parts of its condition, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", tsify(optional))]
    pub conditions: Vec<ConditionPart<'a>>,
}

/// The classification of an allowed step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerStepRoute, "an object with `step`, `role` and `by`"), owned)]
pub struct StepRoute<'a> {
    /// The step.
    pub step: &'a str,
    /// The role that the step plays.
    pub role: Role,
    /// The source of the role.
    pub by: ClassifiedBy,
}

/// Findings of one rule and status that lost to a more severe one.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerOverruled, "an overruled object"), owned)]
pub struct Overruled<'a> {
    /// The rule that lost.
    pub rule: &'a str,
    /// The status that it called for.
    pub status: Status,
    /// The number of its findings with this status.
    pub findings: usize,
    /// The rule that won: the first that called for the status of the decision.
    pub by: &'a str,
    /// The status that the winning rule called for.
    pub by_status: Status,
    /// The reason in one line.
    pub why: &'static str,
}

/// A part of a condition without a connective.
#[derive(Clone, Debug, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerConditionPart, "a condition part object"), owned)]
pub struct ConditionPart<'a> {
    /// JSON Pointer into the policy: `/rules/3/when/and/0`.
    pub path: String,
    /// The operator; null for a constant.
    pub operator: Option<&'static str>,
    /// True if the part holds; null if that is unknown, or the evaluation failed.
    pub holds: Option<bool>,
    /// The values of the operands, in order, except the body of an iteration.
    pub operands: Vec<Operand<'a>>,
    /// The variables of the part, each once, in order.
    pub variables: Vec<Input<'a>>,
}

/// The value of an operand.
#[derive(Clone, Debug, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerOperand, "an operand object"), owned)]
pub struct Operand<'a> {
    /// Tells whether the value is known, and shown.
    pub state: ShownState,
    /// The value; null unless it is `known`.
    #[cfg_attr(feature = "typescript", tsify(type = "unknown"))]
    pub value: Value<'a>,
}

/// An input of a rule.
#[derive(Clone, Debug, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerInput, "an input object"), owned)]
pub struct Input<'a> {
    /// The variable, as conditions spell it: `facts.diff.count`.
    pub variable: Cow<'a, str>,
    /// The pointer to the part of the envelope from which it is read, or would be; null for a value of the policy.
    pub evidence_ref: Option<Cow<'a, str>>,
    /// Tells whether the value is known, and shown.
    pub state: ShownState,
    /// The value; null unless it is `known`.
    #[cfg_attr(feature = "typescript", tsify(type = "unknown"))]
    pub value: Value<'a>,
}

/// The state of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum ShownState {
    /// The value is shown.
    Known,
    /// The evidence does not have it, or its evaluation failed.
    Unknown,
    /// The value is known, and too large to show.
    Omitted,
}

/// Every rule of an evaluation.
#[derive(Clone, Debug, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerTrace, "a trace object"), owned)]
pub struct Trace<'a> {
    /// The inputs of the rules, each once: those of the built-in rules, then the variables of the policy's conditions.
    pub inputs: Vec<Input<'a>>,
    /// The built-in rules in the order of their table, then the policy's in its order.
    pub rules: Vec<TracedRule<'a>>,
}

/// The result of one rule.
#[derive(Clone, Debug, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerTracedRule, "a traced rule object"), owned)]
pub struct TracedRule<'a> {
    /// The name of the rule.
    pub rule: &'a str,
    /// The result.
    pub verdict: RuleResult,
    /// The indices of its findings in the list of findings.
    pub findings: Vec<usize>,
    /// The indices of its inputs in `inputs`; those of a built-in rule are always the same.
    pub inputs: Vec<usize>,
    /// `monitor` for a monitored rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<RuleMode>,
}

/// The result of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum RuleResult {
    /// The rule has a finding.
    Fired,
    /// The rule ran and has no finding.
    Quiet,
    /// The condition cannot be decided; the rule's `on_unknown` applies.
    Unknown,
    /// The rule was skipped, because the first comparison of its condition is known to be false.
    Skipped,
}
