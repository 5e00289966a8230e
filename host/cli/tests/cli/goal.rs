//! `adjudicate goal`: sentences, the active goal, and the hook that judges it.

use std::{fs, io::Write, process::Stdio};

use serde_json::{Value, json};

use crate::{
    command::{Run, TestFolder},
    repository::{CONFIGURATION, git, unchanged},
};

/// A repository without a configuration, whose only file is the exit code of its check.
fn fresh() -> TestFolder {
    let place = TestFolder::new();
    git(&place, &["init", "--quiet"]);
    place.file("code", "0");
    git(&place, &["add", "--all"]);
    git(&place, &["commit", "--quiet", "--message", "first"]);
    place
}

fn report(run: &Run) -> Value {
    assert_eq!(run.status, Some(0), "{}{}", run.stdout, run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

/// The status of `adjudicate run`.
fn decided(place: &TestFolder) -> String {
    let run = report(&place.run(&["run", "--no-progress", "--format", "json"]));
    run["decision"]["status"].as_str().unwrap_or_else(|| panic!("{run}")).to_owned()
}

#[test]
fn a_goal_in_a_fresh_clone_needs_nothing_else() {
    let place = fresh();
    let text = "run exit $(cat code) as check; only change src/**, code; within 3 rounds";
    let set = report(&place.run(&["goal", text, "--format", "json"]));
    assert_eq!(set["configuration"]["validators"][0], json!({"id": "check", "run": "exit $(cat code)"}));
    assert_eq!(set["policy"]["allowed_paths"], json!(["src/**", "code"]));
    assert_eq!((&set["status"], &set["rounds"]), (&Value::Null, &json!(0)));
    place.file("code", "1");
    for (status, rounds) in [("partial", 1), ("partial", 2), ("needs_human", 3)] {
        assert_eq!(decided(&place), status, "round {rounds}");
        let now = report(&place.run(&["goal", "status", "--format", "json"]));
        assert_eq!((&now["status"], &now["rounds"]), (&json!(status), &json!(rounds)));
    }
    let done = place.run(&["goal", "done"]);
    assert!(
        done.status == Some(1) && done.stderr.contains("the goal is not met: needs_human"),
        "{}",
        done.stderr
    );
    // A new goal begins a new run.
    place.run(&["goal", text]);
    place.file("code", "0\n");
    assert_eq!(decided(&place), "success");
    place.file("README.md", "");
    assert_eq!(decided(&place), "unsafe");
    fs::remove_file(place.path("README.md")).unwrap();
    assert_eq!(decided(&place), "success");
    place.file("code", "00\n");
    let done = place.run(&["goal", "done"]);
    assert!(
        done.status == Some(1) && done.stderr.contains("the files must be judged again"),
        "{}",
        done.stderr
    );
    assert_eq!(decided(&place), "success");
    assert_eq!(place.run(&["goal", "done"]).status, Some(0));
    assert_eq!(place.run(&["goal", "status"]).status, Some(64));
}

#[test]
fn a_goal_adds_to_the_documents_of_the_repository() {
    let place = unchanged();
    let set =
        report(&place.run(&["goal", "unit exits 0; dist/*.js exists; ask before db/**", "--format", "json"]));
    assert_eq!(set["configuration"]["validators"].as_array().unwrap().len(), 1);
    assert_eq!(set["configuration"]["artifacts"], json!(["dist/*.js"]));
    assert_eq!(set["policy"]["forbidden_paths"], json!(["secrets/**"]));
    assert_eq!(set["policy"]["protected_paths"], json!(["db/**"]));
    assert_eq!(decided(&place), "blocked");
    fs::create_dir(place.path("dist")).unwrap();
    place.file("dist/a.js", "");
    assert_eq!(decided(&place), "success");
    // The configuration that an agent writes now is not that of the goal.
    place.file("adjudicate.yaml", "broken");
    assert_eq!(decided(&place), "success");
    assert_eq!(place.run(&["goal", "clear"]).status, Some(0));
    assert_eq!(place.run(&["run", "--no-progress"]).status, Some(2));
}

#[test]
fn sentences_without_a_form_or_a_check_are_refused_at_once() {
    for (text, reasons) in [
        ("make it nice", &["no sentence of a goal has this form", "`run COMMAND [as NAME]`"] as &[&str]),
        ("only chnge src/**; unit exits 0", &["the forms are `only change GLOB[, GLOB...]`"]),
        ("only change src/**", &["nothing of this goal can be checked, so a human must judge it"]),
        ("reviewed; within 3 rounds", &["nothing of this goal can be checked"]),
        ("", &["nothing of this goal can be checked"]),
        ("lint exits 0", &["there is no validator `lint`", "`unit`", "run COMMAND as lint"]),
        ("unit exits 0; within 0 rounds", &["expected an integer from 1 to 1,000, found `0`"]),
        (
            "unit exits 0; within 3 rounds; within 4 rounds",
            &["another sentence of this form stands before it"],
        ),
        ("unit exits 0; no test is lost", &["no validator has `reports` or `output`"]),
        ("unit, exits 0", &["has an empty item"]),
        ("unit exits 0; never change {a", &["`{a`"]),
        ("run x as unit", &["another validator has the name `unit`"]),
    ] {
        let place = unchanged();
        let refused = place.run(&["goal", text]);
        assert_eq!(refused.status, Some(2), "{text}: {}", refused.stdout);
        for reason in reasons {
            assert!(refused.stderr.contains(reason), "{text}: {}", refused.stderr);
        }
        assert!(!place.path(".adjudicate/goal.json").exists(), "{text}");
    }
}

#[test]
fn a_goal_that_loosens_the_policy_is_refused() {
    let place = unchanged();
    let policy = "{policy: p, version: 1.0.0, allowed_paths: [src/**], known_failures: refuse}";
    place.file("adjudicate.policy.yaml", policy);
    place.file("adjudicate.yaml", format!("{CONFIGURATION}    reports: [report.xml]\n"));
    for (text, reason) in [
        ("unit exits 0; only change lib/**", "has `allowed_paths` already"),
        ("unit exits 0; known failures are accepted", "the policy of the repository refuses them"),
    ] {
        let refused = place.run(&["goal", text]);
        assert!(refused.status == Some(2) && refused.stderr.contains(reason), "{text}: {}", refused.stderr);
    }
}

#[test]
fn the_time_of_a_goal_ends_it() {
    let place = fresh();
    place.run(&["goal", "run true as check; within 5 minutes"]);
    assert_eq!(decided(&place), "success");
    let file = place.path(".adjudicate/goal.json");
    let mut goal: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    goal["set_at"] = json!(goal["set_at"].as_u64().unwrap() - 300);
    fs::write(&file, goal.to_string()).unwrap();
    assert_eq!(decided(&place), "needs_human");
}

#[test]
fn a_damaged_goal_is_an_error_and_never_another_goal() {
    let place = unchanged();
    place.run(&["goal", "unit exits 0"]);
    place.file(".adjudicate/goal.json", "{}");
    for arguments in
        [&["run", "--no-progress"] as &[&str], &["goal", "status"], &["collect", "--no-progress"]]
    {
        assert_eq!(place.run(arguments).status, Some(2), "{arguments:?}");
    }
    assert_eq!(place.run(&["goal", "clear"]).status, Some(0));
}

/// The answer of Claude Code's hook at the end of a turn.
fn turn(place: &TestFolder) -> Value {
    let root = place.path(".").canonicalize().unwrap();
    let event = json!({
        "session_id": "s", "cwd": root, "hook_event_name": "Stop", "stop_hook_active": false
    });
    let mut command = place.command(&["hook", "claude-code"]);
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
    let answer = child.wait_with_output().unwrap();
    assert_eq!(answer.status.code(), Some(0), "{answer:?}");
    serde_json::from_slice(&answer.stdout).unwrap()
}

#[test]
fn a_change_that_the_goal_forbids_and_a_missing_artifact_hold_the_agent() {
    let place = fresh();
    for sentence in ["only change code", "dist/app.js exists"] {
        place.run(&["goal", &format!("run true as check; {sentence}")]);
        place.file("other", "");
        let held = turn(&place);
        assert_eq!(held["decision"], "block", "{sentence}: {held}");
        fs::remove_file(place.path("other")).unwrap();
    }
}
