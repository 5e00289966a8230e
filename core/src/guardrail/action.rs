//! What a guardrail does when it fires.

use alloc::{string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    json::{
        self, Node,
        object::{Field, Form, Members, count, optional, read_object, read_tag, required},
    },
};

use crate::codes;

/// One sort of action: its members, and whether the run stops for it.
struct Row {
    name: &'static str,
    fields: &'static [Field],
    is_terminal: bool,
}

const TYPE: Field = required("type", Form::Text);

/// All sorts of actions. There is none that changes the plan.
const TABLE: &[Row] = &[
    Row { name: "retry", fields: &[TYPE, required("maxAttempts", Form::Count)], is_terminal: false },
    Row { name: "pause", fields: &[TYPE, required("reason", Form::Text)], is_terminal: true },
    Row {
        name: "hitl",
        fields: &[
            TYPE,
            required("rationale", Form::Text),
            optional("approveAction", Form::Any),
            optional("rejectAction", Form::Any),
        ],
        is_terminal: true,
    },
    Row { name: "replan", fields: &[TYPE, optional("rationale", Form::Text)], is_terminal: true },
    Row { name: "fail", fields: &[TYPE, required("message", Form::Text)], is_terminal: true },
    Row {
        name: "emit",
        fields: &[TYPE, required("event", Form::Id), optional("payload", Form::Any)],
        is_terminal: false,
    },
];

/// An action, as it was declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    name: &'static str,
    /// How often a retry may be made.
    pub(super) attempts: Option<u64>,
    is_terminal: bool,
    json: String,
}

impl Action {
    /// Reads an action.
    ///
    /// # Errors
    ///
    /// [`codes::INVALID_POLICY`] for `goto`: guardrails never change the plan. Else the first error in document order.
    pub(super) fn read(value: Node<'_>) -> Result<Self, Error> {
        let row = row(value)?;
        let mut attempts = None;
        let mut shown: Vec<Option<String>> = Vec::new();
        shown.resize(row.fields.len(), None);
        read_object(value, row.fields, &mut |at, member| {
            let json = match (row.name, at) {
                // What a person's answer leads to may be an action, or a name that the caller knows.
                ("hitl", 2 | 3) => outcome(member)?,
                ("retry", 1) => {
                    attempts = count(member);
                    json::canonical(member)
                }
                _ => json::canonical(member),
            };
            if let Some(place) = shown.get_mut(at) {
                *place = Some(json);
            }
            Ok(())
        })?;
        let mut json = String::new();
        let mut members = Members::open(&mut json);
        for (field, value) in row.fields.iter().zip(&shown) {
            members.json(field.name(), value.as_deref());
        }
        members.extensions(value);
        members.close();
        Ok(Self { name: row.name, attempts, is_terminal: row.is_terminal, json })
    }

    /// Asks a person.
    pub(super) fn ask(rationale: &str) -> Self {
        let mut json = String::new();
        let mut members = Members::open(&mut json);
        members.text("type", Some("hitl"));
        members.text("rationale", Some(rationale));
        members.close();
        Self { name: "hitl", attempts: None, is_terminal: true, json }
    }

    /// Its type: `retry`, `pause`, `hitl`, `replan`, `fail` or `emit`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Whether the run stops for it.
    #[must_use]
    pub const fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// The action as it is printed: declared members in their order, extensions last.
    #[must_use]
    pub fn to_json(&self) -> &str {
        &self.json
    }
}

/// The row of an action, by its type.
fn row(value: Node<'_>) -> Result<&'static Row, Error> {
    if value.member("type").and_then(Node::as_str) == Some("goto") {
        let message = "`goto` would change the plan, which no guardrail does";
        return Err(Error::new(codes::INVALID_POLICY, message).under("type"));
    }
    let names: Vec<_> = TABLE.iter().map(|row| row.name).collect();
    let place = read_tag(value, "type", &names)?;
    // The names are the table's.
    TABLE.get(place).ok_or_else(|| Error::new(codes::INVALID_VALUE, "no such action"))
}

/// What a person's answer leads to: an action, or a name for one that the caller knows.
fn outcome(value: Node<'_>) -> Result<String, Error> {
    match value.as_str() {
        Some(_) => Ok(json::canonical(value)),
        None => Ok(Action::read(value)?.json),
    }
}

#[cfg(test)]
mod tests {
    use adjudicate_lang::json::Limits;

    use super::*;

    fn read(text: &str) -> Result<Action, Error> {
        Action::read(json::read(text.as_bytes(), Limits::DOCUMENT)?.root())
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
            let action = read(text).unwrap();
            assert_eq!((action.to_json(), action.is_terminal()), (expected, is_terminal));
        }
    }

    #[test]
    fn what_is_no_action_is_refused() {
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
