//! `adjudicate hook`: as agents start it, installed, and tested.

use std::{
    fs,
    io::Write,
    process::{Command, Output, Stdio},
};

use serde_json::Value;

use crate::command::TestFolder;

const AGENTS: [&str; 5] = ["claude-code", "codex", "cursor", "gemini", "copilot"];

const CONFIGURATION: &str = "\
workflow: change
next_steps:
  - {id: open_pull_request, role: forward}
  - {id: fix_findings, role: fix}
  - {id: ask_a_human, role: gate}
policy: adjudicate.policy.yaml
validators:
  - id: unit
    run: exit $(cat code)
";

const POLICY: &str =
    "{policy: change, version: 1.0.0, profile: oa06.1, review: optional, forbidden_paths: [secrets/**]}\n";

fn git(place: &TestFolder, arguments: &[&str]) {
    let status = Command::new("git")
        .args(["-c", "user.name=A", "-c", "user.email=a@example.com"])
        .args(arguments)
        .current_dir(place.path("."))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .status();
    assert!(status.unwrap().success(), "{arguments:?}");
}

fn repository() -> TestFolder {
    let place = TestFolder::new();
    git(&place, &["init", "--quiet"]);
    place.file("adjudicate.yaml", CONFIGURATION);
    place.file("adjudicate.policy.yaml", POLICY);
    place.file("code", "0");
    git(&place, &["add", "--all"]);
    git(&place, &["commit", "--quiet", "--message", "first"]);
    place
}

/// Starts the hook as an agent does.
fn start(place: &TestFolder, arguments: &[&str], input: &[u8]) -> Output {
    let mut command = place.command(&[&["hook"], arguments].concat());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut child = command.env("PATH", path).stdin(Stdio::piped()).spawn().unwrap();
    // A hook that fails early reads nothing.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn edit(place: &TestFolder, file: &str) -> Vec<u8> {
    let root = place.path(".").canonicalize().unwrap();
    serde_json::json!({
        "session_id": "s", "cwd": root, "hook_event_name": "PreToolUse", "tool_name": "Write",
        "tool_input": {"file_path": root.join(file), "content": ""}
    })
    .to_string()
    .into_bytes()
}

#[test]
fn a_call_is_allowed_denied_or_asked_about() {
    let place = repository();
    for (file, expected) in [
        ("src/a.js", ""),
        ("secrets/key.pem", "deny"),
        ("adjudicate.policy.yaml", "ask"),
        (".claude/settings.json", "ask"),
    ] {
        let answer = start(&place, &["claude-code"], &edit(&place, file));
        assert_eq!((answer.status.code(), answer.stderr.len()), (Some(0), 0), "{answer:?}");
        let decision = match answer.stdout.is_empty() {
            true => String::new(),
            false => {
                let value: Value = serde_json::from_slice(&answer.stdout).unwrap();
                value["hookSpecificOutput"]["permissionDecision"].as_str().unwrap().to_owned()
            }
        };
        assert_eq!(decision, expected, "{file}");
    }
}

#[test]
fn a_configuration_in_a_folder_below_replaces_nothing() {
    let place = repository();
    fs::create_dir(place.path("below")).unwrap();
    place.file("below/adjudicate.yaml", CONFIGURATION.replace("policy: adjudicate.policy.yaml\n", ""));
    let root = place.path(".").canonicalize().unwrap();
    let input = String::from_utf8(edit(&place, "secrets/key.pem")).unwrap();
    let input = input.replace(&format!("\"cwd\":{root:?}"), &format!("\"cwd\":{:?}", root.join("below")));
    let mut command = place.command(&["hook", "codex"]);
    let mut child = command.current_dir(place.path("below")).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let answer = child.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&answer.stdout).contains(r#":"deny""#), "{answer:?}");
}

