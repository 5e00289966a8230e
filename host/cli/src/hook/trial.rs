//! Starts the installed hooks as the agent does, with events that they must refuse.

use std::{path::Path, time::Duration};

use adjudicate_collect::{
    hooks::{Agent, TEST_SESSION, TEST_TOOL},
    requests::{CommandProgram, End, Ended, Process},
    run_process,
};
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

/// The time limit of a hook, and the most bytes of its answer.
const LIMIT: Duration = Duration::from_secs(60);
const MAX_BYTES: u64 = 1 << 20;

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
    Error::new(codes::HOST_FAULT, format!("the hook `{}` fails the test: {problem}", hook.line()))
        .at(format!("/hooks/{event}"))
}

/// Returns why a hook fails the test: it lets work pass, or denies all of it.
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
    let reply = String::from_utf8_lossy(&answer.output);
    if answer.end != End::Exited(0) || !agent.is_denial(&reply) {
        return Err(format!("it answers the test with {}", shown(&answer)));
    }
    let answer = start(agent, hook, DAMAGED, root)?;
    match (answer.end, answer.errors.is_empty()) {
        (End::Exited(2), false) => Ok(()),
        _ => Err(format!("it answers a damaged event with {}", shown(&answer))),
    }
}

fn start(agent: Agent, hook: &EntryHook<'_>, input: &str, root: &Path) -> Result<Ended, String> {
    let (program, arguments) = hook.program();
    let process = Process {
        program: CommandProgram::Words([program].into_iter().chain(arguments).collect()),
        folder: root.as_os_str().as_encoded_bytes().to_vec(),
        environment: agent.folder_variable().map(|name| (name.to_owned(), root.into())).into_iter().collect(),
        input: input.as_bytes().to_vec(),
        files: None,
        max_bytes: MAX_BYTES,
        limit: LIMIT,
        is_stoppable: false,
    };
    run_process(&process).map_err(|error| format!("it cannot be started: {error}"))
}

/// Returns an answer as a text.
fn shown(answer: &Ended) -> String {
    let [reply, complaint] =
        [&answer.output, &answer.errors].map(|bytes| String::from_utf8_lossy(bytes).trim().to_owned());
    let end = match answer.end {
        End::Exited(code) => format!("exit status {code}"),
        End::TimedOut | End::Stopped => "no exit status in time".to_owned(),
    };
    format!("{end}: `{reply}` {complaint}")
}
