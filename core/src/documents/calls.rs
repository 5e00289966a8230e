//! The calls of operations, except `validate_plan`, whose call is in the file of its task.

use alloc::vec::Vec;

use adjudicate_lang::{
    Decimal,
    document::{Describe, Distinct, Document, Magnitude, Type},
    json::{Node, Nullable},
};
use serde::de::IgnoredAny;

use super::{
    Contract, Guardrail, GuardrailEvent, RunState, diagnostic::Diagnostic, envelope::Envelope,
    evaluation::AnswerEvaluation, policy::PolicyDocument,
};

/// A call of `evaluate`.
#[derive(Document)]
#[document(expecting = "an object with `envelope` and `policy`")]
pub(crate) struct EvaluateCall<'a> {
    /// The evidence of the step.
    pub envelope: Envelope<'a>,
    /// The active policy, or null for none.
    #[serde(default)]
    pub policy: Nullable<PolicyDocument<'a>>,
    /// The URL of a JSON Schema, for editors. It is ignored.
    #[serde(rename = "$schema", default)]
    pub _schema: IgnoredAny,
}

/// A call of `refine`.
#[derive(Document)]
#[document(expecting = "an object with `envelope`, `policy` and `evaluation`")]
pub(crate) struct RefineCall<'a> {
    /// The evidence of the step.
    pub envelope: Envelope<'a>,
    /// The active policy, or null for none.
    #[serde(default)]
    pub policy: Nullable<PolicyDocument<'a>>,
    /// The evaluation of the same envelope under the same policy. Any other is refused.
    // Of this only the shape is read here.
    #[serde(default)]
    pub evaluation: Option<AnswerEvaluation<'a>>,
    /// The URL of a JSON Schema, for editors. It is ignored.
    #[serde(rename = "$schema", default)]
    pub _schema: IgnoredAny,
}

/// The input of `evaluate`: a call, or an envelope alone.
pub(crate) struct EvaluateInput;

impl Describe for EvaluateInput {
    #[inline]
    fn describe() -> Type {
        Type::Either(Vec::from([EvaluateCall::describe(), Envelope::describe()]))
    }
}

/// The input of `explain`: a call, or an envelope alone.
pub(crate) struct ExplainInput;

impl Describe for ExplainInput {
    #[inline]
    fn describe() -> Type {
        Type::Either(Vec::from([ExplainCall::describe(), Envelope::describe()]))
    }
}

/// A call of `explain`.
#[derive(Document)]
#[document(expecting = "an object with `envelope`, `policy` and `trace`")]
pub(crate) struct ExplainCall<'a> {
    /// The evidence of the step.
    pub envelope: Envelope<'a>,
    /// The active policy, or null for none.
    #[serde(default)]
    pub policy: Nullable<PolicyDocument<'a>>,
    /// True if the answer lists every rule.
    #[serde(default)]
    pub trace: bool,
    /// The URL of a JSON Schema, for editors. It is ignored.
    #[serde(rename = "$schema", default)]
    pub _schema: IgnoredAny,
}

/// A call of `check_policy`. It has at least one of `policy`, `outputContract` and `policies`, unless a policy is configured.
#[derive(Document)]
#[serde(rename_all = "camelCase")]
#[document(name = "CheckPolicyCall", expecting = "an object with `policy`, `outputContract` or `policies`")]
pub(crate) struct CheckCall<'a> {
    /// The policy to check.
    pub policy: Option<PolicyDocument<'a>>,
    /// An output contract to check.
    pub output_contract: Option<Contract<'a>>,
    /// Guardrails to check.
    pub policies: Option<Distinct<Guardrail<'a>>>,
    /// The URL of a JSON Schema, for editors. It is ignored.
    #[serde(rename = "$schema", default)]
    pub _schema: IgnoredAny,
}

/// A call of `merge_diagnostics`.
#[derive(Clone, Debug, Document)]
#[document(name = "MergeDiagnosticsCall", expecting = "an object", root)]
pub struct MergeCall<'a> {
    /// The diagnostics, in any order.
    pub diagnostics: Vec<Diagnostic<'a>>,
    /// The weights of constraints in the score.
    #[serde(default)]
    pub weights: Weights,
}

/// The weights of constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document)]
#[document(expecting = "an object")]
pub struct Weights {
    /// The weight of a hard constraint. The default is 1.
    #[document(default = Magnitude(Decimal::ONE))]
    pub hard: Magnitude,
    /// The weight of a soft constraint. The default is 0.5.
    #[document(default = Magnitude(Decimal::new(5, -1)))]
    pub soft: Magnitude,
}

impl Default for Weights {
    fn default() -> Self {
        Self { hard: Magnitude(Decimal::ONE), soft: Magnitude(Decimal::new(5, -1)) }
    }
}

/// A call of `observe_output`.
#[derive(Clone, Debug, Document)]
#[serde(rename_all = "camelCase")]
#[document(name = "ObserveOutputCall", expecting = "an object", root)]
pub struct ObserveCall<'a> {
    /// The contract of the output.
    pub output_contract: Contract<'a>,
    /// The output: any value.
    pub output: Node<'a>,
}

/// A call of `apply_guardrails`.
#[derive(Clone, Debug, Document)]
#[document(name = "ApplyGuardrailsCall", expecting = "an object", root)]
pub struct GuardrailCall<'a> {
    /// The guardrails, in the order of the answer.
    pub policies: Distinct<Guardrail<'a>>,
    /// The event.
    pub event: GuardrailEvent<'a>,
    /// The numbers that the caller has counted and measured before.
    #[serde(default)]
    pub state: RunState<'a>,
}

/// A search for a result that a contract accepts.
#[derive(Document)]
#[serde(rename_all = "camelCase")]
#[document(expecting = "an object", root)]
pub(crate) struct WitnessCall<'a> {
    /// The contract.
    pub output_contract: Contract<'a>,
}
