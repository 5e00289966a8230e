//! Starts the installed hook as the agent does, with a call that it must deny.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use adjudicate_collect::hooks::{Agent, TEST_TOOL};
use adjudicate_core::{Error, json::OwnedValue};

use super::settings;
use crate::{
    codes,
    collect::{Repository, folder},
    environment::Environment,
    exit::Exit,
    failure::Failure,
    output,
};

pub(super) fn run(agent: Agent, env: &Environment) -> Result<Exit, Failure> {
    let repository = Repository::open(&folder(env)?, env)?;
    let (command, event) = settings::installed(agent, &repository.root, env)?;
    let text = OwnedValue::text;
    let input = OwnedValue::object([
        ("hook_event_name", text(event)),
        ("session_id", text("adjudicate-hook-test")),
        ("cwd", text(&repository.root.to_string_lossy())),
        ("tool_name", text(TEST_TOOL)),
        ("tool_input", OwnedValue::object([])),
    ]);
    let failed = |reason: String| Error::new(codes::HOST_FAULT, format!("the hook `{command}` {reason}"));
    let (shell, option) = if cfg!(windows) { ("cmd", "/C") } else { ("/bin/sh", "-c") };
    let mut hook = Command::new(shell);
    hook.args([option, &command]).current_dir(&repository.root);
    hook.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut hook = hook.spawn().map_err(|error| failed(format!("cannot be started: {error}")))?;
    if let Some(mut stdin) = hook.stdin.take() {
        // If the hook reads nothing, its answer shows it.
        let _ = stdin.write_all(input.to_text().as_bytes());
    }
    let ended = hook.wait_with_output().map_err(|error| failed(format!("cannot be waited for: {error}")))?;
    let reply = String::from_utf8_lossy(&ended.stdout);
    if !ended.status.success() || !reply.contains(r#":"deny""#) {
        let complaint = String::from_utf8_lossy(&ended.stderr);
        let reason = format!("lets a call run ({}): {reply}{}", ended.status, complaint.trim());
        return Err(failed(reason).into());
    }
    output::line(env, &format!("`{command}` denies a call: {}", reply.trim()))?;
    Ok(Exit::Answered)
}
