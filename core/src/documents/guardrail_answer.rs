//! The answer of `apply_guardrails` as a document.

use alloc::vec::Vec;

use adjudicate_lang::{
    Error,
    document::{Document, Id, Object, Reader, Shape},
    json::Node,
};

use super::{Action, Trigger, diagnostic::Diagnostic};
use crate::contract::breach;

/// The answer of `apply_guardrails`: the guardrails that fire, in their order.
#[derive(Document)]
#[document(expecting = "an object")]
pub struct Actions<'a> {
    /// The actions. Those behind a terminal one are listed, too.
    pub actions: Vec<GuardrailAction<'a>>,
    /// The payloads of the event `policy_triggered`, one for each action.
    pub payloads: Vec<PolicyTriggered<'a>>,
}

/// The action of a guardrail that fires.
#[derive(Document)]
#[serde(rename_all = "camelCase")]
#[document(expecting = "an object", check = "is_marked")]
pub struct GuardrailAction<'a> {
    /// The id of the guardrail.
    pub policy_id: Id<'a>,
    /// The action.
    pub action: Action<'a>,
    /// True if the run stops for it.
    pub terminal: bool,
    /// The reason why a human is asked instead of the guardrail's own action.
    pub reason: Option<ActionReason>,
}

/// The payload of the event `policy_triggered`.
#[derive(Document)]
#[serde(rename_all = "camelCase")]
#[document(expecting = "an object")]
pub struct PolicyTriggered<'a> {
    /// The id of the guardrail.
    pub policy_id: Id<'a>,
    /// Its trigger, in the form that does not depend on how the guardrail writes it.
    pub trigger: PrintedTrigger<'a>,
    /// The action.
    pub action: Action<'a>,
    /// The same as advice for the planner: informational, and with the node of the event.
    pub diagnostic: Diagnostic<'a>,
}

/// A trigger as this engine prints it.
pub struct PrintedTrigger<'a>(pub Node<'a>);

impl<'t: 'a, 'a> Document<'t> for PrintedTrigger<'a> {
    const SHAPE: Shape = Trigger::SHAPE;

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        Object::read(node, reader).map(|Object(node)| Self(node))
    }
}

/// The reason why a human is asked instead of the guardrail's own action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document)]
#[serde(rename_all = "snake_case")]
pub enum ActionReason {
    /// The retries are used up.
    RetriesExhausted,
    /// The condition cannot be decided.
    ConditionUndecided,
    /// The metric is missing.
    MetricMissing,
    /// The elapsed time is missing.
    ElapsedMissing,
}

/// Checks that an action is marked as terminal if it is.
fn is_marked(action: &GuardrailAction<'_>) -> Result<(), Error> {
    if action.action.is_terminal() == action.terminal {
        return Ok(());
    }
    Err(breach("/terminal", "expected true exactly if the action pauses, asks, replans or fails"))
}
