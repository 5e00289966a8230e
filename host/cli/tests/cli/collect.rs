//! `adjudicate init`, `collect` and `run` in scratch repositories.

use std::{
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use serde_json::Value;

use crate::{
    command::{Run, TestFolder},
    repository::{CONFIGURATION, POLICY, git, repository},
};

fn json(run: &Run) -> Value {
    assert_eq!(run.stderr, "");
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn a_run_decides_and_its_exit_status_is_that_of_the_decision() {
    let place = repository("0");
    let run = place.run(&["run", "--format", "json"]);
    assert_eq!((json(&run)["decision"]["status"].as_str(), run.status), (Some("success"), Some(0)));
    place.file("code", "1");
    let statuses = [10, 13].map(|_| place.run(&["run", "--exit-status"]).status);
    assert_eq!(statuses, [Some(10), Some(13)]);
    assert_eq!(place.run(&["run", "--exit-status", "--new-run"]).status, Some(10));
    assert_eq!(place.run(&["run"]).status, Some(0));
}

#[test]
fn a_decision_is_a_table_or_markdown() {
    let place = repository("1");
    let table = place.run(&["run"]);
    assert!(table.stdout.starts_with("PARTIAL"), "{}", table.stdout);
    let markdown = place.run(&["run", "--format", "markdown", "--new-run"]).stdout;
    assert!(markdown.starts_with("## adjudicate: partial\n\nnext step: `fix_findings`\n"), "{markdown}");
    assert!(markdown.contains("| partial | `validation_failed` | `unit` exited 1 |"), "{markdown}");
    assert!(markdown.contains("### Fix first\n\n- `unit`: "), "{markdown}");
    assert!(place.run(&["run", "--format", "pretty"]).stdout.starts_with("{\n  \"decision\""));
}

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
fn one_run_writes_a_decision_in_every_format() {
    let place = repository_with_places();
    let formats = ["table", "json", "pretty", "markdown", "sarif", "github", "codequality", "dotenv"];
    let reports = formats.map(|format| format!("--report={format}=.adjudicate/{format}"));
    let run = place
        .run(&[&["run", "--format", "json"][..], &reports.each_ref().map(|text| text.as_str())].concat());
    assert_eq!(json(&run)["decision"]["status"], "unsafe");
    let read = |name: &str| std::fs::read_to_string(place.path(".adjudicate").join(name)).unwrap();
    let document = |name: &str| serde_json::from_str::<Value>(&read(name)).unwrap();
    assert_eq!(read("json"), run.stdout);
    assert!(read("table").starts_with("UNSAFE") && !read("table").contains('\u{1b}'));
    assert!(read("markdown").starts_with("## adjudicate: unsafe\n"));
    assert_eq!(read("dotenv"), "status=unsafe\nnext_step=ask_a_human\n");
    assert_eq!(
        read("github").lines().collect::<Vec<_>>(),
        [
            "::error file=secret a%2Cb.txt,title=adjudicate%3A policy_violation::`secret a,b.txt` changed and is under a \
             forbidden path%0ATo resolve it: undo the change to the forbidden file",
            "::warning title=adjudicate%3A validation_failed::`unit` exited 1%0ATo resolve it: fix what the validator \
             reports, then run it again",
            "::warning file=cart.py,line=7,title=adjudicate%3A validation_failed::case `cart/pays` failed%0ATo resolve \
             it: fix the case, then run its reproduction again",
        ]
    );
    let results = document("sarif")["runs"][0]["results"].clone();
    let place_of = |result: &Value| {
        let place = &result["locations"][0]["physicalLocation"];
        format!("{}:{}", place["artifactLocation"]["uri"].as_str().unwrap(), place["region"]["startLine"])
    };
    assert_eq!(
        results.as_array().unwrap().iter().map(place_of).collect::<Vec<_>>(),
        ["secret%20a%2Cb.txt:1", "adjudicate.yaml:1", "cart.py:7"]
    );
    let issues = document("codequality");
    let issue = |index: usize| (&issues[index]["severity"], &issues[index]["location"]["path"]);
    assert_eq!(issue(0), (&"blocker".into(), &"secret a,b.txt".into()));
    assert_eq!(issue(2), (&"minor".into(), &"cart.py".into()));
    assert_ne!(issues[1]["fingerprint"], issues[2]["fingerprint"]);
}

#[test]
fn the_sarif_log_of_a_decision_is_a_review() {
    let place = repository_with_places();
    let log = place.run(&["run", "--format", "sarif"]).stdout;
    let reader = repository("0");
    reader.file("adjudicate.yaml", format!("{CONFIGURATION}review: decision.sarif\n"));
    reader.file("decision.sarif", log);
    let envelope = json(&reader.run(&["collect"]));
    assert_eq!(envelope["evidence"]["uncollected"], Value::Null);
    let issues = envelope["evidence"]["review"]["issues"].as_array().unwrap();
    let observed: Vec<_> =
        issues.iter().map(|issue| (&issue["id"], issue["summary"].as_str().unwrap())).collect();
    assert_eq!(*observed[0].0, "policy_violation:secret a,b.txt:1");
    assert!(observed[2].1.starts_with("cart.py:7: case `cart/pays` failed"), "{observed:?}");
}

#[test]
fn a_report_that_cannot_be_written_is_an_error_before_validators_run() {
    let place = repository("0");
    for (report, code) in [
        ("sarif=.", "unwritable_output"),
        ("xml=decision.xml", "wrong_usage"),
        ("sarif", "wrong_usage"),
        ("sarif=", "wrong_usage"),
    ] {
        assert_eq!(place.run(&["run", "--report", report]).code(), code, "{report}");
    }
    assert!(!place.path(".adjudicate").exists());
    assert_eq!(place.run(&["run", "--report", "json=code/decision.json"]).code(), "unwritable_output");
    assert_eq!(place.run(&["run", "--report", "json=.adjudicate/new/decision.json"]).status, Some(0));
    assert!(place.path(".adjudicate/new/decision.json").exists());
}

#[test]
fn a_step_with_a_line_break_is_one_variable() {
    let place = repository("0");
    let step = r#"{id: "open\nstatus=success", role: forward}"#;
    place.file("adjudicate.yaml", CONFIGURATION.replace("{id: open_pull_request, role: forward}", step));
    let run = place.run(&["run", "--format", "dotenv"]);
    assert_eq!(run.stdout, "status=success\nnext_step=open\\nstatus=success\n");
    assert_eq!(place.run(&["run", "--format", "github"]).stdout, "");
}

#[test]
fn an_envelope_is_what_evaluate_takes() {
    let place = repository("0");
    let collected = place.run(&["collect"]);
    let evaluated =
        place.run_with(&["evaluate", "-", "--policy", "adjudicate.policy.yaml"], collected.stdout.as_bytes());
    assert_eq!(json(&evaluated)["decision"]["status"], "success");
    assert_eq!(place.run(&["collect", "--out", "envelope.json"]).stdout, "");
    let written = std::fs::read_to_string(place.path("envelope.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&written).unwrap()["workflow_id"], "change");
}

#[test]
fn a_baseline_is_printed_and_accepted_by_the_policy() {
    let place = TestFolder::new();
    git(&place, &["init", "--quiet"]);
    let report = "cat cases.tap; exit 1";
    let unit = format!("run: {}\n    output: tap", Value::from(report));
    place.file("adjudicate.yaml", CONFIGURATION.replace("run: exit $(cat code)", &unit) + "baseline: {}\n");
    place.file("adjudicate.policy.yaml", POLICY.replace("{policy", "{known_failures: accept, policy"));
    place.file("cases.tap", "1..2\nok 1 - adds\nnot ok 2 - pays\n");
    git(&place, &["add", "--all"]);
    git(&place, &["commit", "--quiet", "--message", "first"]);
    place.file("change", "");
    let results = json(&place.run(&["baseline"]));
    assert_eq!((&results["exit_codes"]["unit"], &results["summary"]["failed"]), (&1.into(), &1.into()));
    assert_eq!(results["cases"][1]["id"], "pays");
    let decision = json(&place.run(&["run", "--format", "json"]));
    assert_eq!(decision["decision"]["status"], "success", "{decision}");
    assert_eq!(decision["known_failures"][0]["id"], "pays");
    let markdown = place.run(&["run", "--format", "markdown"]).stdout;
    assert!(markdown.ends_with("### Known failures\n\n- `pays` of `unit`\n"), "{markdown}");
    assert_eq!(place.run(&["baseline", "--again", "--out", "baseline.json"]).stdout, "");
    let written = std::fs::read_to_string(place.path("baseline.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), results);
    // Without a report, no case of the base is known.
    let unreported = CONFIGURATION.replace("run: exit", "run: true || exit");
    place.file("adjudicate.yaml", unreported);
    let warning = "warning: `unit` has neither `reports` nor `output`, so the baseline can excuse none of its failures\n";
    assert_eq!(place.run(&["baseline"]).stderr, warning);
    // Problems are on the standard error, and a setup that fails is an error.
    place.file("adjudicate.yaml", CONFIGURATION.replace("run: exit", "reports: [a.xml]\n    run: exit"));
    let run = place.run(&["baseline"]);
    assert_eq!(
        (run.stderr.as_str(), run.status),
        ("uncollected: reports `a.xml` of `unit`: the validator wrote no such file in this run\n", Some(0))
    );
    place.file("adjudicate.yaml", CONFIGURATION.to_owned() + "baseline: {setup: exit 3}\n");
    let run = place.run(&["baseline"]);
    assert_eq!((run.code().as_str(), run.status), ("unreadable_input", Some(2)));
}

#[test]
fn a_repository_is_set_up_once() {
    let place = TestFolder::new();
    git(&place, &["init", "--quiet"]);
    assert_eq!(place.run(&["run"]).code(), "unreadable_input");
    place.file("go.mod", "module a\n");
    let set_up = place.run(&["init"]);
    assert!(set_up.stdout.starts_with("wrote adjudicate.yaml\nwrote adjudicate.policy.yaml\n"), "{set_up:?}");
    let again = place.run(&["init"]);
    assert_eq!((again.code().as_str(), again.status), ("unwritable_output", Some(74)));
    // The engine reads both files.
    assert_eq!(place.run(&["check", "adjudicate.policy.yaml"]).status, Some(0));
    let run = place.run(&["run", "--format", "json"]);
    assert_eq!(json(&run)["policy"]["name"], "change");
}

#[test]
fn without_a_tool_init_warns_and_run_asks_a_human() {
    let place = TestFolder::new();
    git(&place, &["init", "--quiet"]);
    let set_up = place.run(&["init"]);
    assert_eq!(set_up.status, Some(0));
    assert!(set_up.stderr.starts_with("warning: no build file shows a tool"), "{set_up:?}");
    assert_eq!(json(&place.run(&["run", "--format", "json"]))["decision"]["status"], "needs_human");
}

#[test]
fn a_wrong_document_is_an_error_before_validators_run() {
    let place = repository("0");
    place.file("adjudicate.policy.yaml", "{policy: change}\n");
    let run = place.run(&["run"]);
    assert_eq!((run.code().as_str(), run.status), ("missing_field", Some(2)));
    place.file("adjudicate.yaml", CONFIGURATION.replace("run:", "runs:"));
    let run = place.run(&["run"]);
    assert_eq!((run.code().as_str(), run.status), ("unknown_field", Some(2)));
    assert!(!place.path(".adjudicate").exists());
}

#[test]
fn a_signal_stops_the_validators_and_the_run_is_interrupted() {
    let place = repository("0");
    place.file("adjudicate.yaml", CONFIGURATION.replace("exit $(cat code)", "echo > started; sleep 60"));
    let mut command = place.command(&["run", "--format", "json"]);
    command.env("PATH", std::env::var_os("PATH").unwrap());
    let child = command.stdout(Stdio::piped()).spawn().unwrap();
    while !place.path("started").exists() {
        thread::sleep(Duration::from_millis(5));
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let run = Run::from(child.wait_with_output().unwrap());
    let rules: Vec<Value> =
        json(&run)["findings"].as_array().unwrap().iter().map(|it| it["rule"].clone()).collect();
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
    let decision: Value = serde_json::from_slice(&run.stdout).unwrap();
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
    let status = |run: &Run| json(run)["decision"]["status"].clone();
    let run = ["run", "--format", "json"];
    assert_eq!(status(&place.run(&run)), "needs_human");
    assert_eq!(status(&place.run(&[&run[..], &["--with", &json_file]].concat())), "success");
    assert_eq!(
        status(&place.run_with(&[&run[..], &["--with", "-"]].concat(), APPROVED.as_bytes())),
        "success"
    );
    assert_eq!(status(&place.run(&[&run[..], &["--with", &yaml_file]].concat())), "blocked");
    let after = json(&place.run(&run));
    assert_eq!(
        (&after["decision"]["status"], &after["findings"][0]["rule"]),
        (&"needs_human".into(), &"approval".into())
    );
    for format in ["table", "markdown"] {
        let text = place.run(&["run", "--format", format]).stdout;
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("approve it, and pass the approval with `--with FILE`"), "{text}");
    }
    let envelope = json(&place.run_with(&["collect", "--with", "-"], APPROVED.as_bytes()));
    assert_eq!(envelope["evidence"]["policy_events"], serde_json::json!(["info:x"]));
    assert_eq!(envelope["evidence"]["x-deploy"], "blue");
    assert_eq!(envelope["evaluate_history"].as_array().unwrap().len(), 7);
    let later = json(&place.run(&["collect"]));
    assert_eq!((&later["x-build"], &later["evidence"]["approvals"]), (&Value::Null, &Value::Null));
    assert_eq!(later["evidence"]["x-deploy"], Value::Null);
    assert_eq!(place.run(&["baseline", "--with", &json_file]).code(), "wrong_usage");
}

#[test]
fn wrong_external_evidence_is_an_error_before_validators_run() {
    let (place, outside) = (repository("0"), TestFolder::new());
    let large = format!(r#"{{"x-a": "{}"}}"#, "x".repeat(9 << 20));
    let file = |name: &str, text: &str| outside.file(name, text);
    for (file, code, message) in [
        (file("a.json", "# evidence"), "malformed_json", "a.json: expected"),
        (file("a.yaml", "x-a: ["), "malformed_yaml", "a.yaml: "),
        (file("b.yaml", "{x-a: 1, x-a: 2}"), "duplicate_key", "b.yaml: "),
        (
            file("b.json", "[]"),
            "invalid_value",
            "b.json: expected an object of external evidence, found a list",
        ),
        (file("c.json", r#"{"x-a": 1, "x-a": 2}"#), "duplicate_key", "c.json: "),
        (
            file("d.json", r#"{"evidence": {"validation": {}}}"#),
            "unknown_field",
            "d.json: unknown field `validation`; a collection finds",
        ),
        (
            file("e.json", r#"{"approvals": ["change"]}"#),
            "invalid_value",
            "e.json: expected an approvals object",
        ),
        (file("f.json", r#"{"x-goal": 1}"#), "invalid_value", "f.json: a collection sets `x-goal` itself"),
        (file("g.json", &large), "limit_exceeded", "is over the limit of 8388608 bytes"),
        (outside.path("absent.json").display().to_string(), "unreadable_input", "there is no such file"),
        (outside.path(".").display().to_string(), "unreadable_input", "is a directory"),
        (String::new(), "wrong_usage", ""),
    ] {
        for command in ["run", "collect"] {
            let run = place.run(&[command, "--with", &file]);
            assert_eq!((run.code().as_str(), run.stdout.as_str()), (code, ""), "{file}: {run:?}");
            assert!(run.stderr.contains(message), "{file}: {}", run.stderr);
        }
    }
    for (arguments, input, code) in [
        (&["--with", "-", "--with", "-"][..], "{}", "wrong_usage"),
        (&["--with", "-"], "", "malformed_json"),
        (&["--with", "-"], "x-a: 1", "malformed_json"),
    ] {
        let run = place.run_with(&[&["run"], arguments].concat(), input.as_bytes());
        assert_eq!(run.code(), code, "{run:?}");
    }
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
