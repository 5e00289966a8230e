//! `verify-replay`: a log that is longer than a call, and a log for a module.

use adjudicate_core::Operation;

use crate::{command::TestFolder, modules::replying_with};

const PLAN: &str = r#"{"analysis":"","steps":[{"id":"look","description":"","intent":"investigate","target_files":[],
    "depends_on":[],"max_iterations":2}],"verification_strategy":{"commands":[],"success_criteria":"","max_retries":0},
    "complexity":"low","confidence":0.5,"x-note":1.0}"#;

const EVENTS: [&str; 4] = [
    r#"{"event":"PlanStart","step_count":1}"#,
    r#"{"event":"ToolCall","id":"1","step_id":"look"}"#,
    r#"{"event":"ToolResult","id":"1"}"#,
    r#"{"event":"StepComplete","step_id":"look","iterations":3}"#,
];

/// A folder with the plan and the log in both forms.
fn place() -> TestFolder {
    let place = TestFolder::new();
    place.file("plan.json", PLAN);
    place.file("events.jsonl", EVENTS.join("\n"));
    place.file("events.json", format!("\n [{}]\n", EVENTS.join(",\n")));
    place
}

/// A log longer than the limit for a call is verified, if no module reads it as a whole.
#[test]
fn a_log_may_be_longer_than_a_call() {
    let place = place();
    let pairs = (0..150_000).map(|id| {
        format!("{{\"event\":\"ToolCall\",\"id\":\"c{id}\",\"step_id\":\"look\"}}\n{{\"event\":\"ToolResult\",\"id\":\"c{id}\"}}\n")
    });
    let log: String = std::iter::once(format!("{}\n", EVENTS[0])).chain(pairs).collect();
    assert!(log.len() > 8 << 20);
    let run = place.run_with(&["verify-replay", "-", "--plan", "plan.json"], log.as_bytes());
    assert!(run.stdout.starts_with(r#"{"linked":true,"#), "{run:?}");
    let list = format!("[{}]", log.trim_end().replace('\n', ","));
    let run = place.run_with(&["verify-replay", "-", "--plan", "plan.json"], list.as_bytes());
    assert_eq!((run.code().as_str(), run.status), ("limit_exceeded", Some(2)));
}

#[test]
fn a_module_is_given_the_whole_call() {
    let place = place();
    let call = format!(r#"{{"plan":{PLAN},"events":[{}]}}"#, EVENTS.join(","));
    let answer = Operation::VerifyReplay.call(call.as_bytes()).unwrap();
    let manifest = r#"{"abi":1,"name":"constant","version":"0.1.0","operations":["verify_replay"]}"#;
    place.file("module.wasm", replying_with(manifest, &format!(r#"{{"ok":{answer}}}"#), ""));
    for log in ["events.jsonl", "events.json"] {
        // The host holds the answer against the call, so it is of that call.
        let run = place.run(&["verify-replay", log, "--plan", "plan.json", "--module", "module.wasm"]);
        assert_eq!((run.status, run.stdout), (Some(0), format!("{answer}\n")), "{log}");
    }
    let two = format!("{}{}", EVENTS[0], EVENTS[0]);
    let run = place
        .run_with(&["verify-replay", "-", "--plan", "plan.json", "--module", "module.wasm"], two.as_bytes());
    assert_eq!(run.code(), "malformed_json");
}
