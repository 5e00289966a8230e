//! `build`: a policy document becomes a module, in a file of its own and in the place of nothing else.

use std::{fs, path::PathBuf};

use serde_json::json;

use crate::{
    command::{ENVELOPE, POLICY, Run, TestFolder, answer_by_policy},
    schemas::assert_described,
};

fn engine() -> String {
    adjudicate_tests::artifacts::engine().to_str().unwrap().to_owned()
}

/// Runs `build`, with a cache that these tests share: compiling an engine takes long here.
fn build(place: &TestFolder, args: &[&str]) -> Run {
    let variables = [cache(), ("ADJUDICATE_ENGINE", engine().into())];
    place.run_where(&variables, &[&["build"], args].concat(), b"")
}

fn cache() -> (&'static str, PathBuf) {
    ("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR").into())
}

#[test]
fn a_policy_becomes_a_module_that_decides_as_it_does() {
    let place = TestFolder::new();
    let json = place.file("policy.json", POLICY);
    let yaml = place
        .file("policy.yaml", "version: 1.0.0\nforbidden_paths: ['src/**']\n\n# A comment\npolicy: strict\n");
    let built = build(&place, &[&json, "-o", "strict.wasm"]);
    assert_eq!((built.status, built.stderr.as_str()), (Some(0), ""));
    let report = built.json();
    assert_described("build-report", &report);
    let inspected = place.run(&["inspect", "strict.wasm"]).json();
    assert_eq!((&report["digest"], &report["bytes"]), (&inspected["digest"], &inspected["bytes"]));
    assert_eq!((&report["file"], &report["tests"]), (&json!("strict.wasm"), &json!(0)));
    let policy = &inspected["manifest"]["policy"];
    assert_eq!(
        (&policy["name"], &policy["version"], &policy["rules"]),
        (&json!("strict"), &json!("1.0.0"), &json!([]))
    );
    assert_eq!(policy["digest"], report["policy"]["digest"]);
    assert_eq!(inspected["manifest"]["engine"]["x-digest"], report["engine"]["digest"]);
    let decided = place.run_with(&["evaluate", "-", "--module", "strict.wasm"], ENVELOPE.as_bytes());
    assert_eq!(decided.stdout.trim_end(), answer_by_policy());

    // The same in YAML is the same; a module that is there is replaced.
    let one = fs::read(place.path("strict.wasm")).unwrap();
    let again = build(&place, &[&yaml, "-o", "strict.wasm", "--format", "table"]);
    assert!(
        again.stdout.starts_with("BUILT strict.wasm\n") && again.stdout.contains("strict 1.0.0"),
        "{again:?}"
    );
    assert!(fs::read(place.path("strict.wasm")).unwrap() == one);
    let left: Vec<_> = fs::read_dir(place.path("")).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(left.iter().filter(|name| name.to_str().unwrap().starts_with('.')).count(), 0, "{left:?}");
}

#[cfg(unix)]
#[test]
#[ignore = "takes long: `cargo xtask test tests-further`"]
fn a_module_is_named_and_put_where_a_link_leads() {
    let place = TestFolder::new();
    place.file("real.wasm", "");
    std::os::unix::fs::symlink(place.path("real.wasm"), place.path("link.wasm")).unwrap();
    let policy = place.file("policy.json", POLICY);
    let named =
        ["--name", "gate", "--module-version", "2.0.0-rc.1", "--license", "MIT", "--description", "a gate"];
    let run = build(&place, &[&[policy.as_str(), "-o", "link.wasm"][..], &named].concat());
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    assert!(fs::symlink_metadata(place.path("link.wasm")).unwrap().is_symlink());
    let manifest = place.run(&["inspect", "real.wasm"]).json()["manifest"].clone();
    assert_eq!((&manifest["name"], &manifest["version"]), (&json!("gate"), &json!("2.0.0-rc.1")));
    assert_eq!((&manifest["license"], &manifest["description"]), (&json!("MIT"), &json!("a gate")));
}

