//! The action for GitHub, the template for GitLab and the hook for pre-commit, run as shell steps on scratch repositories.

mod action;
mod pull_request;

use std::{collections::BTreeMap, ffi::OsString, fs, process::Command};

use adjudicate_tests::workspace_root;
use serde_json::{Value, json};
use tempfile::TempDir;

use self::{
    action::{ActionRun, Trigger, yaml},
    pull_request::{PullRequest, configuration},
};
use crate::{
    cli::{adjudicate, binary},
    repositories::git::{Repository, without_settings},
};

/// The step of the action that fails by the status.
const LAST: &str = "Fail by the status";

/// A configuration whose validator exits with a number.
fn exiting(code: u8) -> String {
    configuration(&format!("exit {code}"), "open_pull_request", "fix_findings")
}

/// The event of a pull request whose merge is checked out.
fn merged(request: &PullRequest) -> Trigger {
    let payload = [
        ("github.event.pull_request.base.sha", request.target.clone()),
        ("github.event.pull_request.head.repo.full_name", "owner/name".to_owned()),
    ];
    Trigger {
        name: "pull_request",
        reference: "refs/pull/1/merge",
        commit: request.merge.clone(),
        payload: BTreeMap::from(payload),
    }
}

/// Runs the action on a pull request as actions/checkout leaves it.
fn decide(configuration: &str, inputs: &[(&str, &str)]) -> ActionRun {
    let request = PullRequest::new(configuration);
    action::run(&request.checkout(&request.merge), &merged(&request), inputs)
}

