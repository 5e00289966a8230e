//! The actions of guardrails.

use alloc::{boxed::Box, string::String};

use adjudicate_lang::{
    Error,
    document::{Document, Id, Reader, Shape},
    json::{self, Kind, Node, object::ObjectWriter},
};

use crate::codes;

/// The action of a guardrail, as declared.
#[derive(Clone, Debug)]
pub struct Action<'a> {
    kind: ActionKind<'a>,
    /// The action as it was written, with its extensions; `None` for an action of the engine.
    source: Option<Node<'a>>,
}

/// The action of a guardrail; `type` says which. None of them changes the plan.
#[derive(Clone, Debug, Document)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[document(expecting = "an object", name = "Action")]
pub(super) enum ActionKind<'a> {
    /// The node runs again. After that many times, a human is asked.
    Retry {
        /// The most attempts, for example `2`.
        max_attempts: u64,
    },
    /// The run waits.
    Pause {
        /// The reason, for humans.
        reason: &'a str,
    },
    /// A human is asked.
    Hitl {
        /// The reason, for the human.
        rationale: &'a str,
        /// The action after a yes: an action, or a name that the caller knows.
        approve_action: Option<NextAction<'a>>,
        /// The action after a no: an action, or a name that the caller knows.
        reject_action: Option<NextAction<'a>>,
    },
    /// The planner makes another plan.
    Replan {
        /// The reason, for the planner.
        rationale: Option<&'a str>,
    },
    /// The run fails.
    Fail {
        /// The reason, for humans.
        message: &'a str,
    },
    /// An event is emitted, and the run goes on.
    Emit {
        /// The name of the event, for example `run_announced`.
        event: Id<'a>,
        /// The payload of the event: any value.
        payload: Option<Node<'a>>,
    },
}

/// The action after a human's answer: an action, or a name for one that the caller knows.
#[derive(Clone, Debug)]
pub(super) enum NextAction<'a> {
    Named(&'a str),
    Declared(Box<Action<'a>>),
}

impl<'t: 'a, 'a> Document<'t> for Action<'a> {
    const SHAPE: Shape = ActionKind::SHAPE;

    /// Notes [`codes::INVALID_POLICY`] for `goto`: guardrails never change the plan.
    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        if node.member("type").and_then(Node::as_str) == Some("goto") {
            let message = "`goto` would change the plan, which no guardrail does";
            reader.note(Error::new(codes::INVALID_POLICY, message).under("type"));
            return None;
        }
        ActionKind::read(node, reader).map(|kind| Self { kind, source: Some(node) })
    }
}

impl<'t: 'a, 'a> Document<'t> for NextAction<'a> {
    const SHAPE: Shape = Shape::Either(&[Shape::Text, Shape::Recursive("Action", || Action::SHAPE)]);

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        match node.kind() {
            Kind::String => node.as_str().map(Self::Named),
            _ => Box::read(node, reader).map(Self::Declared),
        }
    }
}

impl<'a> Action<'a> {
    /// Returns the action that asks a human.
    pub(crate) const fn ask(rationale: &'a str) -> Self {
        Self { kind: ActionKind::Hitl { rationale, approve_action: None, reject_action: None }, source: None }
    }

    /// Returns its type: `retry`, `pause`, `hitl`, `replan`, `fail` or `emit`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self.kind {
            ActionKind::Retry { .. } => "retry",
            ActionKind::Pause { .. } => "pause",
            ActionKind::Hitl { .. } => "hitl",
            ActionKind::Replan { .. } => "replan",
            ActionKind::Fail { .. } => "fail",
            ActionKind::Emit { .. } => "emit",
        }
    }

    /// Returns the object from which it was read; `None` for an action of the engine.
    #[must_use]
    pub const fn source(&self) -> Option<Node<'a>> {
        self.source
    }

    /// Returns whether the run stops for it.
    #[must_use]
    pub const fn is_terminal(&self) -> bool {
        match self.kind {
            ActionKind::Pause { .. }
            | ActionKind::Hitl { .. }
            | ActionKind::Replan { .. }
            | ActionKind::Fail { .. } => true,
            ActionKind::Retry { .. } | ActionKind::Emit { .. } => false,
        }
    }

    /// Returns whether it asks a human.
    pub(crate) const fn asks(&self) -> bool {
        matches!(self.kind, ActionKind::Hitl { .. })
    }

    /// Returns the most attempts of a retry.
    pub(crate) const fn attempts(&self) -> Option<u64> {
        match self.kind {
            ActionKind::Retry { max_attempts } => Some(max_attempts),
            _ => None,
        }
    }

    /// Returns the action as it is printed: declared fields in their order, extensions last.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    pub(crate) fn write(&self, out: &mut String) {
        let mut members = ObjectWriter::open(out);
        members.text("type", Some(self.name()));
        match &self.kind {
            ActionKind::Retry { max_attempts } => members.count("maxAttempts", *max_attempts),
            ActionKind::Pause { reason } => members.text("reason", Some(reason)),
            ActionKind::Hitl { rationale, approve_action, reject_action } => {
                members.text("rationale", Some(rationale));
                for (name, next) in [("approveAction", approve_action), ("rejectAction", reject_action)] {
                    if let Some(next) = next {
                        members.part(name, |out| next.write(out));
                    }
                }
            }
            ActionKind::Replan { rationale } => members.text("rationale", *rationale),
            ActionKind::Fail { message } => members.text("message", Some(message)),
            ActionKind::Emit { event: Id(event), payload } => {
                members.text("event", Some(event));
                members.json("payload", payload.map(json::canonical).as_deref());
            }
        }
        if let Some(source) = self.source {
            members.extensions(source);
        }
        members.close();
    }
}

