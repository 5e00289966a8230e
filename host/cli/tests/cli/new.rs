//! `new` and `pack`: projects that are whole or not there, and modules that a host takes.

use std::{env, fs, process::Stdio};

use serde_json::Value;

use crate::{command::TestFolder, schemas::assert_described};

/// Runs the commands that `new` printed, one after the other, as they stand there.
fn run_printed(place: &TestFolder, printed: &str) -> String {
    let commands: Vec<&str> = printed.lines().filter_map(|line| line.strip_prefix("  ")).collect();
    assert!(commands.len() > 3, "{printed}");
    let programs = std::path::Path::new(env!("CARGO_BIN_EXE_adjudicate")).parent().unwrap();
    let path = env::join_paths(
        [programs.to_owned()].into_iter().chain(env::split_paths(&env::var_os("PATH").unwrap())),
    );
    let output = std::process::Command::new("sh")
        .args(["-e", "-c", &commands.join("\n")])
        .current_dir(place.path("."))
        .env("PATH", path.unwrap())
        .env("ADJUDICATE_STORE", place.path("store"))
        .env("XDG_CACHE_HOME", place.path("cache"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{printed}\n{}\n{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn projects_build_and_decide_with_the_commands_that_are_printed() {
    let place = TestFolder::new();
    for (lang, tests) in [("wat", r#""tests":5"#), ("yaml", "5 passed, 0 failed")] {
        let run = place.run(&["new", "--lang", lang, &format!("{lang}-alarm")]);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
        let output = run_printed(&place, &run.stdout);
        assert!(output.contains(tests) && output.contains("NEEDS HUMAN"), "{output}");
    }
    let module = fs::read(place.path("wat-alarm/build/wat-alarm.wasm")).unwrap();
    assert!(module.len() < 1024, "the example in WAT has {} bytes", module.len());
}

/// Editors find the schema by the first line of YAML, and by `$schema` in JSON. The readers ignore both.
#[test]
fn every_language_has_a_project_under_its_own_name_whose_documents_name_their_schemas() {
    let place = TestFolder::new();
    let url = |name: &str| {
        let schema = place.run(&["schema", "--of", name]).json();
        schema["$id"].as_str().unwrap().to_owned()
    };
    let read = |file: &str| fs::read_to_string(place.path(file)).unwrap();
    for (lang, first) in [
        ("rust", "rustup"),
        ("assemblyscript", "npm ci"),
        ("zig", "python3"),
        ("wat", "mkdir"),
        ("yaml", "adjudicate check"),
    ] {
        let name = format!("my-{lang}");
        let run = place.run(&["new", "--lang", lang, &name]);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{lang}");
        assert!(run.stdout.contains(&format!("  cd {name}\n  {first}")), "{}", run.stdout);
        let labels = ["Cargo.toml", "package.json", "manifest.json", "policy.yaml"];
        let labels =
            labels.iter().filter_map(|file| fs::read_to_string(place.path(&format!("{name}/{file}"))).ok());
        assert!(labels.clone().count() > 0 && labels.clone().all(|label| label.contains(&name)), "{lang}");
        let readme = read(&format!("{name}/README.md"));
        let examples =
            "change-freeze change_freeze cost-cap secret-files incident-brake review-gate ../../guest";
        for old in examples.split(' ') {
            let is_there = readme.contains(old) || labels.clone().any(|label| label.contains(old));
            assert!(!is_there, "{lang}: {old}");
        }
        let envelope: Value = serde_json::from_str(&read(&format!("{name}/envelope.json"))).unwrap();
        assert_eq!(envelope["$schema"], url("envelope"), "{lang}");
    }
    assert!(place.path("my-rust/adjudicate-guest/src/lib.rs").exists());
    for name in ["policy", "cases"] {
        let text = read(&format!("my-yaml/{name}.yaml"));
        assert!(text.starts_with(&format!("# yaml-language-server: $schema={}\n", url(name))), "{text}");
    }
}

#[test]
fn existing_files_are_not_changed() {
    let place = TestFolder::new();
    fs::create_dir(place.path("empty")).unwrap();
    assert_eq!(place.run(&["new", "--lang", "wat", "empty"]).status, Some(0));
    fs::write(place.path("file"), "mine").unwrap();
    fs::create_dir(place.path("full")).unwrap();
    fs::write(place.path("full/notes"), "mine").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("nowhere", place.path("link")).unwrap();
    for name in ["file", "full", "empty", "link"] {
        let error = place.run(&["new", "--lang", "rust", name]).code();
        assert_eq!(error, "unwritable_output", "{name}");
    }
    assert_eq!(fs::read_to_string(place.path("full/notes")).unwrap(), "mine");
    assert_eq!(fs::read_dir(place.path("full")).unwrap().count(), 1);
    // Nothing half-written is left behind.
    let names =
        fs::read_dir(place.path(".")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(!names.into_iter().any(|name| name.ends_with(".new")));
}

#[test]
fn a_module_is_packed_over_no_other_file() {
    let place = TestFolder::new();
    assert_eq!(place.run(&["new", "--lang", "wat", "mine"]).status, Some(0));
    let path = |name: &str| place.path(&format!("mine/{name}")).to_str().unwrap().to_owned();
    let [text, manifest, tests] = ["policy.wat", "manifest.json", "tests.json"].map(path);
    let notes = place.file("notes.txt", "do not lose these");
    for (output, code) in [
        (&text, "unwritable_output"),
        (&notes, "unwritable_output"),
        (&manifest, "wrong_usage"),
        (&tests, "wrong_usage"),
    ] {
        let before = fs::read(output).unwrap();
        let args = ["pack", &text, "--manifest", &manifest, "--try-tests", &tests, "-o", output];
        assert_eq!(place.run(&args).code(), code, "{output}");
        assert!(fs::read(output).unwrap() == before, "{output}");
    }
}

const MANIFEST: &str = r#"{"abi": 1, "name": "tiny", "version": "0.1.0", "operations": ["evaluate"]}"#;

#[test]
fn a_module_that_no_host_accepts_is_not_packed() {
    let place = TestFolder::new();
    assert_eq!(place.run(&["new", "--lang", "wat", "good"]).status, Some(0));
    let text = fs::read_to_string(place.path("good/policy.wat")).unwrap();
    let wat = |name: &str, text: &str| place.file(&format!("{name}.wat"), text);
    let manifest = place.file("manifest.json", MANIFEST);
    let pack = |module: &str, more: &[&str]| {
        place.run(&[&["pack", module, "--manifest", &manifest, "-o", "out.wasm"], more].concat())
    };
    let good = wat("good", &text);
    for (module, code) in [
        (wat("unbounded", &text.replace("1 256)", "1)")), "module_memory_type"),
        (
            wat(
                "importing",
                &text.replace("(memory (export", "(import \"env\" \"f\" (func)) (memory (export"),
            ),
            "module_imports",
        ),
        (wat("broken", "(module"), "module_malformed"),
        (wat("empty", ""), "module_malformed"),
        (place.file("text.wasm", "(module)"), "module_malformed"),
        (place.path("absent.wat").to_str().unwrap().to_owned(), "unreadable_input"),
    ] {
        let run = pack(&module, &[]);
        assert_eq!(run.code(), code, "{module}");
    }
    let failing =
        place.file("failing.json", r#"[{"name":"t","input":{},"expect":{"decision":{"status":"success"}}}]"#);
    for option in ["--tests", "--try-tests"] {
        assert_eq!(pack(&good, &[option, &failing]).code(), "module_tests");
    }
    let empty = place.file("empty.json", r#"[{"name":"t","input":{},"expect":{}}]"#);
    assert_eq!(pack(&good, &["--tests", &empty]).code(), "module_tests");
    assert_eq!(pack(&good, &["--tests", &failing, "--try-tests", &failing]).code(), "wrong_usage");
    let broken = place.file("broken.json", "[");
    assert_eq!(pack(&good, &["--tests", &broken]).code(), "malformed_json");
    assert!(!place.path("out.wasm").exists());
    let run = pack(&good, &[]);
    let output: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.status, &output["name"], &output["tests"]), (Some(0), &"tiny".into(), &0.into()));
    assert_described("pack-report", &output);
    // A module that has a manifest is packed already.
    assert_eq!(pack("out.wasm", &[]).code(), "module_manifest");
}
