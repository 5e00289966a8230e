//! The command `hook`: answers the hooks of a coding agent, installs itself in the agent's settings, and tests what it installed.

mod answer;
mod entry;
mod install;
pub(crate) mod own;
mod settings;
mod switches;
mod trial;
#[cfg(feature = "modules")]
mod via;
#[cfg(not(feature = "modules"))]
#[path = "../no_modules/via.rs"]
mod via;

use std::time::Duration;

use adjudicate_collect::hooks::Agent;
use adjudicate_core::Error;
use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};

use crate::{codes, environment::Environment, exit::Exit, failure::Failure};

/// The time limit before a call. `install` gives the agent a longer one.
const CALL: Duration = Duration::from_secs(20);

/// The time that validators get to end, after the limit of a turn.
const GRACE: Duration = Duration::from_secs(15);

/// The default time limit at the end of a turn, in seconds.
const DEADLINE: u64 = 570;

/// Judge the tool calls and the turns of a coding agent.
///
/// With the name of an agent, the command is the hook itself: the agent starts it, with an event on standard input. A failure before a tool
/// call denies the call, with exit status 2.
#[derive(Debug, Args)]
pub(crate) struct Hook {
    /// The agent whose event is on standard input, or what to do with the hook of an agent
    #[arg(value_parser = action())]
    action: Action,
    /// The agent, for `install`, `test` and `uninstall`
    #[arg(value_parser = agent())]
    agent: Option<Agent>,
    /// With `install`: the line for the shell that starts this program [default: adjudicate]
    ///
    /// The npm package has another default, which finds the package in the repository.
    #[arg(long, value_name = "COMMAND")]
    command: Option<String>,
    /// The longest time for the end of a turn
    #[arg(long, value_name = "SECONDS", default_value_t = DEADLINE, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    deadline: u64,
    #[command(flatten)]
    via: via::ViaArgs,
}

/// The first argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Answer(Agent),
    Install,
    Test,
    Uninstall,
}

/// The actions that need the name of an agent.
const ACTIONS: [(&str, Action, &str); 3] = [
    ("install", Action::Install, "Write the hook into the settings of an agent"),
    ("test", Action::Test, "Start the installed hooks with events that they must refuse"),
    ("uninstall", Action::Uninstall, "Remove the hook from the settings of an agent"),
];

/// Returns the parser of the name of an agent.
fn agent() -> impl TypedValueParser<Value = Agent> {
    PossibleValuesParser::new(Agent::ALL.map(Agent::name))
        .try_map(|name| Agent::ALL.into_iter().find(|agent| agent.name() == name).ok_or("no agent"))
}

/// Returns the parser of the first argument.
fn action() -> impl TypedValueParser<Value = Action> {
    let agents = Agent::ALL.map(|agent| PossibleValue::new(agent.name()));
    let others = ACTIONS.map(|(name, _, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(agents.into_iter().chain(others)).try_map(|name| {
        let agent = Agent::ALL.into_iter().find(|agent| agent.name() == name).map(Action::Answer);
        let other = || ACTIONS.into_iter().find(|row| row.0 == name).map(|(_, action, _)| action);
        agent.or_else(other).ok_or("no action")
    })
}

pub(crate) fn run(args: &Hook, env: &Environment) -> Result<Exit, Failure> {
    match (args.action, args.agent) {
        (Action::Answer(agent), None) => answer::run(agent, args.deadline, &args.via, env),
        (Action::Install, Some(agent)) => {
            install::install(agent, args.command.as_deref(), args.deadline, &args.via, env)
        }
        (Action::Uninstall, Some(agent)) => install::uninstall(agent, env),
        (Action::Test, Some(agent)) => trial::run(agent, env),
        _ => Err(Error::new(
            codes::WRONG_USAGE,
            "expected the name of an agent, alone or behind `install`, `test` or `uninstall`",
        )
        .into()),
    }
}
