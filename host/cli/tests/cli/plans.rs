//! `validate-plan`, `merge-diagnostics`, `observe-output` and `apply-guardrails`: whole or in parts, the answers are the
//! engine's.

use adjudicate_core::Operation;

use crate::command::{Run, TestFolder};

pub(crate) const TASK: &str = r#"{"objective":"two posts","outputContract":{
    "schema":{"type":"object","required":["copy","review"]},
    "constraints":[{"constraintId":"min_qa","level":"hard","expr":{">=":[{"var":"review.score"},0.8]}},
        {"constraintId":"two","level":"soft","expr":{"==":[{"length":[{"var":"copy"}]},2]}}]}}"#;

/// Brief, two copies, review and publication; `soft` is left open.
pub(crate) const PLAN: &str = r#"{"planVersion":3,"nodes":[
    {"nodeId":"brief","capabilityId":"Strategy"},
    {"nodeId":"copy-a","capabilityId":"Copywriter"},
    {"nodeId":"copy-b","capabilityId":"Copywriter"},
    {"nodeId":"qa","capabilityId":"Reviewer","enforces":["min_qa"]}],
    "edges":[{"from":"brief","to":"copy-a"},{"from":"brief","to":"copy-b"},{"from":"copy-a","to":"qa"},
        {"from":"copy-b","to":"qa"}]}"#;

pub(crate) const CAPABILITIES: &str = r#"[{"capabilityId":"Strategy","outputFacets":["brief"]},
    {"capabilityId":"Copywriter","inputFacets":["brief"],"outputFacets":["copy"]},
    {"capabilityId":"Reviewer","inputFacets":["copy"],"outputFacets":["review"]}]"#;

const DIAGNOSTIC: &str =
    r#"{"severity":"hard","status":"unsatisfied","cause":"missing_producer","constraintId":"c"}"#;

const CONTRACT: &str = r#"{"schema":{"required":["score"]},"constraints":[{"constraintId":"min","expr":{">=":[{"var":"score"},0.8]},"level":"soft"}]}"#;

const POLICIES: &str = r#"[{"id":"again","trigger":{"kind":"onNodeComplete"},"action":{"type":"retry","maxAttempts":2}},
    {"id":"tell","trigger":{"kind":"onStart"},"action":{"type":"emit","event":"started"}},
    {"id":"ask","trigger":{"kind":"manual"},"action":{"type":"hitl","rationale":"a person decides"}},
    {"id":"end","trigger":{"kind":"onTimeout","ms":10},"action":{"type":"fail","message":"too late"}}]"#;

