//! Writes the hook into the settings of an agent, and removes it.

use adjudicate_collect::hooks::Agent;
use adjudicate_core::{Error, json::OwnedValue};

use super::{
    DEADLINE,
    entry::{entry, remove_own},
    settings::Settings,
};
use crate::{
    codes,
    collect::{Repository, folder},
    environment::Environment,
    exit::Exit,
    failure::Failure,
    output,
};

/// Writes the entries. Other settings stay, and earlier entries of the hook are replaced.
pub(super) fn install(
    agent: Agent,
    program: &str,
    deadline: u64,
    env: &Environment,
) -> Result<Exit, Failure> {
    let root = Repository::open(&folder(env)?, env)?.root;
    let mut settings = Settings::read(agent, &root, env)?.unwrap_or_else(|| Settings::empty(agent, &root));
    if matches!(agent, Agent::Cursor | Agent::Copilot) && settings.json.lookup("version").is_none() {
        settings.json.set(&["version"], OwnedValue::count(1));
    }
    let limit = if deadline == DEADLINE { String::new() } else { format!(" --deadline {deadline}") };
    let command = format!("{program} hook {}{limit}", agent.name());
    for event in agent.calls().iter().chain([&agent.end()]) {
        let entries = settings.entries(event)?;
        remove_own(entries, agent);
        entries.push(entry(agent, event, deadline, &command));
    }
    settings.write()?;
    output::line(env, &format!("wrote {}\n\nTest it: adjudicate hook test {}", settings.name, agent.name()))?;
    Ok(Exit::Answered)
}

/// Removes the entries. Settings in which nothing else is left go, too.
pub(super) fn uninstall(agent: Agent, env: &Environment) -> Result<Exit, Failure> {
    let root = Repository::open(&folder(env)?, env)?.root;
    let mut settings = Settings::read(agent, &root, env)?.ok_or_else(|| missing(agent))?;
    for event in agent.calls().iter().chain([&agent.end()]) {
        remove_own(settings.entries(event)?, agent);
    }
    let is_empty = |value: &OwnedValue| match value {
        OwnedValue::List(items) => items.is_empty(),
        OwnedValue::Object(fields) => fields.is_empty(),
        _ => false,
    };
    let mut is_left = true;
    if let OwnedValue::Object(fields) = &mut settings.json {
        for (_, hooks) in fields.iter_mut().filter(|(name, _)| name == "hooks") {
            if let OwnedValue::Object(events) = hooks {
                events.retain(|(_, entries)| !is_empty(entries));
            }
        }
        fields.retain(|(name, value)| name != "hooks" || !is_empty(value));
        is_left = fields.iter().any(|(name, _)| name != "version");
    }
    if is_left {
        settings.write()?
    } else {
        settings.remove()?
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
