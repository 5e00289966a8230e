//! The settings of coding agents: where they are, and the entries of the hook.

use std::{fs, io, path::Path};

use adjudicate_collect::hooks::Agent;
use adjudicate_core::{
    Error,
    json::{self, Kind, Limits, OwnedValue},
};

use crate::{
    codes,
    collect::{Repository, folder},
    environment::Environment,
    exit::Exit,
    failure::Failure,
    input::Source,
    layout, output, replace,
};

/// The time limit of the agent before a call, in seconds. The hook's own limit is shorter.
const CALL_SECONDS: u64 = 30;

/// The time limit of the agent at the end of a turn, in seconds.
const TURN_SECONDS: u64 = 600;

/// Returns the path of an agent's settings below the root of a repository.
pub(super) const fn file(agent: Agent) -> &'static str {
    match agent {
        Agent::ClaudeCode => ".claude/settings.json",
        Agent::Codex => ".codex/hooks.json",
        Agent::Cursor => ".cursor/hooks.json",
        Agent::Gemini => ".gemini/settings.json",
        Agent::Copilot => ".github/hooks/adjudicate.json",
    }
}

/// The events of an agent with their time limits: those before calls, then the end of a turn.
const fn events(agent: Agent) -> &'static [(&'static str, u64)] {
    match agent {
        Agent::ClaudeCode | Agent::Codex | Agent::Copilot => {
            &[("PreToolUse", CALL_SECONDS), ("Stop", TURN_SECONDS)]
        }
        Agent::Cursor => &[
            ("preToolUse", CALL_SECONDS),
            ("beforeShellExecution", CALL_SECONDS),
            ("beforeMCPExecution", CALL_SECONDS),
            ("stop", TURN_SECONDS),
        ],
        // Milliseconds.
        Agent::Gemini => &[("BeforeTool", CALL_SECONDS * 1000), ("AfterAgent", TURN_SECONDS * 1000)],
    }
}

/// Returns the entry of an event.
fn entry(agent: Agent, event: &str, limit: u64, command: &str) -> OwnedValue {
    let text = OwnedValue::text;
    let limit = OwnedValue::count(limit);
    match agent {
        Agent::ClaudeCode | Agent::Codex => {
            let hook = OwnedValue::object([
                ("type", text("command")),
                ("command", text(command)),
                ("timeout", limit),
            ]);
            OwnedValue::object([("hooks", OwnedValue::List(vec![hook]))])
        }
        Agent::Gemini => {
            let hook = OwnedValue::object([
                ("name", text("adjudicate")),
                ("type", text("command")),
                ("command", text(command)),
                ("timeout", limit),
            ]);
            OwnedValue::object([("matcher", text("*")), ("hooks", OwnedValue::List(vec![hook]))])
        }
        Agent::Cursor if event == "stop" => {
            OwnedValue::object([("command", text(command)), ("timeout", limit)])
        }
        Agent::Cursor => OwnedValue::object([
            ("command", text(command)),
            ("timeout", limit),
            ("failClosed", OwnedValue::Bool(true)),
        ]),
        Agent::Copilot => OwnedValue::object([
            ("type", text("command")),
            ("bash", text(command)),
            ("powershell", text(command)),
            ("timeoutSec", limit),
        ]),
    }
}

/// Writes the entries into the settings of an agent. Other settings stay, and earlier entries of the hook are replaced.
pub(super) fn install(agent: Agent, program: &str, env: &Environment) -> Result<Exit, Failure> {
    let repository = Repository::open(&folder(env)?, env)?;
    let name = file(agent);
    let path = repository.root.join(name);
    let mut settings = read(&path, name, env)?.unwrap_or_else(|| OwnedValue::object([]));
    if matches!(agent, Agent::Cursor | Agent::Copilot) && settings.lookup("version").is_none() {
        settings.set(&["version"], OwnedValue::count(1));
    }
    if settings.lookup("hooks").is_some_and(|hooks| !matches!(hooks, OwnedValue::Object(_))) {
        return Err(damaged(name).into());
    }
    let own = format!(" hook {}", agent.name());
    for (event, limit) in events(agent) {
        match settings.at(&["hooks", event]).ok_or_else(|| damaged(name))? {
            OwnedValue::List(entries) => entries.retain(|entry| !is_own(entry, &own)),
            absent @ OwnedValue::Null => *absent = OwnedValue::List(Vec::new()),
            _ => return Err(damaged(name).into()),
        }
        settings.add(&["hooks", event], entry(agent, event, *limit, &format!("{program}{own}")));
    }
    let folder = path.parent().unwrap_or(&repository.root);
    let text = layout::pretty(&settings.to_text()) + "\n";
    fs::create_dir_all(folder)
        .and_then(|()| replace::file(&path, None, text.as_bytes()))
        .map_err(|error| output::unwritable(&path, error))?;
    output::line(env, &format!("wrote {name}\n\nTest it: adjudicate hook test {}", agent.name()))?;
    Ok(Exit::Answered)
}

/// Returns true if an entry has no commands except those of this program's hook.
fn is_own(entry: &OwnedValue, own: &str) -> bool {
    let nested = match entry.lookup("hooks") {
        Some(OwnedValue::List(hooks)) => hooks.iter().collect(),
        _ => vec![entry],
    };
    let command = |hook: &&OwnedValue| {
        let command = hook.lookup("command").or_else(|| hook.lookup("bash")).and_then(OwnedValue::as_str);
        command.is_some_and(|command| command.ends_with(own))
    };
    !nested.is_empty() && nested.iter().all(command)
}

/// Returns the command of the hook before a call, and the event.
pub(super) fn installed(
    agent: Agent,
    root: &Path,
    env: &Environment,
) -> Result<(String, &'static str), Error> {
    let name = file(agent);
    let missing = || {
        let message = format!(
            "`{name}` has no hook of this program; to write it: `adjudicate hook install {}`",
            agent.name()
        );
        Error::new(codes::UNREADABLE_INPUT, message)
    };
    let settings = read(&root.join(name), name, env)?.ok_or_else(missing)?;
    let own = format!(" hook {}", agent.name());
    let (event, _) = events(agent).first().ok_or_else(missing)?;
    let entries = settings.lookup("hooks").and_then(|hooks| hooks.lookup(event));
    let command = entries.and_then(|entries| find(entries, &own)).ok_or_else(missing)?;
    Ok((command.to_owned(), event))
}

/// Returns the first text with a part.
fn find<'v>(value: &'v OwnedValue, part: &str) -> Option<&'v str> {
    match value {
        OwnedValue::Text(text) => text.contains(part).then_some(text),
        OwnedValue::List(items) => items.iter().find_map(|item| find(item, part)),
        OwnedValue::Object(fields) => fields.iter().find_map(|(_, value)| find(value, part)),
        _ => None,
    }
}

/// Reads settings; `None` if the file is absent.
fn read(path: &Path, name: &str, env: &Environment) -> Result<Option<OwnedValue>, Error> {
    if fs::metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Ok(None);
    }
    let text = Source::File(path.to_owned()).text(env)?;
    let tape = json::read(&text, Limits::DOCUMENT).map_err(|error| error.within(name))?;
    match tape.root().kind() {
        Kind::Object => Ok(Some(tape.root().into())),
        _ => Err(damaged(name)),
    }
}

fn damaged(name: &str) -> Error {
    Error::new(codes::INVALID_VALUE, format!("{name}: expected an object from event to list")).at("/hooks")
}
