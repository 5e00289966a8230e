//! `validate-plan`, `merge-diagnostics`, `observe-output` and `apply-guardrails`: whole or in parts, the answers are the
//! engine's.

use adjudicate_core::Operation;

use crate::{
    command::{Run, TestFolder},
    modules::replying_with,
};

const TASK: &str = r#"{"objective":"two posts","outputContract":{
    "schema":{"type":"object","required":["copy","review"]},
    "constraints":[{"constraintId":"min_qa","level":"hard","expr":{">=":[{"var":"review.score"},0.8]}},
        {"constraintId":"two","level":"soft","expr":{"==":[{"length":[{"var":"copy"}]},2]}}]}}"#;

/// Brief, two copies, review and publication; `soft` is left open.
const PLAN: &str = r#"{"planVersion":3,"nodes":[
    {"nodeId":"brief","capabilityId":"Strategy"},
    {"nodeId":"copy-a","capabilityId":"Copywriter"},
    {"nodeId":"copy-b","capabilityId":"Copywriter"},
    {"nodeId":"qa","capabilityId":"Reviewer","enforces":["min_qa"]}],
    "edges":[{"from":"brief","to":"copy-a"},{"from":"brief","to":"copy-b"},{"from":"copy-a","to":"qa"},
        {"from":"copy-b","to":"qa"}]}"#;

const CAPABILITIES: &str = r#"[{"capabilityId":"Strategy","outputFacets":["brief"]},
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

/// Returns the answer in a format.
pub(crate) fn shown(verb: &str, format: &str, input: &str) -> String {
    let run = TestFolder::new().run_with(&[verb, "-", "--format", format], input.as_bytes());
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    run.stdout
}

/// A place with the parts of calls in files of their own.
fn place() -> TestFolder {
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

const PLANNER: &str = r#"{"abi":1,"name":"planner","version":"0.1.0","operations":["validate_plan"]}"#;

#[test]
fn a_modules_answers_are_shown_and_led_back_alike() {
    let place = TestFolder::new();
    let answer = adjudicate_core::Operation::ValidatePlan.call(whole(PLAN).as_bytes()).unwrap();
    let run = |reply: &str, more: &[&str]| {
        let module = place.file("module.wasm", replying_with(PLANNER, reply, ""));
        place.file("plan.json", PLAN);
        place.file("task.json", TASK);
        place.file("capabilities.json", CAPABILITIES);
        let args =
            ["validate-plan", "plan.json", "--task", "task.json", "--capabilities", "capabilities.json"];
        place.run(&[&args[..], &["--module", &module], more].concat())
    };
    let good = format!(r#"{{"ok":{answer}}}"#);
    for format in ["table", "dot", "mermaid"] {
        let run = run(&good, &["--format", format]);
        assert_eq!((run.status, run.stdout), (Some(0), shown("validate-plan", format, &whole(PLAN))));
    }
    assert_eq!(run(&good, &["--exit-status"]).status, Some(10));
    let refused = run(r#"{"error":{"code":"own_code","message":"m","path":"/task/x-y"}}"#, &[]);
    assert_eq!((refused.code().as_str(), refused.status), ("own_code", Some(2)));
    assert!(refused.stderr.contains(r#""message":"task: m","path":"/x-y""#), "{refused:?}");
    let lying = run(r#"{"ok":{"event":"plan_generated","payload":{}}}"#, &["--format", "dot"]);
    assert_eq!((lying.code().as_str(), lying.status), ("module_invalid_decision", Some(3)));
}
