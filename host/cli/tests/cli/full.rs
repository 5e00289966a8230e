//! Files that cannot grow, by the limit on their size (`ulimit -f`): each command that writes ends with an error that says so.

use std::{fs, process::Command};

use serde_json::{Value, json};

use crate::{
    command::{ENVELOPE, Run, TestFolder},
    modules::good,
    repository::repository,
};

/// Runs the binary where no file may grow beyond so many blocks of 512 or 1024 bytes, with standard output in a file.
fn run(place: &TestFolder, blocks: u32, args: &[&str]) -> Run {
    let script = format!(r#"ulimit -f {blocks}; exec "$0" "$@" > printed"#);
    let command = place.command(args);
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", &script]).arg(command.get_program()).args(args).current_dir(place.path("."));
    shell.env_clear().env("XDG_CACHE_HOME", place.path("cache")).output().unwrap().into()
}

/// A place with a store that has a slot `release`, which keeps records and has one.
fn place() -> TestFolder {
    let place = TestFolder::new();
    place.file("envelope.json", ENVELOPE);
    place.file("module.wasm", good());
    place.file("policy.yaml", "policy: p\nversion: 1.0.0\n");
    place.file("trust.json", r#"{"unsigned":"allow"}"#);
    place.file("settings.json", r#"{"records":{}}"#);
    for args in [
        &["install", "module.wasm", "--allow-unsigned", "--store", "store"][..],
        &["slot", "release", "--settings", "settings.json", "--store", "store"],
        &["activate", "release", "constant", "--allow-unsigned", "--store", "store"],
        &["evaluate", "envelope.json", "--slot", "release", "--store", "store"],
        &["keygen", "--out", "key"],
        // Threads that end with their process may leave changes in SQLite's log; this command leaves none.
        &["list", "--store", "store"],
    ] {
        let run = place.process(args);
        assert_eq!(run.status, Some(0), "{args:?} {run:?}");
    }
    place
}

#[test]
fn each_command_that_writes_reports_that_the_limit_is_reached() {
    let place = place();
    for (args, code, status) in [
        (&["evaluate", "envelope.json"][..], "unwritable_output", 74),
        (&["evaluate", "envelope.json", "--format", "table"], "unwritable_output", 74),
        (&["completions", "bash"], "unwritable_output", 74),
        (&["--help"], "unwritable_output", 74),
        (&["keygen", "--out", "other"], "unwritable_output", 74),
        (&["sign", "module.wasm", "--key", "key.key", "--output", "signed.wasm"], "unwritable_output", 74),
        (&["new", "--lang", "rust", "made"], "unwritable_output", 74),
        (&["conformance", "--export", "corpus"], "unwritable_output", 74),
        (&["records", "export", "--slot", "release", "--store", "store"], "unwritable_output", 74),
        (&["test", "policy.yaml", "--junit", "report.xml"], "unwritable_output", 74),
        // A module's memory begins as a file of the host's.
        (&["evaluate", "envelope.json", "--module", "module.wasm"], "host_fault", 3),
        (&["conformance", "module.wasm"], "host_fault", 3),
        (&["activate", "release", "constant", "--allow-unsigned", "--store", "store"], "host_fault", 3),
        (&["shadow", "release", "constant", "--allow-unsigned", "--store", "store"], "host_fault", 3),
        (&["list", "--store", "new"], "store_fault", 3),
        (&["install", "module.wasm", "--allow-unsigned", "--store", "new"], "store_fault", 3),
        (&["serve", "--listen", "127.0.0.1:0", "--store", "new"], "store_fault", 3),
        (&["trust", "--set", "trust.json", "--store", "store"], "store_fault", 3),
        (&["evaluate", "envelope.json", "--slot", "release", "--store", "store"], "store_fault", 3),
        (&["slot", "other", "--create", "--store", "store"], "store_fault", 3),
        (&["token", "create", "--role", "evaluate", "--name", "ci", "--store", "store"], "store_fault", 3),
    ] {
        let run = run(&place, 0, args);
        assert_eq!((run.code().as_str(), run.status), (code, Some(status)), "{args:?} {run:?}");
        assert!(run.stderr.contains("limit on file sizes"), "{args:?} {}", run.stderr);
    }
    for left in ["other.key", "other.pub", "signed.wasm", "made"] {
        assert!(!place.path(left).exists(), "{left}");
    }
    // The store is as sound as before.
    for args in
        [&["records", "verify", "--slot", "release", "--store", "store"][..], &["list", "--store", "store"]]
    {
        assert_eq!(place.process(args).status, Some(0), "{args:?}");
    }
}

#[test]
fn an_answer_that_fits_in_part_is_an_error() {
    let place = place();
    let run = run(&place, 1, &["explain", "envelope.json", "--trace"]);
    assert_eq!((run.code().as_str(), run.status), ("unwritable_output", Some(74)));
    let written = fs::metadata(place.path("printed")).unwrap().len();
    assert!(written == 512 || written == 1024, "{written}");
}

#[test]
fn a_store_is_read_where_no_file_may_grow() {
    let place = place();
    for args in [
        &["list"][..],
        &["history", "release"],
        &["records", "verify", "--slot", "release"],
        &["records", "export", "--slot", "release"],
    ] {
        let args = [args, &["--store", "store"]].concat();
        let expected = place.process(&args);
        assert_eq!(expected.status, Some(0), "{args:?} {expected:?}");
        let mut shell = Command::new("/bin/sh");
        shell
            .args(["-c", r#"ulimit -f 0; exec "$0" "$@""#])
            .arg(place.command(&args).get_program())
            .args(&args);
        let run: Run = shell.current_dir(place.path(".")).env_clear().output().unwrap().into();
        assert_eq!(run, expected, "{args:?}");
    }
}

#[test]
fn the_state_of_a_run_stays_whole_and_counts_a_decision_that_could_not_be_stored() {
    let place = repository("1");
    let state = || serde_json::from_slice::<Value>(&fs::read(place.path(".adjudicate/state.json")).unwrap());
    let evaluations = |state: &Value| state["envelope"]["evaluate_history"].as_array().unwrap().len();
    assert_eq!(place.run(&["run", "--exit-status"]).status, Some(10));
    // There is space for the mark of a collection, and none for another decision.
    let mut first = state().unwrap();
    first["x-space"] = "".into();
    first["x-space"] = " ".repeat(8 * 1024 - 64 - first.to_string().len()).into();
    let mut marked = 0;
    for blocks in [0, 8, 16] {
        place.file(".adjudicate/state.json", first.to_string());
        let script = format!(r#"ulimit -f {blocks}; exec "$0" "$@""#);
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", &script]).arg(place.command(&[]).get_program()).args(["run", "--exit-status"]);
        let run: Run = shell.current_dir(place.path(".")).output().unwrap().into();
        let left = state().unwrap();
        if run.status == Some(13) {
            // The blocks of this shell are larger.
            assert_eq!((evaluations(&left), &left["running"]), (2, &Value::Null));
            continue;
        }
        assert_eq!((run.code().as_str(), run.status), ("unwritable_output", Some(74)), "{blocks}");
        assert!(run.stderr.contains("state.json"), "{}", run.stderr);
        assert_eq!(evaluations(&left), 1);
        if left["running"] == json!({"since": 1}) {
            marked += 1;
            // The lost decision is an attempt of the next run.
            assert_eq!(place.run(&["run", "--exit-status"]).status, Some(13));
            let window = state().unwrap()["envelope"]["provenance_window"].to_string();
            assert!(window.contains("killed_timeout"), "{window}");
        } else {
            assert_eq!(left, first, "{blocks}");
        }
    }
    assert_eq!(marked, 1);
}
