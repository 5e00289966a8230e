//! `fixtures/commands/cases.json`: runs of the command with their whole answers. The tests of the npm package run the same cases by its program.
//!
//! A case is a repository and runs in it, one after the other. A run can write files and set their modes before. `ROOT` stands for the
//! folder, and `#` for times. After a change of an answer, `ADJUDICATE_BLESS=1` writes the answers; read what changed.

use std::{
    env,
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::Path,
};

use adjudicate_tests::workspace_root;
use serde_json::{Value, json};

use crate::{
    command::{Run, TestFolder},
    repository::git,
};

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_default()
}

fn write(place: &TestFolder, files: &Value) {
    for (name, content) in files.as_object().into_iter().flatten() {
        let path = place.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content.as_str().unwrap()).unwrap();
    }
}

/// Replaces what differs between two runs: the folder, and numbers with nine digits or more.
fn masked(text: &str, root: &str) -> String {
    let mut masked = String::new();
    let mut rest = &*text.replace(root, "ROOT");
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let (before, number) = rest.split_at(start);
        let end = number.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(number.len());
        let (digits, after) = number.split_at(end);
        let is_duration = before.ends_with(r#""duration_ms":"#);
        masked.push_str(before);
        masked.push_str(if is_duration || digits.len() >= 9 { "#" } else { digits });
        rest = after;
    }
    masked + rest
}

fn run(place: &TestFolder, root: &Path, run: &Value) -> Run {
    write(place, &run["files"]);
    for (name, mode) in run["modes"].as_object().into_iter().flatten() {
        let mode = u32::from_str_radix(mode.as_str().unwrap(), 8).unwrap();
        fs::set_permissions(place.path(name), Permissions::from_mode(mode)).unwrap();
    }
    let arguments: Vec<_> =
        run["arguments"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    let times = run["stdin_repeated"].as_u64().unwrap_or(1);
    let root = root.to_str().unwrap();
    let stdin = text(run, "stdin").repeat(usize::try_from(times).unwrap()).replace("ROOT", root);
    let Run { status, stdout, stderr } = place.run_where(&[], &arguments, stdin.as_bytes());
    Run { status, stdout: masked(&stdout, root), stderr: masked(&stderr, root) }
}

#[test]
fn every_run_of_a_case_has_its_answer() {
    let file = workspace_root().join("fixtures/commands/cases.json");
    let before: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let mut after = before.clone();
    for case in after.as_array_mut().unwrap() {
        let place = TestFolder::new();
        let root = place.path(".").canonicalize().unwrap();
        write(&place, &case["files"]);
        git(&place, &["init", "--quiet"]);
        git(&place, &["add", "--all"]);
        git(&place, &["commit", "--quiet", "--allow-empty", "--message", "first"]);
        for one in case["runs"].as_array_mut().unwrap() {
            let Run { status, stdout, stderr } = run(&place, &root, one);
            let fields = one.as_object_mut().unwrap();
            fields.insert("status".into(), json!(status));
            fields.insert("stdout".into(), json!(stdout));
            fields.insert("stderr".into(), json!(stderr));
        }
    }
    if env::var_os("ADJUDICATE_BLESS").is_some() {
        fs::write(&file, serde_json::to_string_pretty(&after).unwrap() + "\n").unwrap();
        return;
    }
    for (case, found) in before.as_array().unwrap().iter().zip(after.as_array().unwrap()) {
        let runs = |case: &Value| case["runs"].as_array().unwrap().clone();
        for (expected, found) in runs(case).iter().zip(runs(found)) {
            assert_eq!(*expected, found, "{}: {}", text(case, "name"), expected["arguments"]);
        }
    }
}
