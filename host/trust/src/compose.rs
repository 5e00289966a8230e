//! Compositions with modules: calls the modules, and lets the core compose their answers.

use std::{borrow::Cow, fmt};

use adjudicate_core::{
    Error, Operation, Policy,
    evaluate::{AnswerText, ComposedCall, CompositionMember, ENGINE_ORIGIN},
    json::{self, Kind, Node},
};

use crate::call_error::CallError;

/// A module that can be called. `adjudicate-sandbox` implements this trait for its modules.
pub trait CallableModule: fmt::Debug + Send + Sync {
    /// The name in the manifest.
    fn name(&self) -> &str;

    /// The policy that the module carries, if known.
    fn policy(&self) -> Option<&Policy>;

    /// Calls an operation with a JSON input, and returns the answer.
    ///
    /// # Errors
    ///
    /// The error that the module reports, or the reason why it gave no answer.
    fn call(&self, operation: Operation, input: &[u8]) -> Result<String, CallError>;
}

/// An override or a restriction of an answer.
#[derive(Clone, Copy, Debug)]
pub enum ComposedMember<'a> {
    /// A policy, which the core evaluates.
    Policy(&'a Policy),
    /// A module, which [`compose`] calls.
    Module(&'a dyn CallableModule),
    /// An external answer.
    Answer(AnswerText<'a>),
}

/// The base: the evaluator whose answer is overridden or restricted.
#[derive(Clone, Copy, Debug)]
pub struct Base<'a> {
    /// The name: the `origin` of its findings.
    pub name: &'a str,
    /// The policy that it decides by, if known. This policy routes the next step, unless the call has a `policy`.
    pub policy: Option<&'a Policy>,
}

impl<'a, M: CallableModule> From<&'a M> for Base<'a> {
    /// The base is a module, with the policy that the module carries.
    fn from(module: &'a M) -> Self {
        Self { name: module.name(), policy: module.policy() }
    }
}

/// A call that has no answer, because the base or a member failed.
#[derive(Clone, Debug)]
pub struct MemberFailure {
    /// The name of the module or the base that failed.
    pub origin: String,
    /// The reason.
    pub error: CallError,
}

/// A member whose module has answered.
enum AnsweredMember<'a> {
    Policy(&'a Policy),
    Answer { origin: &'a str, answer: Cow<'a, [u8]> },
}

/// Composes the answer of a base to a call of `evaluate` with an override and any number of restrictions
/// (docs/reference/policies.md). An override replaces the answer; restrictions make the outcome stricter, never more lenient.
/// Without a `base`, the answer is the built-in engine's, and its origin is the name of the call's `policy`.
///
/// The call's `policy`, or else the policy of the base, routes the next step. The other members get the envelope without a
/// `policy`. If a member fails, the composition fails, so that it never lacks a restriction. Findings of an override or a
/// restriction have the member's name as their `origin`, whatever the answer says.
///
/// # Errors
///
/// As for [`CallableModule::call`], with the name of the module; [`module_invalid_decision`](crate::codes::MODULE_INVALID_DECISION) and
/// the other codes of the output contract if `answer` breaks it.
///
/// ```
/// use adjudicate_core::{Operation, Policy};
/// use adjudicate_trust::{ComposedMember, compose};
/// # let envelope = br#"{"run_id":"r","workflow_id":"w","step_id":"s","evaluate_prompt":"p.v1","allowed_next_steps":["publish"],"provenance_window":[],"evidence":{"transcript_summary":"","workspace_diff_summary":" M src/lib.rs\n","validation":{"mechanical_outcome":"completed","exit_codes":{"test":0},"timeouts":[]},"artifacts":[],"policy_events":[]}}"#;
/// let strict = Policy::parse(br#"{"policy": "strict", "version": "1.0.0", "forbidden_paths": ["src/**"]}"#)?;
/// let answer = Operation::Evaluate.call(envelope)?;
/// let composed = compose(None, envelope, &answer, None, [ComposedMember::Policy(&strict)]).map_err(|failed| failed.error)?;
/// assert!(answer.contains(r#""status":"success""#) && composed.contains(r#""status":"unsafe""#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compose<'a>(
    base: Option<Base<'_>>,
    input: &[u8],
    answer: &str,
    overrides: Option<ComposedMember<'a>>,
    restrictions: impl IntoIterator<Item = ComposedMember<'a>>,
) -> Result<String, MemberFailure> {
    let ours = |error: Error| MemberFailure {
        origin: base.map_or(ENGINE_ORIGIN, |base| base.name).to_owned(),
        error: error.into(),
    };
    let tape = Operation::Evaluate.read(input).map_err(ours)?;
    let root = tape.root();
    // An envelope has no field of this name.
    let envelope = match root.member("envelope") {
        Some(envelope) => Cow::from(json::verbatim(envelope)),
        None => Cow::from(tape.text()),
    };
    let brought = policy_of(root).map_err(ours)?;
    let policy = brought.as_ref().or(base.and_then(|base| base.policy));
    let overrides = call_members(overrides, &envelope)?;
    let restrictions = call_members(restrictions, &envelope)?;
    let origin = base.map(|base| base.name).or(policy.map(Policy::name)).unwrap_or(ENGINE_ORIGIN);
    let call = ComposedCall {
        policy,
        answer: Some(AnswerText { origin, answer: answer.as_bytes() }),
        overrides: overrides.iter().map(AnsweredMember::member).collect(),
        restrictions: restrictions.iter().map(AnsweredMember::member).collect(),
    };
    call.evaluate(envelope.as_bytes()).map_err(ours)
}

/// Calls a module. A failure has the name of the module.
///
/// # Errors
///
/// As for [`CallableModule::call`], with the name of the module.
pub fn call_module(
    module: &dyn CallableModule,
    operation: Operation,
    input: &[u8],
) -> Result<String, MemberFailure> {
    let failed = |error| MemberFailure { origin: module.name().to_owned(), error };
    module.call(operation, input).map_err(failed)
}

/// Calls the modules among the members, in order.
fn call_members<'a>(
    members: impl IntoIterator<Item = ComposedMember<'a>>,
    envelope: &str,
) -> Result<Vec<AnsweredMember<'a>>, MemberFailure> {
    let called = |member| match member {
        ComposedMember::Policy(policy) => Ok(AnsweredMember::Policy(policy)),
        ComposedMember::Module(module) => {
            let answer = call_module(module, Operation::Evaluate, envelope.as_bytes())?;
            Ok(AnsweredMember::Answer { origin: module.name(), answer: answer.into_bytes().into() })
        }
        ComposedMember::Answer(AnswerText { origin, answer }) => {
            Ok(AnsweredMember::Answer { origin, answer: answer.into() })
        }
    };
    members.into_iter().map(called).collect()
}

/// Returns the `policy` of a call, if it has one.
fn policy_of(call: Node<'_>) -> Result<Option<Policy>, Error> {
    let brought = call.member("envelope").and_then(|_| call.member("policy"));
    let Some(policy) = brought.filter(|policy| policy.kind() != Kind::Null) else { return Ok(None) };
    let policy = Policy::parse(json::verbatim(policy).as_bytes());
    policy.map(Some).map_err(|error| error.within("policy"))
}

impl AnsweredMember<'_> {
    /// Returns the member in the form of the core.
    fn member(&self) -> CompositionMember<'_> {
        match self {
            Self::Policy(policy) => CompositionMember::Policy(policy),
            Self::Answer { origin, answer } => CompositionMember::Answer(AnswerText { origin, answer }),
        }
    }
}
