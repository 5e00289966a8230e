//! `adjudicate goal`: sentences, the active goal, and the hook that judges it.

use std::fs;

use serde_json::{Value, json};

use crate::{
    command::{Run, TestFolder},
    repository::git,
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
    run.json()
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

/// The answer of Claude Code's hook at the end of a turn.
fn turn(place: &TestFolder) -> Value {
    let root = place.path(".").canonicalize().unwrap();
    let event = json!({
        "session_id": "s", "cwd": root, "hook_event_name": "Stop", "stop_hook_active": false
    });
    report(&place.process_with(&["hook", "claude-code"], event.to_string().as_bytes()))
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
