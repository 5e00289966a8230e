//! Several who evaluate one call: asking the modules among them. How answers are put together, and in which order, is the core's.

use std::borrow::Cow;

use adjudicate_core::{
    Error, Operation, Policy,
    evaluate::{Answered, ENGINE_ORIGIN, Member, Panel},
    json::{self, Kind, Node},
};

use crate::{module::Module, reply::CallError};

/// Somebody who has a say in an evaluation beside whoever answered it.
#[derive(Clone, Copy, Debug)]
pub enum Voice<'a> {
    /// A policy: what it makes of an envelope, the core knows.
    Policy(&'a Policy),
    /// A module, which is asked.
    Module(&'a Module),
    /// What somebody answered already.
    Answer(Answered<'a>),
}

/// Who answered the call that others have a say in.
#[derive(Clone, Copy, Debug)]
pub struct Base<'a> {
    /// What it is called.
    pub name: &'a str,
    /// The policy that it decides by, where that is known: the next step is routed by it, unless the call brings one.
    pub policy: Option<&'a Policy>,
}

impl<'a> From<&'a Module> for Base<'a> {
    /// A module, and the policy that it carries.
    fn from(module: &'a Module) -> Self {
        Self { name: &module.manifest().name, policy: module.policy() }
    }
}

/// A call that somebody gave no answer to.
#[derive(Clone, Debug)]
pub struct Failed {
    /// The module's name.
    pub origin: String,
    /// Why.
    pub error: CallError,
}

/// What a voice came to.
enum Heard<'a> {
    Policy(&'a Policy),
    Answer { origin: &'a str, answer: Cow<'a, [u8]> },
}

/// Composes the answer to a call of `evaluate` with what others make of its envelope (SPEC section 3.8): one who stands in for whoever
/// answered, and any number who can tighten the outcome and never loosen it. `base` is who answered; `None` is the
/// engine built in, which goes by the name of the policy that the call brings.
///
/// A policy that the call brings is the answer's, and so is the one that a module carries; the others get the bare envelope. If one of them fails, all have failed: who
/// restricts must not be heard by chance only. Findings of who overrides or restricts have the name of who found them for their
/// `origin`, whatever the answer says.
///
/// # Errors
///
/// As for [`Module::call`], with the name of the module; [`ModuleInvalidDecision`](adjudicate_core::ErrorCode::ModuleInvalidDecision) and
/// its like for an `answer` that is none.
///
/// ```
/// use adjudicate_core::{Operation, Policy};
/// use adjudicate_sandbox::{Voice, compose};
/// # let envelope = br#"{"run_id":"r","workflow_id":"w","step_id":"s","evaluate_prompt":"p.v1","allowed_next_steps":["publish"],"provenance_window":[],"evidence":{"transcript_summary":"","workspace_diff_summary":" M src/lib.rs\n","validation":{"mechanical_outcome":"completed","exit_codes":{"test":0},"timeouts":[]},"artifacts":[],"policy_events":[]}}"#;
/// let strict = Policy::parse(br#"{"policy": "strict", "version": "1.0.0", "forbidden_paths": ["src/**"]}"#)?;
/// let answer = Operation::Evaluate.call(envelope)?;
/// let composed = compose(None, envelope, &answer, None, [Voice::Policy(&strict)]).map_err(|failed| failed.error)?;
/// assert!(answer.contains(r#""status":"success""#) && composed.contains(r#""status":"unsafe""#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compose<'a>(
    base: Option<Base<'_>>,
    input: &[u8],
    answer: &str,
    overriding: Option<Voice<'a>>,
    restricting: impl IntoIterator<Item = Voice<'a>>,
) -> Result<String, Failed> {
    let ours = |error: Error| Failed {
        origin: base.map_or(ENGINE_ORIGIN, |base| base.name).to_owned(),
        error: error.into(),
    };
    let tape = Operation::Evaluate.read(input).map_err(ours)?;
    let root = tape.root();
    // An envelope has no member of this name.
    let envelope = match root.member("envelope") {
        Some(envelope) => Cow::from(json::verbatim(envelope)),
        None => Cow::from(tape.text()),
    };
    let brought = policy_of(root).map_err(ours)?;
    let policy = brought.as_ref().or(base.and_then(|base| base.policy));
    let overriding = hear(overriding, &envelope)?;
    let restricting = hear(restricting, &envelope)?;
    let origin = base.map(|base| base.name).or(policy.map(Policy::name)).unwrap_or(ENGINE_ORIGIN);
    let panel = Panel {
        policy,
        answer: Some(Answered { origin, answer: answer.as_bytes() }),
        overriding: overriding.iter().map(Heard::member).collect(),
        restricting: restricting.iter().map(Heard::member).collect(),
    };
    panel.evaluate(envelope.as_bytes()).map_err(ours)
}

/// Asks a module; if it fails, says which one it was.
///
/// # Errors
///
/// As for [`Module::call`], with the name of the module.
pub fn ask(module: &Module, operation: Operation, input: &[u8]) -> Result<String, Failed> {
    let failed = |error| Failed { origin: module.manifest().name.clone(), error };
    module.call(operation, input).map_err(failed)
}

/// Asks all of them, in their order.
fn hear<'a>(voices: impl IntoIterator<Item = Voice<'a>>, envelope: &str) -> Result<Vec<Heard<'a>>, Failed> {
    let heard = |voice| match voice {
        Voice::Policy(policy) => Ok(Heard::Policy(policy)),
        Voice::Module(module) => {
            let answer = ask(module, Operation::Evaluate, envelope.as_bytes())?;
            Ok(Heard::Answer { origin: &module.manifest().name, answer: answer.into_bytes().into() })
        }
        Voice::Answer(Answered { origin, answer }) => Ok(Heard::Answer { origin, answer: answer.into() }),
    };
    voices.into_iter().map(heard).collect()
}

/// The policy that a call brings.
fn policy_of(call: Node<'_>) -> Result<Option<Policy>, Error> {
    let brought = call.member("envelope").and_then(|_| call.member("policy"));
    let Some(policy) = brought.filter(|policy| policy.kind() != Kind::Null) else { return Ok(None) };
    let policy = Policy::parse(json::verbatim(policy).as_bytes());
    policy.map(Some).map_err(|error| error.within("policy"))
}

impl Heard<'_> {
    /// The member as the core has it.
    fn member(&self) -> Member<'_> {
        match self {
            Self::Policy(policy) => Member::Policy(policy),
            Self::Answer { origin, answer } => Member::Answer(Answered { origin, answer }),
        }
    }
}
