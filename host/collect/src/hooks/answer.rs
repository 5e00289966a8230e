//! The answers of a hook, in the forms of the hosts (docs/reference/hooks.md).

use adjudicate_core::json::{self, OwnedValue, ReadLimits};

use super::{
    agent::{Agent, Form},
    call::CallVerdict,
    turn::TurnVerdict,
};

/// The answer of a hook: what the process writes and how it ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookAnswer {
    /// The text for standard output, empty or one line of JSON.
    pub output: String,
    /// The text for standard error.
    pub complaint: String,
    /// The exit code.
    pub exit_code: u8,
}

/// The exit code that every host takes as a denial before a call.
const DENIED: u8 = 2;

impl HookAnswer {
    /// The answer after a failure before a call: it must not run.
    #[must_use]
    pub fn refusal(reason: &str) -> Self {
        let complaint = format!("adjudicate: this call was not judged, so it must not run: {reason}\n");
        Self { output: String::new(), complaint, exit_code: DENIED }
    }

    fn json(value: &OwnedValue) -> Self {
        Self { output: value.to_text(), ..Self::default() }
    }
}

impl Agent {
    /// Returns the answer to an event before a call. `can_ask` is that of the [call](super::HookCall::can_ask): a host that cannot
    /// ask a human gets a denial instead.
    #[must_use]
    pub fn answer_call(self, can_ask: bool, verdict: &CallVerdict) -> HookAnswer {
        let row = self.row();
        let (word, reason) = match verdict {
            CallVerdict::Allow => {
                // Nothing is written, because `allow` would skip the host's own question. Cursor needs a word where it fails closed.
                return match row.form {
                    Form::Cursor => {
                        HookAnswer::json(&OwnedValue::object([("permission", OwnedValue::text("allow"))]))
                    }
                    _ => HookAnswer::default(),
                };
            }
            CallVerdict::Ask(reason) if can_ask => {
                ("ask", format!("A human has to approve this call:\n{reason}"))
            }
            CallVerdict::Ask(reason) => (
                "deny",
                format!(
                    "This call needs a human, whom this hook cannot ask. Do something else, or ask the user to do it:\n{reason}"
                ),
            ),
            CallVerdict::Deny(reason) => {
                ("deny", format!("This call is not allowed. Do something else:\n{reason}"))
            }
        };
        let text = |text: &str| OwnedValue::text(text);
        HookAnswer::json(&match row.form {
            Form::Claude => OwnedValue::object([(
                "hookSpecificOutput",
                OwnedValue::object([
                    ("hookEventName", text("PreToolUse")),
                    ("permissionDecision", text(word)),
                    ("permissionDecisionReason", text(&reason)),
                ]),
            )]),
            Form::Copilot => OwnedValue::object([
                ("permissionDecision", text(word)),
                ("permissionDecisionReason", text(&reason)),
            ]),
            Form::Cursor => OwnedValue::object([
                ("permission", text(word)),
                ("user_message", text(&reason)),
                ("agent_message", text(&reason)),
            ]),
            Form::Gemini => OwnedValue::object([("decision", text(word)), ("reason", text(&reason))]),
        })
    }

    /// Returns true if a host takes this output as a denial of a call, or at the end of a turn as a hold.
    ///
    /// ```
    /// use adjudicate_collect::hooks::Agent;
    /// assert!(Agent::Gemini.is_denial(r#"{"decision": "deny", "reason": "no"}"#));
    /// assert!(!Agent::ClaudeCode.is_denial(r#"{"decision": "deny", "reason": "no"}"#));
    /// ```
    #[must_use]
    pub fn is_denial(self, output: &str) -> bool {
        let Ok(tape) = json::read(output.as_bytes(), ReadLimits::DOCUMENT) else { return false };
        let text = |path: &[&str]| {
            let found = path.iter().try_fold(tape.root(), |node, name| node.member(name));
            found.and_then(|node| node.as_str())
        };
        match self.row().form {
            Form::Claude => {
                text(&["hookSpecificOutput", "permissionDecision"]) == Some("deny")
                    || text(&["decision"]) == Some("block")
            }
            Form::Copilot => {
                text(&["permissionDecision"]) == Some("deny") || text(&["decision"]) == Some("block")
            }
            Form::Cursor => {
                text(&["permission"]) == Some("deny")
                    || text(&["followup_message"]).is_some_and(|message| !message.is_empty())
            }
            Form::Gemini => text(&["decision"]) == Some("deny"),
        }
    }

    /// Returns the answer to an event at the end of a turn.
    #[must_use]
    pub fn answer_turn(self, verdict: &TurnVerdict) -> HookAnswer {
        let text = |text: &str| OwnedValue::text(text);
        match (verdict, self.row().form) {
            (TurnVerdict::Release, Form::Cursor) => HookAnswer::json(&OwnedValue::object([])),
            (TurnVerdict::Release, _) => HookAnswer::default(),
            (TurnVerdict::Hold(reason), Form::Claude | Form::Copilot) => {
                HookAnswer::json(&OwnedValue::object([("decision", text("block")), ("reason", text(reason))]))
            }
            (TurnVerdict::Hold(reason), Form::Gemini) => {
                HookAnswer::json(&OwnedValue::object([("decision", text("deny")), ("reason", text(reason))]))
            }
            (TurnVerdict::Hold(reason), Form::Cursor) => {
                HookAnswer::json(&OwnedValue::object([("followup_message", text(reason))]))
            }
            (TurnVerdict::Say(message), Form::Claude | Form::Gemini) => {
                HookAnswer::json(&OwnedValue::object([("systemMessage", text(message))]))
            }
            // These hosts show nothing of an answer to a human, but keep standard error.
            (TurnVerdict::Say(message), Form::Cursor) => {
                HookAnswer { complaint: format!("{message}\n"), ..HookAnswer::json(&OwnedValue::object([])) }
            }
            (TurnVerdict::Say(message), Form::Copilot) => {
                HookAnswer { complaint: format!("{message}\n"), ..HookAnswer::default() }
            }
        }
    }
}
