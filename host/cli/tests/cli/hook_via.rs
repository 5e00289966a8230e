//! `adjudicate hook --via`: no failure lets work pass. The page `docs/cookbook/one-gate-for-all-agents.md` has swaps in a session.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
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

    /// Sets the permissions of the socket.
    pub(crate) fn set_mode(&self, mode: u32) {
        fs::set_permissions(self.place.path("gate.sock"), Permissions::from_mode(mode)).unwrap();
    }
}

/// Runs a command on the store of a folder.
fn in_store(place: &TestFolder, arguments: &[&str]) {
    let run = place.process(&[arguments, &["--store", "store"]].concat());
    assert_eq!(run.status, Some(0), "{arguments:?} {run:?}");
}

/// A store whose slot `gate` has a module that allows each call. It compiles at once.
pub(crate) fn store() -> TestFolder {
    let event = r#"{"session_id":"s","cwd":"/absent","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"a.js"}}"#;
    let mut answer = String::new();
    let decide = |envelope: &str| {
        let policy = r#"{"policy":"p","version":"1.0.0","review":"optional","outside":"allow"}"#;
        let input = format!(r#"{{"envelope":{envelope},"policy":{policy}}}"#);
        answer = Operation::Evaluate.call(input.as_bytes()).unwrap();
        Ok(answer.clone())
    };
    HookForm::Agent(Agent::ClaudeCode).answer(event.as_bytes(), decide).unwrap();
    let place = TestFolder::new();
    place.file("module.wasm", replying(&format!(r#"{{"ok":{answer}}}"#), ""));
    in_store(&place, &["install", "module.wasm", "--allow-unsigned"]);
    in_store(&place, &["activate", "gate", "constant@0.1.0", "--create", "--allow-unsigned"]);
    place
}

/// Starts the hook of Claude Code in a repository.
fn start(repository: &TestFolder, options: &[&str], event: &Value) -> Run {
    repository.process_with(&[&["hook", "claude-code"], options].concat(), event.to_string().as_bytes())
}

fn edit(repository: &TestFolder, file: &str) -> Value {
    let root = repository.path(".").canonicalize().unwrap();
    hook::edit(&root, &root.join(file))
}

#[test]
fn a_token_opens_the_server_and_the_installed_hook_names_its_file() {
    let repository = unchanged();
    let place = store();
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
