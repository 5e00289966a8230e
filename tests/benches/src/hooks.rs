//! A tool call of a coding agent: at the server, by the process of `hook --via`, and by that of `hook` alone.

use std::{
    env, fs,
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use adjudicate_sandbox::Digest;
use adjudicate_serve::{Native, Server, ServerSettings};
use serde_json::json;
use tempfile::TempDir;

use crate::{
    Failure, Values,
    contest::{Contest, Effort, timed},
    serving::{Connection, slot},
};

/// Divides the number of rounds, because starting a process takes much longer than a call.
const FEWER: usize = 8;

const CONFIGURATION: &str = r#"{"workflow": "change", "next_steps": [{"id": "publish", "role": "forward"}], "policy": "policy.json",
    "validators": [{"id": "unit", "run": ["true"]}]}"#;

const POLICY: &str =
    r#"{"policy": "change", "version": "1.0.0", "review": "optional", "forbidden_paths": ["deploy/**"]}"#;

/// Milliseconds of a call that edits one file. The program `adjudicate` stands next to this one.
pub(crate) fn measure(engine: &[u8], effort: Effort) -> Result<Values, Failure> {
    let directory = tempfile::tempdir()?;
    let (slots, _) = slot(&directory, &[engine], [Digest::sha256(engine)].into())?;
    let server = Server::start(ServerSettings::default(), Native::default(), Some(slots))?;
    let program = env::current_exe()?.with_file_name(format!("adjudicate{}", env::consts::EXE_SUFFIX));
    let repository = repository()?;
    let event = json!({
        "hook_event_name": "PreToolUse", "session_id": "s1", "cwd": repository.path().to_string_lossy(), "tool_name": "Edit",
        "tool_input": {"file_path": repository.path().join("src/a.rs").to_string_lossy(), "old_string": "a", "new_string": "b"},
    });
    let event = event.to_string();
    let mut connection = Connection::open(server.address(), "/v1/hooks/claude-code/release", &event)?;
    let via = format!("http://{}", server.address());
    let hook = |options: &[&str]| hook(&program, options, repository.path(), &event);
    let mut contest = Contest::new(effort.with_fewer_rounds(FEWER));
    contest.enter("server", timed(|| connection.call().map(|()| 1)))?;
    contest.enter("via", timed(|| hook(&["--via", &via, "--slot", "release"])))?;
    contest.enter("alone", timed(|| hook(&[])))?;
    let results = contest.hold()?;
    server.drain();
    let milliseconds = |name: &str| results.micros(name) / 1e3;
    Ok(Values::from([
        ("hook_server_ms".into(), milliseconds("server")),
        ("hook_via_ms".into(), milliseconds("via")),
        ("hook_alone_ms".into(), milliseconds("alone")),
    ]))
}

fn repository() -> Result<TempDir, Failure> {
    let place = tempfile::tempdir()?;
    fs::create_dir(place.path().join(".git"))?;
    fs::write(place.path().join("adjudicate.json"), CONFIGURATION)?;
    fs::write(place.path().join("policy.json"), POLICY)?;
    Ok(place)
}

/// Starts the hook as an agent does. The call must be allowed.
fn hook(program: &Path, options: &[&str], repository: &Path, event: &str) -> Result<usize, Failure> {
    let mut command = Command::new(program);
    command.args(["hook", "claude-code"]).args(options).current_dir(repository);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    child.stdin.take().ok_or("no input")?.write_all(event.as_bytes())?;
    let answer = child.wait_with_output()?;
    if !answer.status.success() || !answer.stdout.is_empty() {
        return Err(format!("the hook does not allow the call: {answer:?}").into());
    }
    Ok(1)
}
