//! The forms of hooks that a server answers. It sees the event alone, and a slot decides.

use adjudicate_core::{Error, json::OwnedValue};

use super::{
    agent::Agent,
    answer::HookAnswer,
    call::{CallVerdict, on_test},
    event::{HookCall, HookEvent},
    interceptor::{Failure, Interception, allow, deny, interception, on_call},
    step::{of_files_without_folder, step, verdict},
    turn::uncollected,
};

/// The reason for which a server cannot judge the end of a turn.
const UNCOLLECTED: &str = "This server collects no evidence, so the work was not judged. A hook that runs `adjudicate hook AGENT --via URL` \
                           collects it.";

/// A form of events and answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookForm {
    /// The hooks of a coding agent.
    Agent(Agent),
    /// The contract AGENT-HOOKS 0.1.
    AgentHooks,
}

impl HookForm {
    /// Returns all forms.
    pub fn all() -> impl Iterator<Item = Self> {
        Agent::ALL.into_iter().map(Self::Agent).chain([Self::AgentHooks])
    }

    /// Returns the name, for example `claude-code`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Agent(agent) => agent.name(),
            Self::AgentHooks => "agent-hooks",
        }
    }

    /// Returns the answer to an event, both as JSON: `{}` if there is nothing to say. `decide` returns the answer of `evaluate` to an
    /// envelope, or the reason why there is none. Without an answer, a call is denied.
    ///
    /// # Errors
    ///
    /// Those of [`Agent::read`].
    ///
    /// ```
    /// use adjudicate_collect::hooks::{Agent, HookForm};
    /// use adjudicate_core::Operation;
    ///
    /// let event = br#"{"hook_event_name": "PreToolUse", "session_id": "s1", "tool_name": "Bash", "tool_input": {"command": "ls"}}"#;
    /// let decide = |envelope: &str| Operation::Evaluate.call(envelope.as_bytes()).map_err(|error| error.to_string());
    /// assert_eq!(HookForm::Agent(Agent::ClaudeCode).answer(event, decide)?, "{}");
    /// let denial = HookForm::Agent(Agent::ClaudeCode).answer(event, |_| Err("the slot is empty".into()))?;
    /// assert!(denial.contains(r#""permissionDecision":"deny""#) && denial.contains("the slot is empty"));
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn answer(
        self,
        event: &[u8],
        decide: impl FnOnce(&str) -> Result<String, String>,
    ) -> Result<String, Error> {
        self.answer_by(event, |call| decide(&step(self.name(), call).to_json()))
    }

    /// Returns the answer to an event if nothing can decide: a call is denied for this reason. It looks at no file.
    ///
    /// # Errors
    ///
    /// Those of [`Agent::read`].
    ///
    /// ```
    /// use adjudicate_collect::hooks::{Agent, HookForm};
    ///
    /// let event = br#"{"hook_event_name": "PreToolUse", "session_id": "s1", "tool_name": "Bash", "tool_input": {"command": "ls"}}"#;
    /// let denial = HookForm::Agent(Agent::Codex).undecided(event, "the server is overloaded")?;
    /// assert!(Agent::Codex.is_denial(&denial) && denial.contains("overloaded"));
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn undecided(self, event: &[u8], reason: &str) -> Result<String, Error> {
        self.answer_by(event, |_| Err(reason.to_owned()))
    }

    fn answer_by(
        self,
        event: &[u8],
        decide: impl FnOnce(&HookCall) -> Result<String, String>,
    ) -> Result<String, Error> {
        let agent = match self {
            Self::Agent(agent) => agent,
            Self::AgentHooks => {
                let verdict = match interception(event) {
                    Ok(Interception::Call(call)) => on_call(&Self::judge(&call, decide)),
                    Ok(Interception::Output) => deny("adjudicate:unjudged", UNCOLLECTED, true),
                    Ok(Interception::Startup | Interception::Other) => allow(),
                    Err(error) => Failure::from(error).into_verdict(),
                };
                return Ok(verdict.to_text());
            }
        };
        let answer = match agent.read(event)? {
            HookEvent::Call(call) => agent.answer_call(call.can_ask, &Self::judge(&call, decide)),
            HookEvent::End(end) => agent.answer_turn(&uncollected(&end, UNCOLLECTED)),
        };
        Ok(match answer {
            HookAnswer { output, complaint, .. } if complaint.is_empty() && !output.is_empty() => output,
            HookAnswer { complaint, .. } if complaint.is_empty() => "{}".to_owned(),
            // These hosts have no field for a word to the user, and a server has no standard error for them to log.
            HookAnswer { complaint, .. } => {
                OwnedValue::object([("systemMessage", OwnedValue::text(complaint.trim_end()))]).to_text()
            }
        })
    }

    /// Returns the denial of a call whose event cannot be read.
    ///
    /// ```
    /// use adjudicate_collect::hooks::{Agent, HookForm};
    /// assert!(Agent::Codex.is_denial(&HookForm::Agent(Agent::Codex).denial("the event is too large")));
    /// ```
    #[must_use]
    pub fn denial(self, reason: &str) -> String {
        let Self::Agent(agent) = self else {
            return deny("adjudicate:unjudged", reason, false).to_text();
        };
        agent.answer_call(false, &CallVerdict::Deny(format!("it was not judged: {reason}"))).output
    }

    fn judge(call: &HookCall, decide: impl FnOnce(&HookCall) -> Result<String, String>) -> CallVerdict {
        on_test(call).unwrap_or_else(|| {
            let judged = decide(call).and_then(|answer| verdict(&answer).map_err(|error| error.to_string()));
            let judged =
                judged.unwrap_or_else(|reason| CallVerdict::Deny(format!("it was not judged: {reason}")));
            judged.and(of_files_without_folder(call))
        })
    }
}
