//! `adjudicate needs`, `collect` and `run` in scratch repositories.

use std::{process::Command, thread, time::Duration};

use serde_json::Value;

use crate::{
    command::{Run, TestFolder},
    repository::{CONFIGURATION, git, repository},
};

#[test]
fn a_signal_stops_the_validators_and_the_run_is_interrupted() {
    let place = repository("0");
    place.file("adjudicate.yaml", CONFIGURATION.replace("exit $(cat code)", "echo > started; sleep 60"));
    let mut command = place.command(&["run", "--format", "json"]);
    let child = command.spawn().unwrap();
    while !place.path("started").exists() {
        thread::sleep(Duration::from_millis(5));
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let run = Run::from(child.wait_with_output().unwrap());
    assert!(run.stdout.contains(r#""rule":"interrupted""#), "{run:?}");
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
    let decision = Run::from(run).json();
    assert_eq!(decision["decision"]["status"], "success", "{decision}");
}

/// An agent can write each of these, or change the place that it leads to.
#[test]
fn external_evidence_of_the_repository_is_refused() {
    use std::os::unix::fs::symlink;
    let (place, outside) = (repository("0"), TestFolder::new());
    outside.file("evidence.json", "{}");
    place.file("evidence.json", "{}");
    place.file(".gitignore", "ignored.json\n");
    place.file("ignored.json", "{}");
    std::fs::create_dir(place.path("deep")).unwrap();
    symlink(outside.path("evidence.json"), place.path("link.json")).unwrap();
    symlink(outside.path("."), place.path("folder")).unwrap();
    symlink(place.path("evidence.json"), outside.path("into.json")).unwrap();
    symlink(place.path("deep"), outside.path("into")).unwrap();
    place.file("deep/evidence.json", "{}");
    let [into, deep, absolute] =
        [outside.path("into.json"), outside.path("into/evidence.json"), place.path("evidence.json")]
            .map(|path| path.display().to_string());
    for file in [
        "evidence.json",
        "./deep/../evidence.json",
        "ignored.json",
        "link.json",
        "folder/evidence.json",
        &into,
        &deep,
        &absolute,
    ] {
        let run = place.run(&["run", "--with", file]);
        assert_eq!(run.code(), "wrong_usage", "{file}: {run:?}");
        assert!(run.stderr.contains("` is in the repository, where an agent can write it"), "{}", run.stderr);
    }
    // A path from a folder of the repository may lead out of it, and a pipe is in no folder.
    let name = outside.path(".").canonicalize().unwrap();
    let up = |file: &str| format!("../{}/{file}", name.file_name().unwrap().to_str().unwrap());
    outside.file("evidence.YML", "x-a: [");
    assert_eq!(place.run(&["run", "--with", &up("evidence.YML")]).code(), "malformed_yaml");
    assert!(!place.path(".adjudicate").exists());
    assert_eq!(place.run(&["run", "--with", &up("evidence.json")]).status, Some(0));
    let piped = place.process_with(&["run", "--with", "/dev/stdin"], b"{\"x-a\": 1}");
    assert_eq!(piped.status, Some(0), "{piped:?}");
}

const POLICY: &str = r#"
policy: release
version: 1.0.0
required_validators: [unit, cargo-test]
required_artifacts: [report.md]
protected_paths: ["infra/**"]
review: required
rules:
  - id: lint
    when: {"!": [{in: [lint, {var: facts.validators.passing}]}]}
    then: {status: partial, summary: run the linter}
  - id: exit
    when: {">": [{var: input.evidence.validation.exit_codes.lint}, 1]}
    then: {status: blocked, summary: the linter crashed}
  - id: cases
    when: {">": [{var: facts.harness.failed}, 0]}
    then: {status: partial, summary: cases fail}
  - id: reviewed
    when: {">": [{var: facts.review.high}, 0]}
    then: {status: blocked, summary: the review has an issue}
  - id: claims
    when: {in: [tests_passed, {var: facts.claims}]}
    on_unknown: fire
    then: {status: partial, summary: the agent claims something}
  - id: coverage
    when: {"<": [{var: input.x-coverage.lines}, 80]}
    then: {status: blocked, summary: the tests cover too little}
"#;

/// A repository without a configuration, with the policy.
fn unconfigured() -> TestFolder {
    let place = repository("0");
    std::fs::remove_file(place.path("adjudicate.yaml")).unwrap();
    place.file("adjudicate.policy.yaml", POLICY);
    place.file("Cargo.toml", "");
    place
}

/// Returns the variables that the finding `unknown_evidence` names.
fn unknown(place: &TestFolder) -> Vec<String> {
    let decision = place.run(&["evaluate", "envelope.json", "--policy", "adjudicate.policy.yaml"]);
    assert_eq!((decision.status, &*decision.stderr), (Some(0), ""));
    let decision: Value = serde_json::from_str(&decision.stdout).unwrap();
    let findings = decision["findings"].as_array().unwrap().iter();
    let unknown = findings.filter(|finding| finding["rule"] == "unknown_evidence");
    let names = unknown.flat_map(|finding| finding["expected"].as_array().unwrap().clone());
    names.map(|name| name.as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_completed_configuration_gives_all_evidence_that_it_names() {
    let place = unconfigured();
    let yaml = place.run(&["needs", "adjudicate.policy.yaml"]).stdout;
    place.file("adjudicate.yaml", &yaml);
    let refused = place.run(&["collect"]);
    let error: Value = serde_json::from_str(&refused.stderr).unwrap();
    assert_eq!((refused.status, &error["error"]["path"]), (Some(2), &Value::from("/validators/1/run")));

    let report = "run: printf 'TAP version 14\\n1..1\\nok 1 - pays\\n'\n    output: tap";
    let yaml = yaml.replace("run: cargo test", report).replace("run: \"\" # the command", "run: 'true'");
    place.file("adjudicate.yaml", yaml);
    place.file("report.md", "fine");
    git(&place, &["add", "--all"]);
    git(&place, &["commit", "--quiet", "--message", "configuration"]);
    std::fs::create_dir_all(place.path(".adjudicate/reports")).unwrap();
    place.file(".adjudicate/reports/review.json", r#"{"artifact_ref": "report.md", "issues": []}"#);
    place.file(".adjudicate/reports/claims.txt", "intent: fix\n");
    let collected = place.run(&["collect", "--out", "envelope.json"]);
    assert_eq!((collected.status, &*collected.stderr), (Some(0), ""));
    assert_eq!(unknown(&place), ["input.x-coverage.lines"]);

    let text = std::fs::read_to_string(place.path("envelope.json")).unwrap();
    let mut envelope: Value = serde_json::from_str(&text).unwrap();
    envelope["x-coverage"] = serde_json::json!({"lines": 90});
    place.file("envelope.json", envelope.to_string());
    assert_eq!(unknown(&place), [""; 0]);
}

#[test]
fn names_of_a_policy_add_no_line_to_the_configuration() {
    let place = TestFolder::new();
    let policy = serde_json::json!({
        "policy": "p\nrun: x\u{85}\u{2028}y", "version": "1.0.0",
        "required_validators": ["no", "1", "a\nb: c", "../x", "\u{202e}"],
        "required_artifacts": ["a: b", "\"#", "{x,y}\u{85}"], "protected_paths": ["z\n- q"],
    });
    place.file("policy.json", policy.to_string());
    let yaml = place.run(&["needs", "policy.json"]).stdout;
    place.file("adjudicate.yaml", yaml.replace("run: \"\"", "run: x"));
    let schema = place.run(&["schema", "--of", "configuration"]).stdout;
    place.file("schema.json", schema);
    let valid = place.run(&["schema", "--schema", "schema.json", "adjudicate.yaml"]);
    assert_eq!(valid.stdout, "{\"valid\":true,\"errors\":[]}\n", "{yaml}");
    let ids: Vec<_> = yaml.lines().filter(|line| line.trim_start().starts_with("- id: ")).collect();
    assert_eq!(ids, ["  - id: \"1\"", "  - id: \"no\""], "{yaml}");
    assert_eq!(yaml.lines().filter(|line| line.contains("run:") && !line.contains('#')).count(), 0);
    assert!(!yaml.contains(['\u{85}', '\u{2028}', '\u{202e}']), "{yaml}");
    assert!(yaml.contains(r#"- "{x,y}\U00000085""#), "{yaml}");
}
