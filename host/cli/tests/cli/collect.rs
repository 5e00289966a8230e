//! `adjudicate init`, `collect` and `run` in scratch repositories.

use std::{
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use serde_json::Value;

use crate::command::{Run, TestFolder};

/// A configuration whose validator `unit` exits with the number in the file `code`.
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

const POLICY: &str = "{policy: change, version: 1.0.0, profile: oa06.1, review: optional}\n";

/// A repository with a change, whose validator exits with a number.
fn repository(code: &str) -> TestFolder {
    let place = TestFolder::new();
    git(&place, &["init", "--quiet"]);
    place.file("adjudicate.yaml", CONFIGURATION);
    place.file("adjudicate.policy.yaml", POLICY);
    git(&place, &["add", "--all"]);
    git(&place, &["commit", "--quiet", "--message", "first"]);
    place.file("code", code);
    place
}

fn git(place: &TestFolder, arguments: &[&str]) {
    let status = Command::new("git")
        .args(["-c", "user.name=A", "-c", "user.email=a@example.com"])
        .args(arguments)
        .current_dir(place.path("."))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .status();
    assert!(status.unwrap().success(), "{arguments:?}");
}

fn json(run: &Run) -> Value {
    assert_eq!(run.stderr, "");
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn a_run_decides_and_its_exit_status_is_that_of_the_decision() {
    let place = repository("0");
    let run = place.run(&["run", "--format", "json"]);
    assert_eq!((json(&run)["decision"]["status"].as_str(), run.status), (Some("success"), Some(0)));
    place.file("code", "1");
    let statuses = [10, 13].map(|_| place.run(&["run", "--exit-status"]).status);
    assert_eq!(statuses, [Some(10), Some(13)]);
    assert_eq!(place.run(&["run", "--exit-status", "--new-run"]).status, Some(10));
    assert_eq!(place.run(&["run"]).status, Some(0));
}

#[test]
fn a_decision_is_a_table_or_markdown() {
    let place = repository("1");
    let table = place.run(&["run"]);
    assert!(table.stdout.starts_with("PARTIAL"), "{}", table.stdout);
    let markdown = place.run(&["run", "--format", "markdown", "--new-run"]).stdout;
    assert!(markdown.starts_with("## adjudicate: partial\n\nnext step: `fix_findings`\n"), "{markdown}");
    assert!(markdown.contains("| partial | `validation_failed` | `unit` exited 1 |"), "{markdown}");
    assert!(markdown.contains("### Fix first\n\n- `unit`: "), "{markdown}");
    assert!(place.run(&["run", "--format", "pretty"]).stdout.starts_with("{\n  \"decision\""));
}

#[test]
fn an_envelope_is_what_evaluate_takes() {
    let place = repository("0");
    let collected = place.run(&["collect"]);
    let evaluated =
        place.run_with(&["evaluate", "-", "--policy", "adjudicate.policy.yaml"], collected.stdout.as_bytes());
    assert_eq!(json(&evaluated)["decision"]["status"], "success");
    assert_eq!(place.run(&["collect", "--out", "envelope.json"]).stdout, "");
    let written = std::fs::read_to_string(place.path("envelope.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&written).unwrap()["workflow_id"], "change");
}

#[test]
fn a_repository_is_set_up_once() {
    let place = TestFolder::new();
    git(&place, &["init", "--quiet"]);
    assert_eq!(place.run(&["run"]).code(), "unreadable_input");
    place.file("go.mod", "module a\n");
    let set_up = place.run(&["init"]);
    assert!(set_up.stdout.starts_with("wrote adjudicate.yaml\nwrote adjudicate.policy.yaml\n"), "{set_up:?}");
    let again = place.run(&["init"]);
    assert_eq!((again.code().as_str(), again.status), ("unwritable_output", Some(74)));
    // The engine reads both files.
    assert_eq!(place.run(&["check", "adjudicate.policy.yaml"]).status, Some(0));
    let run = place.run(&["run", "--format", "json"]);
    assert_eq!(json(&run)["policy"]["name"], "change");
}

#[test]
fn a_wrong_document_is_an_error_before_validators_run() {
    let place = repository("0");
    place.file("adjudicate.policy.yaml", "{policy: change}\n");
    let run = place.run(&["run"]);
    assert_eq!((run.code().as_str(), run.status), ("missing_field", Some(2)));
    place.file("adjudicate.yaml", CONFIGURATION.replace("run:", "runs:"));
    let run = place.run(&["run"]);
    assert_eq!((run.code().as_str(), run.status), ("unknown_field", Some(2)));
    assert!(!place.path(".adjudicate").exists());
}

#[test]
fn a_signal_stops_the_validators_and_the_run_is_interrupted() {
    let place = repository("0");
    place.file("adjudicate.yaml", CONFIGURATION.replace("exit $(cat code)", "echo > started; sleep 60"));
    let mut command = place.command(&["run", "--format", "json"]);
    command.env("PATH", std::env::var_os("PATH").unwrap());
    let child = command.stdout(Stdio::piped()).spawn().unwrap();
    while !place.path("started").exists() {
        thread::sleep(Duration::from_millis(5));
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let run = Run::from(child.wait_with_output().unwrap());
    let rules: Vec<Value> =
        json(&run)["findings"].as_array().unwrap().iter().map(|it| it["rule"].clone()).collect();
    assert!(rules.contains(&"interrupted".into()), "{rules:?}");
}

#[test]
fn a_program_of_the_repository_is_not_git() {
    use std::os::unix::fs::PermissionsExt;
    let place = repository("0");
    std::fs::create_dir(place.path("bin")).unwrap();
    let program = place.file("bin/git", "#!/bin/sh\nexit 0\n");
    std::fs::set_permissions(program, PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", place.path("bin").display(), std::env::var("PATH").unwrap());
    let run = place.command(&["run", "--format", "json"]).env("PATH", path).output().unwrap();
    let decision: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(decision["decision"]["status"], "success", "{decision}");
}
