//! The command `hook`: answers the hooks of a coding agent, installs itself in the agent's settings, and tests what it installed.

mod answer;
mod settings;
mod trial;

use adjudicate_collect::hooks::Agent;
use adjudicate_core::Error;
use clap::{Args, ValueEnum};

use crate::{codes, environment::Environment, exit::Exit, failure::Failure};

/// Judge the tool calls and the turns of a coding agent.
///
/// With the name of an agent, the command is the hook itself: the agent starts it, with an event on standard input. A failure before a tool
/// call denies the call, with exit status 2.
#[derive(Debug, Args)]
pub(crate) struct Hook {
    /// The agent whose event is on standard input, or what to do with the hook of an agent
    #[arg(value_enum)]
    action: Action,
    /// The agent, for `install` and `test`
    #[arg(value_enum, required_if_eq_any([("action", "install"), ("action", "test")]))]
    agent: Option<AgentName>,
    /// With `install`: the command by which the agent starts this program
    #[arg(long, value_name = "COMMAND", default_value = "adjudicate")]
    command: String,
    /// The longest time for the end of a turn
    #[arg(long, value_name = "SECONDS", default_value_t = 570, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    deadline: u64,
}

/// The first argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Action {
    ClaudeCode,
    Codex,
    Cursor,
    Gemini,
    Copilot,
    /// Write the hook into the settings of an agent
    Install,
    /// Start the installed hook with a call that it must deny
    Test,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum AgentName {
    ClaudeCode,
    Codex,
    Cursor,
    Gemini,
    Copilot,
}

impl Hook {
    fn agent(&self) -> Option<Agent> {
        Some(match (self.action, self.agent) {
            (Action::ClaudeCode, None) | (_, Some(AgentName::ClaudeCode)) => Agent::ClaudeCode,
            (Action::Codex, None) | (_, Some(AgentName::Codex)) => Agent::Codex,
            (Action::Cursor, None) | (_, Some(AgentName::Cursor)) => Agent::Cursor,
            (Action::Gemini, None) | (_, Some(AgentName::Gemini)) => Agent::Gemini,
            (Action::Copilot, None) | (_, Some(AgentName::Copilot)) => Agent::Copilot,
            (Action::Install | Action::Test, None) => return None,
        })
    }
}

pub(crate) fn run(args: &Hook, env: &Environment) -> Result<Exit, Failure> {
    match (args.action, args.agent()) {
        (Action::Install, Some(agent)) => settings::install(agent, &args.command, env),
        (Action::Test, Some(agent)) => trial::run(agent, env),
        (_, Some(agent)) if args.agent.is_none() => answer::run(agent, args.deadline, env),
        _ => Err(Error::new(
            codes::WRONG_USAGE,
            "expected the name of an agent, alone or behind `install` or `test`",
        )
        .into()),
    }
}
