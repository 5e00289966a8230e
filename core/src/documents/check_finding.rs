//! The answer of `check_policy`: static findings about a policy, with envelopes or outputs as witnesses.

use alloc::{string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    document::{Describe, Document, IntoOwned, Reader, Shape, Type},
    json::{Node, Nullable, OwnedValue},
};
use serde::Serialize;

use super::check_code::{CheckCode, CheckSeverity};
use crate::codes::Status;

/// A static finding about a policy.
#[derive(Clone, Debug, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerCheckFinding, "a check finding object"), owned)]
pub struct CheckFinding {
    /// The code, from a closed list.
    #[cfg_attr(feature = "typescript", tsify(type = "string"))]
    #[document(accepts = "&'a str")]
    pub code: CheckCode,
    /// The severity.
    pub severity: CheckSeverity,
    /// The number of findings that are left out, in the finding that ends a cut list: `findings_omitted`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// JSON Pointer into the policy.
    pub path: String,
    /// The rule at fault, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The problem, in one line.
    pub message: String,
    /// The way to fix it, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// An envelope that shows the problem, if there is one; for an output contract, an output.
    #[cfg_attr(feature = "typescript", tsify(type = "Witness | OutputWitness | null"))]
    #[document(described = "Option<AnyWitness>")]
    #[document(accepts = "Nullable<AnyWitness<'a>>")]
    pub witness: Option<CheckWitness>,
}

/// An envelope that shows a finding, or an output.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum CheckWitness {
    /// An envelope, and its evaluation.
    Envelope(Witness),
    /// An output.
    Output(OutputWitness),
}

impl CheckWitness {
    /// Returns the envelope with its evaluation.
    #[must_use]
    pub const fn envelope(&self) -> Option<&Witness> {
        match self {
            Self::Envelope(witness) => Some(witness),
            Self::Output(_) => None,
        }
    }
}

/// An envelope that shows a finding, and its evaluation under the policy.
///
/// Every witness has been evaluated. A finding that something never happens has no witness, or one that shows the actual result.
#[derive(Clone, Debug, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerWitness, "a witness object"), owned)]
pub struct Witness {
    /// The envelope.
    #[cfg_attr(feature = "typescript", tsify(type = "Envelope"))]
    pub envelope: OwnedValue,
    /// The resulting status; null if the evaluation is an error.
    pub status: Option<Status>,
    /// The rules with findings in it, monitored ones too, each once, in the order of findings.
    pub rules: Vec<String>,
    /// The error of the evaluation, in place of a status.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[document(answer)]
    pub error: Option<WitnessError>,
    /// The indices of the rules whose conditions are unknown in it.
    #[serde(skip)]
    pub(crate) undecided: Vec<usize>,
    /// The next step in it.
    #[serde(skip)]
    pub(crate) next_step: Option<String>,
}

/// An error in the form that every interface prints.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerWitnessError, "an error object"), owned)]
pub struct WitnessError {
    /// The stable code.
    #[cfg_attr(feature = "typescript", tsify(type = "ErrorCode"))]
    pub code: &'static str,
    /// The message.
    pub message: String,
    /// JSON Pointer into the document at fault.
    pub path: String,
}

/// A witness: an envelope or an output.
#[derive(Clone, Debug)]
pub(crate) enum AnyWitness<'a> {
    Envelope(AnswerWitness<'a>),
    Output(AnswerOutputWitness<'a>),
}

impl<'t: 'a, 'a> Document<'t> for AnyWitness<'a> {
    const SHAPE: Shape = Shape::Either(&[AnswerWitness::SHAPE, AnswerOutputWitness::SHAPE]);

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        match node.member("output") {
            Some(_) => AnswerOutputWitness::read(node, reader).map(Self::Output),
            None => AnswerWitness::read(node, reader).map(Self::Envelope),
        }
    }
}

/// A witness: an envelope or an output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum OwnedAnyWitness {
    /// An envelope, and its evaluation.
    Envelope(OwnedWitness),
    /// An output.
    Output(OwnedOutputWitness),
}

impl<'t> IntoOwned<'t> for AnyWitness<'t> {
    type Owned = OwnedAnyWitness;

    fn into_owned(self, node: Node<'t>) -> OwnedAnyWitness {
        match self {
            Self::Envelope(witness) => OwnedAnyWitness::Envelope(witness.into_owned(node)),
            Self::Output(witness) => OwnedAnyWitness::Output(witness.into_owned(node)),
        }
    }
}

impl Describe for AnyWitness<'_> {
    #[inline]
    fn describe() -> Type {
        Type::Either(Vec::from([Witness::describe(), OutputWitness::describe()]))
    }
}

impl From<&Error> for WitnessError {
    fn from(error: &Error) -> Self {
        Self { code: error.code().as_str(), message: error.message().into(), path: error.path().into() }
    }
}

/// An output as a witness.
#[derive(Clone, Debug, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerOutputWitness, "a witness object with an output"), owned)]
pub struct OutputWitness {
    /// The output.
    #[cfg_attr(feature = "typescript", tsify(type = "unknown"))]
    pub output: OwnedValue,
}

/// The answer of `check_policy`.
#[derive(Describe, Serialize)]
#[document(answer(AnswerCheck, "a check answer object"), owned)]
pub(crate) struct CheckAnswer {
    /// The findings, in the order of their paths.
    #[document(answer)]
    pub findings: Vec<CheckFinding>,
}
