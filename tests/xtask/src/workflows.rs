//! Workflows call only tasks, steps and files that exist, and name a version of each action; `action.yml` names a commit.
//! actionlint, in step `workflows`, checks the rest.

use crate::{check, step, steps, workspace::Workspace};

/// Calls a check with each file and line that may call a task or an action.
fn each_line(check: impl Fn(&Workspace, &str, &str)) {
    let workspace = Workspace::locate().unwrap();
    let files =
        workspace.git(&["ls-files", ".github/*.yml", "action.yml", ".ci/run", "Containerfile"]).unwrap();
    assert!(files.lines().count() >= 7, "{files}");
    for file in files.lines() {
        workspace.read(file).unwrap().lines().for_each(|line| check(&workspace, file, line));
    }
}

/// Returns whether this program has a task with these flags and names.
fn is_known(call: &str) -> bool {
    let words: Vec<&str> = call.split_whitespace().take_while(|word| !word.starts_with('<')).collect();
    let names = words.iter().skip(1).filter(|word| !word.starts_with('-'));
    check(&words).is_ok()
        && names
            .flat_map(|name| steps::of_area(name))
            .all(|name| step::choose(&steps::all(), &[name]).is_ok())
}

#[test]
fn every_task_that_a_workflow_calls_exists() {
    each_line(|_, file, line| {
        if let Some((_, call)) = line.split_once("cargo xtask ") {
            assert!(is_known(call), "{file}: {line}");
        }
    });
    assert!(is_known("test --all") && is_known("test quick words </dev/null"));
    for wrong in [
        "tests",
        "test nothing",
        "test words --all",
        "quick --faster",
        "build core",
        "bench --peers --extism",
    ] {
        assert!(!is_known(wrong), "{wrong}");
    }
}

fn is_commit(version: &str) -> bool {
    version.len() == 40 && version.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[test]
fn every_action_has_a_version_and_every_own_workflow_exists() {
    each_line(|workspace, file, line| {
        let Some((_, action)) = line.split_once("uses: ") else { return };
        let action = action.split_whitespace().next().unwrap().trim_matches('"');
        let version = action.split_once('@').map_or("", |(_, version)| version);
        let is_right = match action.strip_prefix("$/").or((action == "./").then_some("action.yml")) {
            Some(own) => workspace.path(own).is_file(),
            // `action.yml` runs in repositories of others, and a tag can move.
            None if file == "action.yml" => is_commit(version),
            None => version.starts_with('v') && version.len() > 1,
        };
        assert!(is_right, "{file}: {action}");
    });
}
