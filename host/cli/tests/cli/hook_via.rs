//! `adjudicate hook --via`: a slot decides, also after a swap in the middle of a session, and no failure lets work pass.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    thread,
    time::{Duration, Instant},
};

use adjudicate_collect::hooks::{Agent, HookForm};
use adjudicate_core::Operation;
use serde_json::{Value, json};

use crate::{
    command::{Run, TestFolder},
    hook::{self, decision},
    modules::replying,
    process::Process,
    repository::unchanged,
};

/// A server with a store, as a process.
pub(crate) struct HookServer {
    process: Process,
    pub(crate) place: TestFolder,
    pub(crate) url: String,
}

impl HookServer {
    /// Starts a server in a folder that has the store.
    pub(crate) fn start(place: TestFolder) -> Self {
        let arguments = ["serve", "--listen", "127.0.0.1:0", "--store", "store", "--socket", "gate.sock"];
        let process = Process::spawn(&mut place.command(&arguments));
        assert_eq!(process.reported["socket"], "gate.sock");
        assert!(place.path("gate.sock").exists());
        let url = format!("http://{}", process.address);
        Self { process, place, url }
    }

    pub(crate) fn kill(&mut self) {
        self.process.child.kill().unwrap();
        self.process.child.wait().unwrap();
    }

    fn store(&self, arguments: &[&str]) -> String {
        in_store(&self.place, arguments)
    }
}

/// Runs a command on the store of a folder.
fn in_store(place: &TestFolder, arguments: &[&str]) -> String {
    let run = place.process(&[arguments, &["--store", "store"]].concat());
    assert_eq!(run.status, Some(0), "{arguments:?} {run:?}");
    run.stdout
}