/// A file with external evidence of a state that makes every change unsafe, and its folder. A shell would split its name.
fn untrusted() -> (TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("evidence file.json");
    fs::write(&file, r#"{"policy_events": ["untrusted_state"]}"#).expect("a file is written");
    let name = file.to_str().expect("a path").to_owned();
    (folder, name)
}

/// The inputs of the action, each with its value.
type Inputs<'a> = &'a [(&'a str, &'a str)];

#[test]
fn a_change_with_evidence_passes() {
    let run = decide(&exiting(0), &[]);
    assert_eq!(run.failed, None, "{}", run.log);
    assert_eq!(run.outputs["status"], "success");
    assert_eq!(run.outputs["next_step"], "open_pull_request");
    assert!(run.summary.starts_with("## adjudicate: success\n"), "{}", run.summary);
    assert_eq!(run.document("evaluation-file")["decision"]["status"], "success");
    assert_eq!(run.document("sarif-file")["version"], "2.1.0");
    assert_eq!((run.commands(), run.used.len()), (vec![], 0));
    let quiet = decide(&exiting(0), &[("summary", "false")]);
    assert_eq!((quiet.failed, &*quiet.summary), (None, ""));
}

#[test]
fn a_failing_test_is_an_annotation_and_fails_the_last_step() {
    let failure = "::error title=adjudicate::the status is partial, and the next step is `fix_findings`";
    let run = decide(&exiting(3), &[]);
    assert_eq!(run.failed.as_deref(), Some(LAST), "{}", run.log);
    assert_eq!((&*run.outputs["status"], &*run.outputs["next_step"]), ("partial", "fix_findings"));
    assert!(run.summary.contains("### Fix first\n"), "{}", run.summary);
    let commands = run.commands();
    assert_eq!(commands.last(), Some(&failure));
    assert!(commands.len() > 1 && commands[0].contains("`unit` exited 3"), "{commands:?}");
    let quiet = decide(&exiting(3), &[("annotations", "false")]);
    assert_eq!(quiet.commands(), [failure]);
    for allowed in ["none", "unsafe, needs_human blocked"] {
        let run = decide(&exiting(3), &[("fail-on", allowed)]);
        assert_eq!((run.failed, &*run.outputs["status"]), (None, "partial"), "{allowed}");
    }
}

#[test]
fn without_a_decision_the_step_fails() {
    let everything_passes = [("fail-on", "none"), ("sarif", "true")];
    for configuration in ["{}", "{", r#"{"policy": "nowhere.json"}"#] {
        let run = decide(configuration, &everything_passes);
        assert_eq!(run.failed.as_deref(), Some("Decide"), "{configuration}: {}", run.log);
        assert_eq!((&*run.outputs["status"], run.used.len()), ("", 0), "{configuration}");
        let commands = run.commands();
        let expected = "::error title=adjudicate::no decision: `adjudicate run` ended with 2: {\"error\":";
        assert!(commands.len() == 1 && commands[0].starts_with(expected), "{commands:?}");
    }
    let request = PullRequest::new("{}");
    let checkout = request.checkout(&request.merge);
    fs::remove_file(checkout.path("adjudicate.json")).expect("the file is removed");
    let of_head = [&everything_passes[..], &[("config-from", "head")]].concat();
    let run = action::run(&checkout, &merged(&request), &of_head);
    assert_eq!(run.failed.as_deref(), Some("Decide"), "{}", run.log);
}

#[test]
fn a_pull_request_does_not_choose_the_rules_that_judge_it() {
    let request = PullRequest::new(&exiting(3));
    let checkout = request.checkout(&request.merge);
    checkout.write("adjudicate.json", exiting(0).as_bytes());
    let run = |inputs: Inputs<'_>| {
        let run = action::run(&checkout, &merged(&request), inputs);
        run.outputs["status"].clone()
    };
    assert_eq!(run(&[]), "partial", "the validator of the base fails");
    assert_eq!(run(&[("config-from", "head")]), "success");
    // Neither its policy, nor no configuration at all.
    checkout.write("policy.json", br#"{"policy": "change", "version": "1.0.0", "allowed_next_steps": []}"#);
    assert_eq!(run(&[]), "partial");
    fs::remove_file(checkout.path("adjudicate.json")).expect("the file is removed");
    assert_eq!(run(&[]), "partial");
}

#[test]
fn the_first_configuration_is_that_of_the_change() {
    let request = PullRequest::without_configuration();
    let checkout = request.checkout(&request.merge);
    checkout.write("adjudicate.json", exiting(0).as_bytes());
    let run = action::run(&checkout, &merged(&request), &[]);
    assert_eq!(run.outputs["status"], "success", "{}", run.log);
    assert!(run.log.contains("has no configuration"), "{}", run.log);
}

#[test]
fn a_wrong_input_is_an_error() {
    for (input, value, step) in [
        ("fail-on", "", "Decide"),
        ("fail-on", "partial success", "Decide"),
        ("fail-on", "none partial", "Decide"),
        ("sarif", "yes", "Decide"),
        ("summary", "", "Decide"),
        ("annotations", "1", "Decide"),
        ("config-from", "main", "Decide"),
        ("command", "/nowhere/adjudicate", "Find the command"),
        ("command", "false", "Find the command"),
        ("base", "nowhere", "Find the base"),
    ] {
        let run = decide(&exiting(0), &[(input, value)]);
        assert_eq!(run.failed.as_deref(), Some(step), "{input} {value:?}: {}", run.log);
        assert!(
            run.commands().iter().any(|line| line.starts_with("::error title=adjudicate::")),
            "{}",
            run.log
        );
    }
}

#[test]
fn external_evidence_reaches_the_policy() {
    let (_folder, file) = untrusted();
    let run = decide(&exiting(0), &[("with", &file)]);
    assert_eq!(run.outputs["status"], "unsafe", "{}", run.log);
    for file in ["adjudicate.json", "/nowhere/evidence.json"] {
        let run = decide(&exiting(0), &[("with", file), ("fail-on", "none")]);
        assert_eq!(run.failed.as_deref(), Some("Decide"), "{file}: {}", run.log);
    }
}

#[test]
fn sarif_is_uploaded_unless_the_pull_request_comes_from_a_fork() {
    let request = PullRequest::new(&exiting(3));
    let checkout = request.checkout(&request.merge);
    let own = merged(&request);
    let mut fork = own.clone();
    fork.payload.insert("github.event.pull_request.head.repo.full_name", "other/name".into());
    for (trigger, sarif, uploads) in [(&own, "false", 0), (&own, "true", 1), (&fork, "true", 0)] {
        let run = action::run(&checkout, trigger, &[("sarif", sarif)]);
        assert_eq!((run.failed.as_deref(), run.used.len()), (Some(LAST), uploads), "{}", run.log);
        assert!(run.used.iter().all(|used| used.starts_with("github/codeql-action/upload-sarif@")));
        let notices = run.commands().iter().filter(|line| line.starts_with("::notice ")).count();
        assert_eq!(notices, usize::from(sarif == "true" && uploads == 0), "{}", run.log);
    }
}

#[test]
fn the_id_of_a_step_adds_no_output_and_no_command() {
    let id = "go%0A\n::error::x\nstatus=unsafe";
    for (code, status) in [(0, "success"), (3, "partial")] {
        let [forward, fix] = [1, 2].map(|number| format!("{id}{number}"));
        let run = decide(&configuration(&format!("exit {code}"), &forward, &fix), &[]);
        assert_eq!(run.outputs["status"], status, "{}", run.log);
        assert!(run.outputs["next_step"].starts_with("go%0A"), "{:?}", run.outputs);
        let commands = run.commands();
        assert!(!commands.iter().any(|line| line.starts_with("::error::x")), "{commands:?}");
        assert_eq!(commands.iter().any(|line| line.contains("`go%250A")), code != 0, "{commands:?}");
    }
}

#[test]
fn a_shallow_checkout_gets_the_base_of_its_event() {
    let request = PullRequest::new(&exiting(0));
    let (merge, head) = (&request.merge, &request.head);
    let merged = merged(&request);
    let of = |name, value: (&'static str, &String)| Trigger {
        name,
        payload: BTreeMap::from([(value.0, value.1.clone())]),
        ..Trigger::default()
    };
    let queued = of("merge_group", ("github.event.merge_group.base_sha", &request.target));
    let pushed = of("push", ("github.event.before", &request.fork_point));
    let by_hand = Trigger { name: "workflow_dispatch", ..Trigger::default() };
    let [main, branch] = [[("base", "main")], [("base", "origin/change")]];
    let target = &request.target;
    let cases: [(&String, &Trigger, Inputs<'_>, &String); 7] = [
        (merge, &merged, &[], &request.target),
        // The pull request itself instead of its merge.
        (head, &merged, &[], &request.fork_point),
        (merge, &queued, &[], &request.target),
        (head, &pushed, &[], &request.fork_point),
        (merge, &by_hand, &main, &request.target),
        (merge, &by_hand, &branch, head),
        (merge, &merged, &[("base", request.fork_point.as_str())], &request.fork_point),
    ];
    for (commit, trigger, inputs, base) in cases {
        let run = action::run(&request.checkout(commit), trigger, inputs);
        assert_eq!(run.failed, None, "{} of {commit}: {}", trigger.name, run.log);
        assert!(
            run.log.contains(&format!("\nThe base is {base}.\n")),
            "{} {inputs:?}: {}",
            trigger.name,
            run.log
        );
        // The author of a pull request chooses the commit that it begins from, but not the rules.
        let rules = if inputs.is_empty() && trigger.name == merged.name { target } else { base };
        assert!(run.log.contains(&format!("\nThe rules are those of {rules}.\n")), "{}", run.log);
    }
}

#[test]
fn without_a_base_the_step_fails() {
    let request = PullRequest::new(&exiting(0));
    let fails = |checkout: &Repository, trigger: &Trigger| {
        let run = action::run(checkout, trigger, &[("fail-on", "none")]);
        assert_eq!(run.failed.as_deref(), Some("Find the base"), "{}: {}", trigger.name, run.log);
        assert_eq!(run.commands().len(), 1, "{}", run.log);
    };
    let checkout = request.checkout(&request.merge);
    let new_branch = BTreeMap::from([("github.event.before", "0".repeat(40))]);
    for trigger in [
        Trigger { name: "push", payload: new_branch, ..Trigger::default() },
        Trigger { name: "workflow_dispatch", ..Trigger::default() },
        Trigger { name: "pull_request_target", ..merged(&request) },
    ] {
        fails(&checkout, &trigger);
    }
    checkout.git(&["remote", "set-url", "origin", "/nowhere"]);
    fails(&checkout, &merged(&request));
}

#[test]
fn a_base_that_would_hide_the_change_fails() {
    let request = PullRequest::new(&exiting(0));
    let by_hand = Trigger { name: "workflow_dispatch", ..Trigger::default() };
    let refused = |base: &str| {
        let run =
            action::run(&request.checkout(&request.head), &by_hand, &[("base", base), ("fail-on", "none")]);
        assert_eq!(run.failed.as_deref(), Some("Find the base"), "{base}: {}", run.log);
        run.log
    };
    for base in ["HEAD", "change", request.head.as_str()] {
        assert!(refused(base).contains("every change is empty"), "{base}");
    }
    // Git alone would take the tag.
    request.tag("main", &request.head);
    assert!(refused("main").contains("names a branch and a tag"));
}

#[test]
fn a_job_of_gitlab_writes_its_reports_and_ends_with_the_status() {
    let template = fs::read_to_string(workspace_root().join(".gitlab/adjudicate.yml")).expect("a template");
    let job = &yaml(&template)["adjudicate"];
    let lines: Vec<_> = job["script"].as_array().expect("lines").iter().filter_map(Value::as_str).collect();
    let [merged, merge_base, before] =
        ["CI_MERGE_REQUEST_TARGET_BRANCH_SHA", "CI_MERGE_REQUEST_DIFF_BASE_SHA", "CI_COMMIT_BEFORE_SHA"];
    let run_with = |external: &str,
                    from: &str,
                    change: Option<&str>,
                    configuration: &str,
                    variable: &str,
                    base: Option<&str>| {
        let request = PullRequest::new(configuration);
        let checkout = request.checkout(&request.head);
        if let Some(change) = change {
            checkout.write("adjudicate.json", change.as_bytes());
        }
        let mut bash = Command::new("bash");
        without_settings(&mut bash);
        bash.args(["-eo", "pipefail", "-c", &lines.join("\n")])
            .current_dir(checkout.path(""))
            .env("ADJUDICATE", binary())
            .env("ADJUDICATE_CONFIG_FROM", from)
            .env("ADJUDICATE_WITH", external);
        for other in [merged, merge_base, before] {
            bash.env_remove(other);
        }
        let done = bash.env(variable, base.unwrap_or(&request.fork_point)).output();
        let done = done.expect("the program `bash` runs");
        (checkout, done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
    };
    let default = |name: &str| job["variables"][name].as_str().expect("a default");
    let run = |configuration: &str, variable: &str, base: Option<&str>| {
        let [external, from] = ["ADJUDICATE_WITH", "ADJUDICATE_CONFIG_FROM"].map(default);
        run_with(external, from, None, configuration, variable, base)
    };
    let reports = &job["artifacts"]["reports"];
    for (code, variable, exit, status) in
        [(0, merged, 0, "success"), (3, merge_base, 10, "partial"), (0, before, 0, "success")]
    {
        let (checkout, ended, errors) = run(&exiting(code), variable, None);
        assert_eq!(ended, Some(exit), "{errors}");
        let read = |path: &Value| {
            fs::read_to_string(checkout.path(path.as_str().expect("a path"))).expect("a report")
        };
        let quality: Value = serde_json::from_str(&read(&reports["codequality"])).expect("it is JSON");
        assert!(quality.is_array(), "{quality}");
        assert!(read(&reports["dotenv"]).starts_with(&format!("status={status}\nnext_step=")));
        let evaluation: Value =
            serde_json::from_str(&read(&job["artifacts"]["paths"][0])).expect("it is JSON");
        assert_eq!(evaluation["decision"]["status"], status);
    }
    assert_eq!(run("{}", merge_base, None).1, Some(2));
    // The change edits the configuration.
    for (from, exit) in [("base", Some(10)), ("head", Some(0)), ("main", Some(1))] {
        let (_, ended, errors) = run_with("", from, Some(&exiting(0)), &exiting(3), merge_base, None);
        assert_eq!(ended, exit, "{from}: {errors}");
    }
    let (_folder, file) = untrusted();
    let (_, ended, errors) = run_with(&file, "base", None, &exiting(0), merge_base, None);
    assert_eq!(ended, Some(12), "{errors}");
    for base in ["", "0000000000000000000000000000000000000000"] {
        let (_, ended, errors) = run(&exiting(0), merge_base, Some(base));
        assert_ne!(ended, Some(0), "{base}: {errors}");
    }
}

#[test]
fn the_page_has_each_input_and_output() {
    let read = |path: &str| fs::read_to_string(workspace_root().join(path)).expect("a file");
    let (action, page) = (yaml(&read("action.yml")), read("docs/reference/ci.md"));
    for list in ["inputs", "outputs"] {
        for (name, about) in action[list].as_object().expect("a list") {
            let shown = about["default"].as_str().map(|default| format!("`{default}`")).unwrap_or_default();
            assert!(page.contains(&format!("\n| `{name}` | ")), "{name}");
            assert!(shown == "``" || page.contains(&format!("\n| `{name}` | {shown}")), "{name}: {shown}");
        }
    }
}

#[test]
fn the_hook_of_pre_commit_checks_policies() {
    let hooks = fs::read_to_string(workspace_root().join(".pre-commit-hooks.yaml")).expect("a list of hooks");
    let hook = &yaml(&hooks)[0];
    let field = |name: &str| hook[name].as_str().expect("a field");
    for (name, is_policy) in [
        ("adjudicate.policy.yaml", true),
        ("team/policy.yml", true),
        ("policy.json", true),
        ("adjudicate.yaml", false),
        ("policy.md", false),
        ("mypolicy.yaml", false),
    ] {
        let call = json!({"schema": {"pattern": field("files")}, "instance": name}).to_string();
        let answer = adjudicate(["schema", "-"], call.as_bytes());
        assert!(answer.stdout.starts_with(&format!("{{\"valid\":{is_policy},")), "{name}: {answer:?}");
    }
    let mut words = field("entry").split(' ');
    assert_eq!((words.next(), field("language")), (Some("adjudicate"), "system"));
    let arguments: Vec<&str> = words.collect();
    let folder = tempfile::tempdir().expect("a folder");
    for (text, status) in [("{policy: a, version: 1.0.0}", 0), ("{policy: a}", 2)] {
        let file = folder.path().join("policy.yaml");
        fs::write(&file, text).expect("a file is written");
        let words = arguments.iter().copied().map(OsString::from).chain([file.into_os_string()]);
        let run = adjudicate(words, b"");
        assert_eq!(run.status, Some(status), "{run:?}");
    }
}