#[test]
fn every_failure_before_a_call_denies() {
    let place = repository();
    let refused = |arguments: &[&str], input: &[u8]| {
        let answer = start(&place, arguments, input);
        assert_eq!(answer.status.code(), Some(2), "{arguments:?} {answer:?}");
        assert_eq!(answer.stdout, b"", "{arguments:?}");
        assert!(!answer.stderr.is_empty());
    };
    for agent in AGENTS {
        for input in [&b""[..], b"{", b"[]", b"\xff", b"{}", br#"{"hook_event_name": "Unknown"}"#] {
            refused(&[agent], input);
        }
    }
    let input = edit(&place, "src/a.js");
    refused(&["claude"], &input);
    refused(&["claude-code", "--deadlines", "3"], &input);
    refused(&["claude-code", "codex"], &input);
    refused(&[], &input);
    for (file, text) in [("adjudicate.policy.yaml", "{policy: change}"), ("adjudicate.yaml", "[")] {
        let before = fs::read(place.path(file)).unwrap();
        place.file(file, text);
        refused(&["claude-code"], &input);
        place.file(file, before);
    }
    fs::remove_file(place.path("adjudicate.yaml")).unwrap();
    refused(&["claude-code"], &input);
}

#[test]
fn a_turn_is_held_with_instructions_and_then_released() {
    let place = repository();
    let stop =
        br#"{"session_id": "s", "prompt_id": "1", "hook_event_name": "Stop", "stop_hook_active": false}"#;
    let answer = || start(&place, &["claude-code"], stop);
    assert_eq!(answer().stdout, b"", "nothing has changed");
    place.file("code", "1");
    let held: Value = serde_json::from_slice(&answer().stdout).unwrap();
    assert_eq!(held["decision"], "block");
    assert!(held["reason"].as_str().unwrap().contains("`unit` exited 1"), "{held}");
    let released: Value = serde_json::from_slice(&answer().stdout).unwrap();
    assert!(released["systemMessage"].as_str().unwrap().contains("a human is needed"), "{released}");
    // A damaged configuration counts no holds, so the turn ends.
    place.file("adjudicate.yaml", "[");
    let failed = answer();
    assert!(String::from_utf8_lossy(&failed.stdout).contains("A human is needed"), "{failed:?}");
}

#[test]
fn a_hook_is_installed_once_and_denies() {
    let program = env!("CARGO_BIN_EXE_adjudicate");
    for agent in AGENTS {
        let place = repository();
        let missing = place.run(&["hook", "test", agent]);
        assert_eq!(missing.code(), "unreadable_input", "{agent}");
        let first = place.run(&["hook", "install", agent, "--command", "missing-program"]);
        assert_eq!(first.status, Some(0), "{first:?}");
        let name = first.stdout.lines().next().unwrap().strip_prefix("wrote ").unwrap().to_owned();
        assert_eq!(place.run(&["hook", "test", agent]).code(), "host_fault", "{agent}");
        // Other settings stay, and the entries are replaced.
        let mut settings: Value =
            serde_json::from_str(&fs::read_to_string(place.path(&name)).unwrap()).unwrap();
        settings["theme"] = "dark".into();
        let event = settings["hooks"].as_object().unwrap().keys().next().unwrap().clone();
        settings["hooks"][&event].as_array_mut().unwrap().insert(0, serde_json::json!({"command": "lint"}));
        let shared = serde_json::json!({"hooks": [{"command": "audit"}, {"command": format!("{program} hook {agent}")}]});
        settings["hooks"][&event].as_array_mut().unwrap().push(shared);
        place.file(&name, settings.to_string());
        let second = place.run(&["hook", "install", agent, "--command", program]);
        assert_eq!(second.status, Some(0), "{second:?}");
        let settings: Value = serde_json::from_str(&fs::read_to_string(place.path(&name)).unwrap()).unwrap();
        assert_eq!(settings["theme"], "dark");
        let entries = settings["hooks"][&event].as_array().unwrap();
        assert_eq!((entries.len(), &entries[0]["command"]), (3, &"lint".into()), "{settings}");
        let tested = place.run(&["hook", "test", agent]);
        assert!(tested.stdout.contains(r#":"deny""#), "{agent}: {tested:?}");
    }
    let place = repository();
    for text in ["[]", "{", r#"{"hooks": []}"#, r#"{"hooks": {"PreToolUse": {}}}"#] {
        fs::create_dir_all(place.path(".claude")).unwrap();
        place.file(".claude/settings.json", text);
        assert_eq!(place.run(&["hook", "install", "claude-code"]).status, Some(2), "{text}");
        assert_eq!(fs::read_to_string(place.path(".claude/settings.json")).unwrap(), text);
    }
}