/// A module that always answers as a policy with this `outside` does on a call that changes a file outside. It compiles at once.
pub(crate) fn constant(outside: &str) -> Vec<u8> {
    let event = json!({
        "session_id": "s", "cwd": "/absent", "hook_event_name": "PreToolUse", "tool_name": "Write",
        "tool_input": {"file_path": "a.js"}
    });
    let mut answer = String::new();
    let decide = |envelope: &str| {
        let policy =
            format!(r#"{{"policy":"p","version":"1.0.0","review":"optional","outside":"{outside}"}}"#);
        let input = format!(r#"{{"envelope":{envelope},"policy":{policy}}}"#);
        answer = Operation::Evaluate.call(input.as_bytes()).unwrap();
        Ok(answer.clone())
    };
    HookForm::Agent(Agent::ClaudeCode).answer(event.to_string().as_bytes(), decide).unwrap();
    replying(&format!(r#"{{"ok":{answer}}}"#), "")
}

/// A store with a module of this name that is active in the slot `gate`.
pub(crate) fn store(name: &str, module: &[u8]) -> TestFolder {
    let place = TestFolder::new();
    place.file("module.wasm", module);
    in_store(&place, &["install", "module.wasm", "--allow-unsigned"]);
    in_store(&place, &["activate", "gate", name, "--create", "--allow-unsigned"]);
    place
}

/// A module of a policy that forbids `secrets/**`.
fn built() -> Vec<u8> {
    let place = TestFolder::new();
    let engine = adjudicate_tests::artifacts::engine();
    let variables = [("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR").into()), ("ADJUDICATE_ENGINE", engine)];
    let policy = json!({
        "policy": "change", "version": "1.0.0", "profile": "oa06.1", "review": "optional",
        "required_validators": ["unit"], "forbidden_paths": ["secrets/**"],
    });
    let file = place.file("policy.json", policy.to_string());
    let built = place.run_where(&variables, &["build", &file, "-o", "module.wasm"], b"");
    assert_eq!(built.status, Some(0), "{built:?}");
    fs::read(place.path("module.wasm")).unwrap()
}

/// Starts the hook of Claude Code in a repository.
fn start(repository: &TestFolder, options: &[&str], event: &Value) -> Run {
    repository.process_with(&[&["hook", "claude-code"], options].concat(), event.to_string().as_bytes())
}

fn edit(repository: &TestFolder, file: &str) -> Value {
    let root = repository.path(".").canonicalize().unwrap();
    hook::edit(&root, &root.join(file))
}

fn stop(is_held_before: bool) -> Value {
    json!({"session_id": "s", "prompt_id": "1", "hook_event_name": "Stop", "stop_hook_active": is_held_before})
}

/// Returns the text of an answer at the end of a turn: its kind, and the text for the agent or the human.
fn turn(answer: &Run) -> (&'static str, String) {
    assert_eq!(answer.status, Some(0), "{answer:?}");
    let value = answer.json();
    match value["decision"].as_str() {
        Some("block") => ("hold", value["reason"].as_str().unwrap().to_owned()),
        _ => ("say", value["systemMessage"].as_str().unwrap().to_owned()),
    }
}

/// Waits until a call gets this decision: a server sees changes of other processes within a tenth of a second.
fn until(expected: &str, answer: impl Fn() -> Run) {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        let found = decision(&answer());
        if found == expected {
            return;
        }
        assert!(Instant::now() < end, "{found}, not {expected}");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_slot_decides_in_a_session_also_after_a_swap() {
    let repository = unchanged();
    let server = HookServer::start(store("change@1.0.0", &built()));
    let url = server.url.clone();
    let options = ["--via", url.as_str(), "--slot", "gate"];
    let call = |file: &str| start(&repository, &options, &edit(&repository, file));
    for (file, expected) in
        [("src/a.js", "allow"), ("secrets/key.pem", "deny"), (".claude/settings.json", "ask")]
    {
        assert_eq!(decision(&call(file)), expected, "{file}");
    }
    server.place.file("strict.wasm", constant("refuse"));
    server.store(&["install", "strict.wasm", "--allow-unsigned"]);
    server.store(&["activate", "gate", "constant@0.1.0", "--allow-unsigned"]);
    until("deny", || call("src/a.js"));
    server.store(&["rollback", "gate"]);
    until("allow", || call("src/a.js"));

    let end = |is_held_before| start(&repository, &options, &stop(is_held_before));
    repository.file("code", "1");
    let (kind, text) = turn(&end(false));
    assert!(kind == "hold" && text.contains("`unit` exited 1"), "{text}");
    repository.file("code", "0");
    repository.file("change", "");
    assert_eq!(turn(&end(true)), ("say", "adjudicate: the decision is `success`".to_owned()));

    let socket = format!("unix:{}", server.place.path("gate.sock").display());
    let by_socket = ["--via", socket.as_str(), "--slot", "gate"];
    let path = server.place.path("gate.sock");
    for (mode, expected) in [(0o600, "deny"), (0o666, "failed")] {
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        let answer = start(&repository, &by_socket, &edit(&repository, "secrets/key.pem"));
        assert_eq!(decision(&answer), expected, "{answer:?}");
    }
}

#[test]
fn a_token_opens_the_server_and_the_installed_hook_names_its_file() {
    let repository = unchanged();
    let place = store("constant@0.1.0", &constant("allow"));
    in_store(&place, &["token", "create", "--role", "evaluate", "--name", "hooks", "--token-file", "token"]);
    let server = HookServer::start(place);
    let token = server.place.path("token").canonicalize().unwrap();
    let call = |options: &[&str]| {
        let options = [&["--via", server.url.as_str(), "--slot", "gate"], options].concat();
        start(&repository, &options, &edit(&repository, "src/a.js"))
    };
    let refused = call(&[]);
    assert_eq!(decision(&refused), "deny");
    assert!(refused.stdout.contains("missing bearer token"), "{refused:?}");
    assert_eq!(decision(&call(&["--token-file", token.to_str().unwrap()])), "allow");
    assert_eq!(decision(&call(&["--token-file", "nowhere"])), "failed");

    let program = env!("CARGO_BIN_EXE_adjudicate");
    let install = ["hook", "install", "claude-code", "--command", program, "--deadline", "60"];
    let via = ["--via", &server.url, "--slot", "gate", "--token-file", token.to_str().unwrap()];
    let installed = repository.run(&[&install[..], &via].concat());
    assert_eq!(installed.status, Some(0), "{installed:?}");
    assert!(installed.stderr.contains("does not use the policy `adjudicate.policy.yaml`"), "{installed:?}");
    let settings = fs::read_to_string(repository.path(".claude/settings.json")).unwrap();
    let settings: Value = serde_json::from_str(&settings).unwrap();
    let hook = &settings["hooks"]["Stop"][0]["hooks"][0];
    let line = format!("{program} hook claude-code --deadline 60 {}", via.join(" "));
    assert_eq!((&hook["command"], &hook["timeout"]), (&json!(line), &json!(85)));
    let tested = repository.run(&["hook", "test", "claude-code"]);
    assert_eq!(tested.status, Some(0), "{tested:?}");
}

#[test]
fn wrong_options_and_a_goal_let_nothing_pass() {
    let repository = unchanged();
    let call = |options: &[&str]| start(&repository, options, &edit(&repository, "src/a.js"));
    for options in [
        &["--via", "http://192.0.2.1:80", "--slot", "gate"][..],
        &["--via", "http://127.0.0.1:1"],
        &["--slot", "gate"],
        &["--via", "http://127.0.0.1:1", "--slot", "gate"],
    ] {
        assert_eq!(decision(&call(options)), "failed", "{options:?}");
    }
    let install = |options: &[&str]| {
        repository
            .run(&[&["hook", "install", "codex", "--via", "http://127.0.0.1:1"], options].concat())
            .code()
    };
    for options in [&["--slot", "a b"][..], &["--slot", "$(a)"], &["--slot", "a", "--token-file", "my token"]]
    {
        assert_eq!(install(options), "wrong_usage", "{options:?}");
    }
    assert_eq!(repository.run(&["goal", "unit exits 0"]).status, Some(0));
    let refused = call(&["--via", "http://127.0.0.1:1", "--slot", "gate"]);
    assert!(refused.stderr.contains("a goal is active"), "{refused:?}");
}