#[test]
fn errors_are_reported_and_nothing_is_written() {
    let place = TestFolder::new();
    let policy = place.file("policy.json", POLICY);
    let yaml = place.file("broken.yaml", "policy: p\nversion: 1.0.0\nrules: [{id: r}]\n");
    let garbage = place.file("garbage.json", b"\0\xff{");
    let notes = place.file("notes.txt", "do not lose these");
    let module = place.file("theirs.wasm", b"\0asm\x01\0\0\0");
    let directory = place.path("").to_str().unwrap().to_owned();
    let tests = r#""tests":[{"name":"all pass","input":{},"expect":{"decision":{"status":"success"}}}]"#;
    let failing = place.file("failing.json", POLICY.replacen('{', &format!("{{{tests},"), 1));
    for (args, code, status) in [
        (&[failing.as_str(), "-o", "a.wasm"][..], "module_tests", 3),
        (&[&policy], "wrong_usage", 64),
        (&[&policy, "-o", "-"], "wrong_usage", 64),
        (&[&policy, "-o", &policy], "wrong_usage", 64),
        (&[&policy, "-o", "./policy.json"], "wrong_usage", 64),
        (&[&policy, "-o", &module, "--engine", &module], "wrong_usage", 64),
        (&[&policy, "-o", "a.wasm", "--module-version", "1"], "wrong_usage", 64),
        (&[&policy, "-o", "a.wasm", "--name", " "], "wrong_usage", 64),
        (&[&policy, "-o", &notes], "unwritable_output", 74),
        (&[&policy, "-o", &directory], "unwritable_output", 74),
        (&[&policy, "-o", "/dev/null"], "unwritable_output", 74),
        (&[&policy, "-o", "missing/a.wasm"], "unwritable_output", 74),
        (&["missing.json", "-o", "a.wasm"], "unreadable_input", 2),
        (&[&garbage, "-o", "a.wasm"], "malformed_json", 2),
        (&[&yaml, "-o", "a.wasm"], "missing_field", 2),
        (&[&module, "-o", "a.wasm"], "malformed_json", 2),
        (&[&policy, "-o", "a.wasm", "--engine", "missing.wasm"], "unreadable_input", 2),
        (&[&policy, "-o", "a.wasm", "--engine", &policy], "module_malformed", 3),
        (&[&policy, "-o", "a.wasm", "--engine", &module], "module_exports", 3),
    ] {
        let run = build(&place, args);
        assert_eq!((run.code().as_str(), run.status), (code, Some(status)), "{args:?}");
        assert!(!place.path("a.wasm").exists(), "{args:?}");
    }
    assert_eq!(fs::read_to_string(notes).unwrap(), "do not lose these");
    assert_eq!(fs::read_to_string(&policy).unwrap(), POLICY);
    let path = build(&place, &[&yaml, "-o", "a.wasm"]).stderr;
    assert!(path.contains(r#""path":"/rules/0/when""#), "{path}");
}

#[test]
fn the_engine_is_found_next_to_the_command_or_with_the_users_data_and_must_be_of_its_version() {
    let place = TestFolder::new();
    let policy = place.file("policy.json", POLICY);
    fs::create_dir_all(place.path("bin")).unwrap();
    let command = place.path("bin/adjudicate");
    // A link is enough, where both are on one file system.
    let own = env!("CARGO_BIN_EXE_adjudicate");
    fs::hard_link(own, &command).or_else(|_| fs::copy(own, &command).map(drop)).unwrap();
    let run = || -> Run {
        let mut build = std::process::Command::new(&command);
        build.args(["build", &policy, "-o", "a.wasm"]).env_clear().current_dir(place.path(""));
        build.env("XDG_DATA_HOME", place.path("data"));
        build.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
        build.output().unwrap().into()
    };
    let nowhere = run();
    assert_eq!((nowhere.code().as_str(), nowhere.status), ("engine_load", Some(3)));
    // The page on installing names the same command.
    let build = "cargo xtask build --engine";
    let page = include_str!("../../../../docs/start/install.md");
    assert!(nowhere.stderr.contains(build) && page.contains(build), "{nowhere:?}");
    assert!(nowhere.stderr.contains("data/adjudicate/engine.wasm"), "{nowhere:?}");
    fs::create_dir_all(place.path("data/adjudicate")).unwrap();
    for folder in ["data/adjudicate", "bin"] {
        let file = place.path(folder).join("engine.wasm");
        fs::write(&file, "not an engine").unwrap();
        assert_eq!(run().code(), "engine_load");
        fs::copy(engine(), &file).unwrap();
        let found = run();
        assert_eq!((found.status, found.stderr.as_str()), (Some(0), ""), "{folder}");
    }
}

/// Known, it has no fuel to run out of.
#[test]
#[ignore = "takes long: `cargo xtask test tests-further`"]
fn a_policy_of_an_engine_that_is_given_as_a_file_runs_without_fuel() {
    let place = TestFolder::new();
    let policy = place.file("policy.json", POLICY);
    assert_eq!(build(&place, &[&policy, "-o", "strict.wasm"]).status, Some(0));
    place.file("envelope.json", ENVELOPE);
    place.file("calls.ndjson", format!("{ENVELOPE}\n{}\n", ENVELOPE.replace("src/lib.rs", "docs/a.md")));
    let engine = engine();
    // The engine's digest is not that of a baked module, and only a holder of the engine can recognize one.
    let digest = place.run(&["inspect", &engine]).json()["digest"].as_str().unwrap().to_owned();
    let evaluate = &["evaluate", "envelope.json"][..];
    let replay = &["replay", "calls.ndjson", "--against", "policy.json", "--fail-on", "changed"];
    for (command, more, code, status) in [
        (evaluate, &["--known-engine", &*engine][..], None, 0),
        (evaluate, &[], Some("module_out_of_fuel"), 3),
        (evaluate, &["--known-engine", &digest], Some("module_out_of_fuel"), 3),
        (evaluate, &["--known-engine", "missing.wasm"], Some("unreadable_input"), 2),
        (evaluate, &["--known-engine", &policy], Some("module_malformed"), 3),
        (replay, &["--known-engine", &engine], None, 0),
        (replay, &[], Some("module_out_of_fuel"), 3),
        (replay, &["--known-engine", "missing.wasm"], Some("unreadable_input"), 2),
    ] {
        let args = [command, &["--module", "strict.wasm", "--fuel", "1", "--format", "json"], more].concat();
        let run = place.run_where(&[cache()], &args, b"");
        assert_eq!(run.status, Some(status), "{args:?} {run:?}");
        match code {
            Some(code) => assert_eq!(run.code(), code, "{args:?}"),
            None if command == evaluate => assert_eq!(run.stdout.trim_end(), answer_by_policy()),
            None => assert_eq!(run.json()["compared"], 2, "{run:?}"),
        }
    }
}
