//! Writes the hook into the settings of an agent, and removes it.

use adjudicate_collect::hooks::Agent;
use adjudicate_core::{Error, json::OwnedValue};

use super::{
    DEADLINE,
    entry::{entry, is_program, remove_own},
    settings::Settings,
    switches::switched_off,
    via::ViaArgs,
};
use crate::{
    codes,
    collect::{Repository, folder},
    environment::Environment,
    exit::Exit,
    failure::Failure,
    output,
    table::visible,
};

/// Writes the entries. Other settings stay, and earlier entries of the hook are replaced.
pub(super) fn install(
    agent: Agent,
    program: Option<&str>,
    deadline: u64,
    via: &ViaArgs,
    env: &Environment,
) -> Result<Exit, Failure> {
    let program = program.map_or_else(|| default_program(agent), ToOwned::to_owned);
    if !program.split_whitespace().last().is_some_and(is_program) {
        let message =
            "the command must end with the program `adjudicate`, by which its entries are found again";
        return Err(Error::new(codes::WRONG_USAGE, message).into());
    }
    let repository = Repository::open(&folder(env)?, env)?;
    let root = &repository.root;
    let mut settings = Settings::read(agent, root, env)?.unwrap_or_else(|| Settings::empty(agent, root));
    if matches!(agent, Agent::Cursor | Agent::Copilot) && settings.json.lookup("version").is_none() {
        settings.json.set(&["version"], OwnedValue::count(1));
    }
    let limit = if deadline == DEADLINE { String::new() } else { format!(" --deadline {deadline}") };
    let command = format!("{program} hook {}{limit}{}", agent.name(), via.line(env)?);
    let before_a_call = command.clone() + otherwise_denied(agent);
    let lines = agent.calls().iter().map(|event| (*event, &before_a_call)).chain([(agent.end(), &command)]);
    for (event, line) in lines {
        let entries = settings.entries(event)?;
        remove_own(entries, agent);
        entries.push(entry(agent, event, deadline, line));
    }
    settings.write()?;
    if let Some(switch) = switched_off(agent, root, &[&command, "adjudicate"], env)? {
        output::error_line(env, &format!("warning: {switch} switches the hook off, or changes its program"));
    }
    if let Some(policy) = repository.configuration.policy.as_deref().filter(|_| via.is_set()) {
        let message =
            format!("warning: the slot decides, so the hook does not use the policy `{}`", visible(policy));
        output::error_line(env, &message);
    }
    output::line(env, &format!("wrote {}\n\nTest it: adjudicate hook test {}", settings.name, agent.name()))?;
    Ok(Exit::Answered)
}

/// Returns the line that starts this program. In the npm package, it finds the package in the repository, because the package has no path
/// that all clones share. It needs no `npx`, which obeys `.npmrc` and `package.json`: there, an agent could name another program.
fn default_program(agent: Agent) -> String {
    if !cfg!(target_os = "wasi") {
        return "adjudicate".to_owned();
    }
    let root = agent
        .folder_variable()
        .map_or_else(|| "$(git rev-parse --show-toplevel)".to_owned(), |name| format!("${name}"));
    format!(r#""{root}"/node_modules/.bin/adjudicate"#)
}

/// Returns the end of a line before a call. With it, a program that is missing or crashes denies the call, as the hook's own failures do.
/// Cursor and Copilot deny after any exit status except 0. The PowerShell of Windows cannot read the line.
const fn otherwise_denied(agent: Agent) -> &'static str {
    match agent {
        Agent::ClaudeCode | Agent::Codex | Agent::Gemini if !cfg!(windows) => " || exit 2",
        _ => "",
    }
}

/// Removes the entries of all events. Settings in which nothing else was go, too.
pub(super) fn uninstall(agent: Agent, env: &Environment) -> Result<Exit, Failure> {
    let root = Repository::open(&folder(env)?, env)?.root;
    let mut settings = Settings::read(agent, &root, env)?.ok_or_else(|| missing(agent))?;
    let mut emptied = Vec::new();
    let mut is_removed = false;
    for event in settings.events()? {
        let entries = settings.entries(&event)?;
        let is_own = remove_own(entries, agent);
        is_removed |= is_own;
        if is_own && entries.is_empty() {
            emptied.push(event);
        }
    }
    if !is_removed {
        return Err(missing(agent).into());
    }
    if settings.forget(&emptied) {
        settings.remove()?
    } else {
        settings.write()?
    }
    output::line(env, &format!("removed the hook from {}", settings.name))?;
    Ok(Exit::Answered)
}

/// The error for settings without the hook.
pub(super) fn missing(agent: Agent) -> Error {
    let message = format!(
        "`{}` has no hook of this program; to write it: `adjudicate hook install {}`",
        agent.settings(),
        agent.name()
    );
    Error::new(codes::UNREADABLE_INPUT, message)
}