impl NextAction<'_> {
    fn write(&self, out: &mut String) {
        match self {
            Self::Named(name) => json::write_string(name, out),
            Self::Declared(action) => action.write(out),
        }
    }
}

#[cfg(test)]
mod tests {
    use adjudicate_lang::{document, json::ReadLimits};

    use super::*;

    /// Returns the action as it is printed, and whether the run stops for it.
    fn read(text: &str) -> Result<(String, bool), Error> {
        let tape = json::read(text.as_bytes(), ReadLimits::DOCUMENT)?;
        let action: Action<'_> = document::read(tape.root())?;
        Ok((action.to_json(), action.is_terminal()))
    }

    #[test]
    fn actions_are_printed_in_one_order() {
        for (text, expected, is_terminal) in [
            (r#"{"maxAttempts":2,"type":"retry"}"#, r#"{"type":"retry","maxAttempts":2}"#, false),
            (r#"{"type":"pause","reason":"r"}"#, r#"{"type":"pause","reason":"r"}"#, true),
            (
                r#"{"rejectAction":{"message":"no","type":"fail"},"rationale":"r","type":"hitl","approveAction":"go on"}"#,
                r#"{"type":"hitl","rationale":"r","approveAction":"go on","rejectAction":{"type":"fail","message":"no"}}"#,
                true,
            ),
            (r#"{"type":"replan"}"#, r#"{"type":"replan"}"#, true),
            (r#"{"type":"fail","message":""}"#, r#"{"type":"fail","message":""}"#, true),
            (
                r#"{"x-b":1,"type":"emit","x-a":2,"event":"e","payload":{"b":1,"a":1.50}}"#,
                r#"{"type":"emit","event":"e","payload":{"a":1.5,"b":1},"x-a":2,"x-b":1}"#,
                false,
            ),
        ] {
            assert_eq!(read(text).unwrap(), (expected.into(), is_terminal));
        }
    }

    #[test]
    fn invalid_actions_are_rejected() {
        for (text, code, path) in [
            ("[]", "invalid_value", ""),
            ("{}", "missing_field", "/type"),
            (r#"{"type":"goto","nodeId":"n"}"#, "invalid_policy", "/type"),
            (
                r#"{"type":"hitl","rationale":"r","approveAction":{"type":"goto"}}"#,
                "invalid_policy",
                "/approveAction/type",
            ),
            (r#"{"type":"jump"}"#, "invalid_value", "/type"),
            (r#"{"type":1}"#, "invalid_value", "/type"),
            (r#"{"type":"retry"}"#, "missing_field", "/maxAttempts"),
            (r#"{"type":"retry","maxAttempts":-1}"#, "invalid_value", "/maxAttempts"),
            (r#"{"type":"retry","maxAttempts":1.5}"#, "invalid_value", "/maxAttempts"),
            (r#"{"type":"retry","maxAttempts":1,"goto":"n"}"#, "unknown_field", "/goto"),
            (r#"{"type":"pause"}"#, "missing_field", "/reason"),
            (r#"{"type":"emit","event":""}"#, "invalid_value", "/event"),
            (r#"{"type":"hitl","rationale":"r","rejectAction":7}"#, "invalid_value", "/rejectAction"),
        ] {
            let error = read(text).unwrap_err();
            assert_eq!((error.code().as_str(), error.path()), (code, path), "{text}");
        }
    }
}
