//! Scratch repositories with a configuration.

use std::process::Command;

use crate::command::TestFolder;

/// A configuration whose validator `unit` exits with the number in the file `code`.
pub(crate) const CONFIGURATION: &str = "\
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

/// A repository without a change, whose validator exits with 0.
pub(crate) fn unchanged() -> TestFolder {
    let place = TestFolder::new();
    git(&place, &["init", "--quiet"]);
    place.file("adjudicate.yaml", CONFIGURATION);
    place.file("adjudicate.policy.yaml", POLICY);
    place.file("code", "0");
    git(&place, &["add", "--all"]);
    git(&place, &["commit", "--quiet", "--message", "first"]);
    place
}

/// A repository with a change, whose validator exits with a number.
pub(crate) fn repository(code: &str) -> TestFolder {
    let place = unchanged();
    place.file("code", code);
    place.file("change", "");
    place
}

/// Runs git in a repository.
pub(crate) fn git(place: &TestFolder, arguments: &[&str]) {
    let status = Command::new("git")
        .args(["-c", "user.name=A", "-c", "user.email=a@example.com"])
        .args(arguments)
        .current_dir(place.path("."))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .status();
    assert!(status.unwrap().success(), "{arguments:?}");
}
