//! Starts the installed hooks as the agent does, with events that they must refuse.

use std::{
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

use adjudicate_collect::hooks::{Agent, TEST_SESSION, TEST_TOOL};
use adjudicate_core::{Error, json::OwnedValue};

use super::{
    entry::{EntryHook, own_hooks},
    install::missing,
    settings::Settings,
    switches::switched_off,
};
use crate::{
    codes,
    collect::{Repository, folder},
    environment::Environment,
    exit::Exit,
    failure::Failure,
    output,
};

/// An input that is no event. A hook that hides its exit status lets such a call run.
const DAMAGED: &str = "{";

pub(super) fn run(agent: Agent, env: &Environment) -> Result<Exit, Failure> {
    let root = Repository::open(&folder(env)?, env)?.root;
    let mut settings = Settings::read(agent, &root, env)?.ok_or_else(|| missing(agent))?;
    let mut report = String::new();
    for event in agent.calls().iter().chain([&agent.end()]) {
        let entries = settings.entries(event)?.clone();
        let hooks: Vec<_> = entries.iter().flat_map(|entry| own_hooks(entry, agent)).collect();
        if hooks.is_empty() {
            return Err(missing(agent).at(format!("/hooks/{event}")).into());
        }
        for hook in hooks {
            let line = hook.line();
            let names: Vec<&str> = [Some(line.as_str()), hook.name()].into_iter().flatten().collect();
            if let Some(switch) = switched_off(agent, &root, &names, env)? {
                let message = format!("{switch} switches the hook off, or changes its program");
                return Err(Error::new(codes::INVALID_VALUE, message).into());
            }
            test(agent, event, &hook, &root).map_err(|problem| failed(&hook, event, &problem))?;
            report.push_str(&format!("{event}: `{}` refuses\n", hook.line()));
        }
    }
    output::text(env, &report)?;
    Ok(Exit::Answered)
}

fn failed(hook: &EntryHook<'_>, event: &str, problem: &str) -> Error {
    Error::new(codes::HOST_FAULT, format!("the hook `{}` lets work pass: {problem}", hook.line()))
        .at(format!("/hooks/{event}"))
}

/// Returns why a hook lets work pass.
fn test(agent: Agent, event: &str, hook: &EntryHook<'_>, root: &Path) -> Result<(), String> {
    if let Some(problem) = hook.problem(agent, event) {
        return Err(problem);
    }
    let text = OwnedValue::text;
    let input = OwnedValue::object([
        ("hook_event_name", text(event)),
        ("session_id", text(TEST_SESSION)),
        ("cwd", text(&root.to_string_lossy())),
        ("tool_name", text(TEST_TOOL)),
        ("tool_input", OwnedValue::object([])),
    ]);
    let answer = start(agent, hook, &input.to_text(), root)?;
    let reply = String::from_utf8_lossy(&answer.stdout);
    if !answer.status.success() || !agent.is_denial(&reply) {
        return Err(format!("it answers the test with {}", shown(&answer)));
    }
    let answer = start(agent, hook, DAMAGED, root)?;
    match (answer.status.code(), answer.stderr.is_empty()) {
        (Some(2), false) => Ok(()),
        _ => Err(format!("it answers a damaged event with {}", shown(&answer))),
    }
}

fn start(agent: Agent, hook: &EntryHook<'_>, input: &str, root: &Path) -> Result<Output, String> {
    let (program, arguments) = hook.program();
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root);
    command.envs(agent.folder_variable().map(|name| (name, root)));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("it cannot be started: {error}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        // If the hook reads nothing, its answer shows it.
        let _ = stdin.write_all(input.as_bytes());
    }
    child.wait_with_output().map_err(|error| format!("it cannot be waited for: {error}"))
}

/// Returns an answer as a text.
fn shown(answer: &Output) -> String {
    let [reply, complaint] =
        [&answer.stdout, &answer.stderr].map(|bytes| String::from_utf8_lossy(bytes).trim().to_owned());
    format!("{}: `{reply}` {complaint}", answer.status)
}
