//! `adjudicate init`, `collect` and `run` in scratch repositories.

use std::{process::Command, thread, time::Duration};

use serde_json::Value;

use crate::{
    command::{Run, TestFolder},
    repository::{CONFIGURATION, POLICY, git, repository},
};

/// A repository in which a case of `cart.py` fails, a forbidden file changed and a step has an odd name.
fn repository_with_places() -> TestFolder {
    let place = repository("1");
    let report = "<testsuite name='cart'><testcase name='pays' file='cart.py' line='7'><failure message='no money, 5%'/>\
                  </testcase></testsuite>";
    let run = format!("echo \"{report}\" > .adjudicate/reports/unit.xml; exit $(cat code)");
    let validator = format!("run: {}\n    reports: [.adjudicate/reports/unit.xml]", Value::from(run));
    place.file("adjudicate.yaml", CONFIGURATION.replace("run: exit $(cat code)", &validator));
    place.file("adjudicate.policy.yaml", POLICY.replace("secrets/**", "'secret*'"));
    place.file("cart.py", "pay()\n");
    git(&place, &["add", "--all"]);
    git(&place, &["commit", "--quiet", "--message", "second"]);
    place.file("secret a,b.txt", "");
    place
}

#[test]
fn the_sarif_log_of_a_decision_is_a_review() {
    let place = repository_with_places();
    let log = place.run(&["run", "--format", "sarif"]).stdout;
    let reader = repository("0");
    reader.file("adjudicate.yaml", format!("{CONFIGURATION}review: decision.sarif\n"));
    reader.file("decision.sarif", log);
    let envelope = reader.run(&["collect"]).json();
    assert_eq!(envelope["evidence"]["uncollected"], Value::Null);
    let issues = envelope["evidence"]["review"]["issues"].as_array().unwrap();
    let observed: Vec<_> =
        issues.iter().map(|issue| (&issue["id"], issue["summary"].as_str().unwrap())).collect();
    assert_eq!(*observed[0].0, "policy_violation:secret a,b.txt:1");
    assert!(observed[2].1.starts_with("cart.py:7: case `cart/pays` failed"), "{observed:?}");
}

#[test]
fn an_envelope_is_what_evaluate_takes() {
    let place = repository("0");
    let collected = place.run(&["collect"]);
    let evaluated =
        place.run_with(&["evaluate", "-", "--policy", "adjudicate.policy.yaml"], collected.stdout.as_bytes());
    assert_eq!(evaluated.json()["decision"]["status"], "success");
    assert_eq!(place.run(&["collect", "--out", "envelope.json"]).stdout, "");
    let written = std::fs::read_to_string(place.path("envelope.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&written).unwrap()["workflow_id"], "change");
}

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
    let rules: Vec<Value> =
        run.json()["findings"].as_array().unwrap().iter().map(|it| it["rule"].clone()).collect();
    assert!(rules.contains(&"interrupted".into()), "{rules:?}");
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

/// A policy with conditions on evidence that no command of the repository shows.
const EXTERNAL_POLICY: &str = "
policy: change
version: 1.0.0
review: optional
protected_paths: [change]
inputs: {required: [x-build], properties: {x-build: {type: object, required: [minutes], properties: {minutes: {type: number}}}}}
rules:
  - id: slow
    when: {'>': [{var: input.x-build.minutes}, 20]}
    then: {status: blocked, summary: the build is slow, resolution: {kind: terminal, hint: wait}}
";

const APPROVED: &str = r#"{"approvals": {"required": [], "granted": ["change"]}, "policy_events": ["info:x"], "x-build": {"minutes": 12}, "evidence": {"x-deploy": "blue"}}"#;

#[test]
fn external_evidence_decides_and_does_not_stay() {
    let (place, outside) = (repository("0"), TestFolder::new());
    place.file("adjudicate.policy.yaml", EXTERNAL_POLICY);
    let json_file = outside.file("evidence.json", APPROVED);
    let yaml_file = outside
        .file("evidence.YML", "approvals: {required: [], granted: [change]}\nx-build: {minutes: 21}\n");
    let status = |run: &Run| run.json()["decision"]["status"].clone();
    let run = ["run", "--format", "json"];
    assert_eq!(status(&place.run(&run)), "needs_human");
    assert_eq!(status(&place.run(&[&run[..], &["--with", &json_file]].concat())), "success");
    assert_eq!(
        status(&place.run_with(&[&run[..], &["--with", "-"]].concat(), APPROVED.as_bytes())),
        "success"
    );
    assert_eq!(status(&place.run(&[&run[..], &["--with", &yaml_file]].concat())), "blocked");
    let after = place.run(&run).json();
    assert_eq!(
        (&after["decision"]["status"], &after["findings"][0]["rule"]),
        (&"needs_human".into(), &"approval".into())
    );
    let envelope = place.run_with(&["collect", "--with", "-"], APPROVED.as_bytes()).json();
    assert_eq!(envelope["evidence"]["policy_events"], serde_json::json!(["info:x"]));
    assert_eq!(envelope["evidence"]["x-deploy"], "blue");
    assert_eq!(envelope["evaluate_history"].as_array().unwrap().len(), 5);
    let later = place.run(&["collect"]).json();
    assert_eq!((&later["x-build"], &later["evidence"]["approvals"]), (&Value::Null, &Value::Null));
    assert_eq!(later["evidence"]["x-deploy"], Value::Null);
    assert_eq!(place.run(&["baseline", "--with", &json_file]).code(), "wrong_usage");
}

#[test]
fn wrong_documents_are_errors_before_validators_run() {
    let (place, outside) = (repository("0"), TestFolder::new());
    let large = format!(r#"{{"x-a": "{}"}}"#, "x".repeat(9 << 20));
    for (name, text, code) in [
        ("a.yaml", "x-a: [", "malformed_yaml"),
        ("b.yaml", "{x-a: 1, x-a: 2}", "duplicate_key"),
        ("a.json", r#"{"evidence": {"validation": {}}}"#, "unknown_field"),
        ("b.json", r#"{"approvals": ["change"]}"#, "invalid_value"),
        ("c.json", &large, "limit_exceeded"),
    ] {
        let file = outside.file(name, text);
        for command in ["run", "collect"] {
            let run = place.run(&[command, "--with", &file]);
            assert!(run.code() == code && run.stderr.contains(name), "{run:?}");
        }
    }
    assert_eq!(place.run(&["run", "--with", ""]).code(), "wrong_usage");
    assert_eq!(place.run(&["run", "--report", "sarif=."]).code(), "unwritable_output");
    place.file("adjudicate.policy.yaml", "{policy: change}\n");
    assert_eq!(place.run(&["run"]).code(), "missing_field");
    place.file("adjudicate.yaml", CONFIGURATION.replace("run:", "runs:"));
    assert_eq!(place.run(&["run"]).code(), "unknown_field");
    assert!(!place.path(".adjudicate").exists());
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
    assert!(!place.path(".adjudicate").exists());
    // A path from a folder of the repository may lead out of it, and a pipe is in no folder.
    let name = outside.path(".").canonicalize().unwrap();
    let up = format!("../{}/evidence.json", name.file_name().unwrap().to_str().unwrap());
    assert_eq!(place.run(&["run", "--with", &up]).status, Some(0));
    let piped = place.process_with(&["run", "--with", "/dev/stdin"], b"{\"x-a\": 1}");
    assert_eq!(piped.status, Some(0), "{piped:?}");
}