pub(crate) fn whole(plan: &str) -> String {
    format!(r#"{{"task":{TASK},"plan":{plan},"capabilities":{CAPABILITIES}}}"#)
}

/// A place with the parts of calls in files of their own.
pub(crate) fn place() -> TestFolder {
    let place = TestFolder::new();
    place.file("whole.json", whole(PLAN));
    place.file("plan.json", PLAN);
    place.file("only-plan.json", format!(r#" {{"plan":{PLAN}}} "#));
    place.file("without-task.json", format!(r#"{{"plan":{PLAN},"capabilities":{CAPABILITIES}}}"#));
    place.file("task.json", TASK);
    place.file("capabilities.json", CAPABILITIES);
    place.file(
        "capabilities.yaml",
        "- {capabilityId: Strategy, outputFacets: [brief]}\n- {capabilityId: Copywriter, inputFacets: [brief], outputFacets: [copy]}\n- {capabilityId: Reviewer, inputFacets: [copy], outputFacets: [review]}\n",
    );
    place.file("facets.json", "[]");
    place.file("contract.json", CONTRACT);
    place.file("output.json", r#"{"score":0.5,"output":1,"outputContract":2}"#);
    place.file("policies.json", POLICIES);
    place.file("event.json", r#"{"kind":"onNodeComplete"}"#);
    place.file(
        "event-and-state.json",
        r#"{"event":{"kind":"onNodeComplete"},"state":{"retries":{"again":2}}}"#,
    );
    place.file("state.json", r#"{"retries":{"again":2}}"#);
    place
}

fn answered(run: &Run, operation: Operation, call: &str) {
    let expected = format!("{}\n", operation.call(call.as_bytes()).unwrap());
    assert_eq!((run.status, run.stderr.as_str(), run.stdout.as_str()), (Some(0), "", expected.as_str()));
}

#[test]
fn a_plan_is_judged_whole_or_in_parts() {
    let place = place();
    let parts = ["--task", "task.json", "--capabilities", "capabilities.json"];
    for run in [
        place.run(&["validate-plan", "whole.json"]),
        place.run_with(&["validate-plan", "-"], whole(PLAN).as_bytes()),
        place.run(&[&["validate-plan", "plan.json"], &parts[..]].concat()),
        place.run(&[&["validate-plan", "only-plan.json"], &parts[..]].concat()),
        place.run(&["validate-plan", "without-task.json", "--task", "task.json"]),
        place.run(&[
            "validate-plan",
            "plan.json",
            "--task",
            "task.json",
            "--capabilities",
            "capabilities.yaml",
        ]),
        place.run_with(
            &["validate-plan", "plan.json", "--task", "-", "--capabilities", "capabilities.json"],
            TASK.as_bytes(),
        ),
        place.run_with(
            &[&["validate-plan", "-", "--ndjson"], &parts[..]].concat(),
            format!("\n{}\n", PLAN.replace('\n', " ")).as_bytes(),
        ),
    ] {
        answered(&run, Operation::ValidatePlan, &whole(PLAN));
    }
    let with_facets = format!("{},\"facets\":[]}}", whole(PLAN).strip_suffix('}').unwrap());
    let run = place.run(&["validate-plan", "whole.json", "--facets", "facets.json"]);
    answered(&run, Operation::ValidatePlan, &with_facets);
    let earlier = Operation::ValidatePlan.call(whole(PLAN).as_bytes()).unwrap();
    let payload =
        earlier.strip_prefix(r#"{"event":"plan_generated","payload":"#).unwrap().strip_suffix('}').unwrap();
    place.file("previous.json", payload);
    let run = place.run(&["validate-plan", "whole.json", "--previous", "previous.json"]);
    let updated = format!("{},\"previous\":{payload}}}", whole(PLAN).strip_suffix('}').unwrap());
    assert!(run.stdout.starts_with(r#"{"event":"plan_updated""#), "{}", run.stdout);
    answered(&run, Operation::ValidatePlan, &updated);
    let run = place.run(&["validate-plan", "whole.json", "--previous", "previous.json", "--format", "table"]);
    assert!(
        run.stdout.contains("Since the earlier answer 0 resolved, 0 introduced, 1 unchanged"),
        "{}",
        run.stdout
    );
}

#[test]
fn diagnostics_are_merged_with_or_without_what_is_around_them() {
    let place = TestFolder::new();
    let call = format!(r#"{{"diagnostics":[{DIAGNOSTIC},{DIAGNOSTIC}]}}"#);
    let list = format!(" [{DIAGNOSTIC},{DIAGNOSTIC}]\n");
    for run in [
        place.run_with(&["merge-diagnostics", "-"], call.as_bytes()),
        place.run_with(&["merge-diagnostics", "-"], list.as_bytes()),
        place.run_with(&["merge-diagnostics", "-", "--ndjson"], list.as_bytes()),
    ] {
        answered(&run, Operation::MergeDiagnostics, &call);
    }
}

#[test]
fn an_output_is_held_against_its_contract() {
    let place = place();
    let call = |output: &str| format!(r#"{{"outputContract":{CONTRACT},"output":{output}}}"#);
    let own = r#"{"score":0.5,"output":1,"outputContract":2}"#;
    let run = place.run_with(&["observe-output", "-"], call(own).as_bytes());
    answered(&run, Operation::ObserveOutput, &call(own));
    // Any value with a contract is the output.
    let run = place.run(&["observe-output", "output.json", "--contract", "contract.json"]);
    answered(&run, Operation::ObserveOutput, &call(own));
    for output in ["null", "[]", "1", r#"{"output":{"score":1}}"#] {
        let run = place.run_with(&["observe-output", "-", "--contract", "contract.json"], output.as_bytes());
        answered(&run, Operation::ObserveOutput, &call(output));
    }
}

#[test]
fn guardrails_are_applied_to_events() {
    let place = place();
    let event = r#"{"kind":"onNodeComplete"}"#;
    let call = |state: &str| format!(r#"{{"policies":{POLICIES},"event":{event}{state}}}"#);
    let spent = r#","state":{"retries":{"again":2}}"#;
    let run = place.run(&["apply-guardrails", "event.json", "--policies", "policies.json"]);
    answered(&run, Operation::ApplyGuardrails, &call(""));
    for run in [
        place.run_with(&["apply-guardrails", "-"], call(spent).as_bytes()),
        place.run(&[
            "apply-guardrails",
            "event.json",
            "--policies",
            "policies.json",
            "--state",
            "state.json",
        ]),
        place.run(&["apply-guardrails", "event-and-state.json", "--policies", "policies.json"]),
    ] {
        answered(&run, Operation::ApplyGuardrails, &call(spent));
    }
}

#[test]
fn the_exit_status_tells_what_follows() {
    let place = place();
    let exit = |args: &[&str], input: &str| {
        let run = place.run_with(&[args, &["-", "--exit-status"]].concat(), input.as_bytes());
        assert_eq!(run.stderr, "");
        // Without the option an answer is an answer.
        assert_eq!(place.run_with(&[args, &["-"]].concat(), input.as_bytes()).status, Some(0));
        run.status
    };
    let met = PLAN.replace(r#"["min_qa"]"#, r#"["min_qa","two"]"#);
    let unreviewed = PLAN.replace("Reviewer", "Strategy");
    for (plan, status) in [(met.as_str(), 0), (PLAN, 10), (unreviewed.as_str(), 11)] {
        assert_eq!(exit(&["validate-plan"], &whole(plan)), Some(status), "{plan}");
    }
    let soft = DIAGNOSTIC.replace("hard", "soft");
    for (list, status) in [(String::new(), 0), (soft, 10), (DIAGNOSTIC.to_owned(), 11)] {
        assert_eq!(exit(&["merge-diagnostics"], &format!("[{list}]")), Some(status), "{list}");
    }
    for (output, status) in [(r#"{"score":0.8}"#, 0), (r#"{"score":0.7}"#, 10), ("{}", 11)] {
        assert_eq!(
            exit(&["observe-output", "--contract", "contract.json"], output),
            Some(status),
            "{output}"
        );
    }
    for (event, status) in [
        (r#"{"kind":"onValidationFail"}"#, 0),
        (r#"{"kind":"onStart"}"#, 0),
        (r#"{"kind":"onNodeComplete"}"#, 10),
        (r#"{"kind":"onTimeout","elapsedMs":10}"#, 11),
        (r#"{"kind":"manual"}"#, 13),
    ] {
        assert_eq!(
            exit(&["apply-guardrails", "--policies", "policies.json"], event),
            Some(status),
            "{event}"
        );
    }
    // The most severe line decides, and an error is more severe than any answer.
    let lines = ["[]", &format!("[{DIAGNOSTIC}]"), "[]"].join("\n");
    let run = |lines: &str| {
        place.run_with(&["merge-diagnostics", "-", "--ndjson", "--exit-status"], lines.as_bytes()).status
    };
    assert_eq!((run(&lines), run(&format!("{lines}\n[1]"))), (Some(11), Some(2)));
}

#[test]
fn yaml_and_pretty_are_for_these_too() {
    let place = place();
    let call = format!(r#"{{"outputContract":{CONTRACT},"output":{{"score":1}}}}"#);
    place.file("output.yml", "score: 1\n");
    let run = place.run(&["observe-output", "output.yml", "--contract", "contract.json"]);
    answered(&run, Operation::ObserveOutput, &call);
    let run = place.run_with(&["observe-output", "-", "--format", "pretty"], call.as_bytes());
    assert!(run.stdout.starts_with("{\n  \"status\": \"accepted\",\n"), "{run:?}");
}

#[test]
fn help_has_an_example_and_the_statuses() {
    for (verb, statuses) in [
        ("validate-plan", "0 accepted, 10 accepted_with_findings, 11 rejected"),
        ("merge-diagnostics", "0 accepted, 10 accepted_with_findings, 11 rejected"),
        ("observe-output", "0 accepted, 10 accepted_with_findings, 11 rejected"),
        ("apply-guardrails", "0 none or `emit`, 10 `retry`, 11 `pause`, `replan` or `fail`, 13 `hitl`"),
        ("schema", "141"),
    ] {
        let help = TestFolder::new().run(&[verb, "--help"]);
        assert_eq!(help.status, Some(0));
        assert!(help.stdout.contains(statuses) && help.stdout.contains("Example"), "{}", help.stdout);
        let has_pictures = help.stdout.contains("mermaid");
        assert_eq!(has_pictures, verb == "validate-plan", "{}", help.stdout);
    }
}
