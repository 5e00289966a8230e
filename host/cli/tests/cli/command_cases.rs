//! `fixtures/commands`: runs of the command with their whole answers. The tests of the npm package run `cases.json` by its program, too.
//!
//! A case is a repository and runs in it, one after the other. A run is a `line`, or `arguments` if one has a space. It can write `files`
//! and set their `modes` before, and `written` has files after it. The file `{"link to": "a"}` is a link. `variables` are those of the
//! environment, and `saved` is the file for the standard output. A text of several lines is a list of them, and an empty output is left
//! out. `ROOT` stands for the folder, and `#` for times. After a change of an answer, `ADJUDICATE_BLESS=1` writes the answers; read what
//! changed.

use std::{
    env,
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
};

use adjudicate_tests::workspace_root;
use serde_json::{Map, Value};

use crate::{
    command::{Run, TestFolder},
    modules::good,
    repository::git,
};

/// Returns a text of a case, which may stand there as a list of lines or as a JSON document.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(lines) if lines.iter().all(Value::is_string) => {
            lines.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
        }
        document => document.to_string(),
    }
}

/// Returns a text as a case has it.
fn lines(text: &str) -> Value {
    match text.trim_end_matches('\n').contains('\n') {
        true => text.split('\n').collect(),
        false => text.into(),
    }
}

/// Writes files. The content `true` is a module.
fn write(place: &TestFolder, root: &str, files: &Value) {
    for (name, content) in files.as_object().into_iter().flatten() {
        let path = place.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        if let Some(target) = content["link to"].as_str() {
            symlink(target, path).unwrap();
            continue;
        }
        let bytes =
            if *content == Value::Bool(true) { good() } else { text(content).replace("ROOT", root).into() };
        fs::write(path, bytes).unwrap();
    }
}

/// Replaces what differs between two runs: the folder, durations, and numbers with nine digits or more.
fn masked(text: &str, root: &str) -> String {
    let (mut masked, mut is_time) = (String::new(), false);
    let mut rest = &*text.replace(root, "ROOT");
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let (before, number) = rest.split_at(start);
        let end = number.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(number.len());
        let (digits, after) = number.split_at(end);
        is_time = [r#""duration_ms":"#, r#" time=""#].iter().any(|name| before.ends_with(name))
            || (is_time && before == ".");
        masked.push_str(before);
        masked.push_str(if is_time || digits.len() >= 9 { "#" } else { digits });
        rest = after;
    }
    masked + rest
}

/// Runs the command, and sets its answer.
fn run(place: &TestFolder, root: &str, run: &mut Map<String, Value>) {
    let field = |name: &str| run.get(name).unwrap_or(&Value::Null);
    write(place, root, field("files"));
    for (name, mode) in field("modes").as_object().into_iter().flatten() {
        let mode = u32::from_str_radix(mode.as_str().unwrap(), 8).unwrap();
        fs::set_permissions(place.path(name), Permissions::from_mode(mode)).unwrap();
    }
    let line = text(field("line"));
    let arguments: Vec<_> = match field("arguments") {
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect(),
        _ => line.split(' ').collect(),
    };
    let times = field("stdin_repeated").as_u64().unwrap_or(1);
    let variables = field("variables").as_object().into_iter().flatten();
    let variables: Vec<_> =
        variables.map(|(name, value)| (&**name, text(value).replace("ROOT", root).into())).collect();
    let stdin = text(field("stdin")).repeat(usize::try_from(times).unwrap()).replace("ROOT", root);
    let Run { status, stdout, stderr } = match *field("terminal") == Value::Bool(true) {
        true => place.run_on_terminal(&arguments, stdin.as_bytes()),
        false => place.run_where(&variables, &arguments, stdin.as_bytes()),
    };
    if let Some(name) = field("saved").as_str() {
        fs::write(place.path(name), &stdout).unwrap();
    }
    run.insert("status".into(), status.into());
    for (name, output) in [("stdout", stdout), ("stderr", stderr)] {
        match output.is_empty() {
            true => run.remove(name),
            false => run.insert(name.into(), lines(&masked(&output, root))),
        };
    }
    for (name, content) in run.get_mut("written").and_then(Value::as_object_mut).into_iter().flatten() {
        *content = lines(&masked(&fs::read_to_string(place.path(name)).unwrap(), root));
    }
}

fn every_run_of_a_file_has_its_answer(file: &Path) {
    let before: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let mut after = before.clone();
    for case in after.as_array_mut().unwrap() {
        let place = TestFolder::new();
        let root = place.path(".").canonicalize().unwrap().to_str().unwrap().to_owned();
        write(&place, &root, &case["files"]);
        git(&place, &["init", "--quiet"]);
        git(&place, &["add", "--all"]);
        git(&place, &["commit", "--quiet", "--allow-empty", "--message", "first"]);
        for one in case["runs"].as_array_mut().unwrap() {
            run(&place, &root, one.as_object_mut().unwrap());
        }
    }
    if env::var_os("ADJUDICATE_BLESS").is_some() {
        fs::write(file, serde_json::to_string_pretty(&after).unwrap() + "\n").unwrap();
        return;
    }
    for (case, found) in before.as_array().unwrap().iter().zip(after.as_array().unwrap()) {
        let runs = |case: &Value| case["runs"].as_array().unwrap().clone();
        for (expected, found) in runs(case).iter().zip(runs(found)) {
            assert_eq!(*expected, found, "{}: {}", file.display(), case["name"]);
        }
    }
}

#[test]
fn every_run_of_a_case_has_its_answer() {
    let entries = fs::read_dir(workspace_root().join("fixtures/commands")).unwrap();
    let files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() > 5, "{files:?}");
    files.iter().for_each(|file| every_run_of_a_file_has_its_answer(file));
}
