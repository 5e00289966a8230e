//! `normalize-plan`, `verify-replay` and `deliberate`: the answers are the engine's, also of a log that is read line by line.

use adjudicate_core::Operation;

use crate::{
    command::{Run, TestFolder},
    modules::replying_with,
};

const SUBTASKS: &str = r#"[{"id":"look","action":"read","target":"a.rs","instruction":"look"},
    {"id":"mend","action":"edit","target":"a.rs","instruction":"mend"}]"#;

const PLAN: &str = r#"{"analysis":"","steps":[{"id":"look","description":"","intent":"investigate","target_files":[],
    "depends_on":[],"max_iterations":2}],"verification_strategy":{"commands":[],"success_criteria":"","max_retries":0},
    "complexity":"low","confidence":0.5,"x-note":1.0}"#;

const EVENTS: [&str; 4] = [
    r#"{"event":"PlanStart","step_count":1}"#,
    r#"{"event":"ToolCall","id":"1","step_id":"look"}"#,
    r#"{"event":"ToolResult","id":"1"}"#,
    r#"{"event":"StepComplete","step_id":"look","iterations":3}"#,
];

const RECEIPT: &str = r#"{"by":"us","verification_delta":5,"tool_calls":[{"id":"2","step_id":"no"}]}"#;

const TESTS: &str = r#"{"failing_before":3,"failing_after":1}"#;

const LEDGER: &str = r#"{"goal":"g","turns":[{"n":1,"confidence":0.5,"uncertainty":0.5,"consumed":{"wall_time_ms":400000}}],
    "question":{"text":"Which?","options":["a","b"],"unblocks":"the next step"}}"#;

fn place() -> TestFolder {
    let place = TestFolder::new();
    place.file("subtasks.json", SUBTASKS);
    place.file("call.json", format!(r#"{{"plan":{SUBTASKS}}}"#));
    place.file("plan.json", PLAN);
    place.file("answer.json", normalized(PLAN));
    place.file("events.jsonl", EVENTS.join("\n"));
    place.file("events.json", format!("\n [{}]\n", EVENTS.join(",\n")));
    place.file("replay.json", replay(&format!(r#","receipt":{RECEIPT}"#)));
    place.file("receipt.json", RECEIPT);
    place.file("tests.yaml", "failing_before: 3\nfailing_after: 1\n");
    place.file("ledger.json", LEDGER);
    place
}

fn normalized(plan: &str) -> String {
    Operation::NormalizePlan.call(format!(r#"{{"plan":{plan}}}"#).as_bytes()).unwrap()
}

/// The call with all events, and more.
fn replay(more: &str) -> String {
    format!(r#"{{"plan":{PLAN},"events":[{}]{more}}}"#, EVENTS.join(","))
}

#[track_caller]
fn answered(run: &Run, operation: Operation, call: &str) {
    let expected = format!("{}\n", operation.call(call.as_bytes()).unwrap());
    assert_eq!((run.status, run.stderr.as_str(), run.stdout.as_str()), (Some(0), "", expected.as_str()));
}

#[test]
fn a_plan_is_normalized_bare_or_in_a_call() {
    let place = place();
    let call = format!(r#"{{"plan":{SUBTASKS}}}"#);
    answered(&place.run(&["normalize-plan", "subtasks.json"]), Operation::NormalizePlan, &call);
    answered(&place.run(&["normalize-plan", "call.json"]), Operation::NormalizePlan, &call);
    let lines = format!("{}\n{}\n", SUBTASKS.replace('\n', " "), call.replace('\n', " "));
    let run = place.run_with(&["normalize-plan", "-", "--ndjson"], lines.as_bytes());
    let answer = Operation::NormalizePlan.call(call.as_bytes()).unwrap();
    assert_eq!(run.stdout, format!("{answer}\n{answer}\n"));
    let reported = format!(r#"{{"format":"adjutant","hash_mode":"serde_f32_compat","plan":{SUBTASKS}}}"#);
    for file in ["subtasks.json", "call.json"] {
        let args = ["normalize-plan", file, "--from", "adjutant", "--hash-mode", "serde_f32_compat"];
        answered(&place.run(&args), Operation::NormalizePlan, &reported);
    }
    // A plan may have a field of that name, too.
    let odd = r#"{"implementation_steps":["a"],"plan":1}"#;
    let run = place.run_with(&["normalize-plan", "-"], odd.as_bytes());
    answered(&run, Operation::NormalizePlan, &format!(r#"{{"plan":{odd}}}"#));
}

#[test]
fn a_plan_is_printed_in_the_requested_form() {
    let place = place();
    let to = |what: &str, file: &str| {
        let run = place.run(&["normalize-plan", file, "--to", what]);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{what}");
        serde_json::from_str::<serde_json::Value>(&run.stdout).unwrap()
    };
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(to("answer", "subtasks.json"), value(&normalized(SUBTASKS)));
    assert_eq!(to("planir", "subtasks.json"), value(&normalized(SUBTASKS))["plan"]);
    assert_eq!(to("source", "subtasks.json"), value(SUBTASKS));
    assert_eq!(to("source", "plan.json"), value(PLAN));
    let graph = to("plan_graph", "subtasks.json");
    assert_eq!((&graph["nodes"][1]["nodeId"], &graph["edges"]), (&value("\"mend\""), &value("[]")));
    // The reader of graphs accepts it.
    let file = place.file("graph.json", graph.to_string());
    let call = format!(
        r#"{{"task":{{"objective":"o","outputContract":{{"schema":true}}}},"plan":{graph},"capabilities":[]}}"#
    );
    let call = place.file("judged.json", call);
    assert_eq!(place.run(&["validate-plan", &call]).status, Some(0));
    let again = place.run(&["normalize-plan", &file, "--to", "planir", "--format", "table"]);
    assert!(again.stdout.contains("mend"), "{again:?}");
}

#[test]
fn a_replay_is_verified_whole_in_a_list_or_line_by_line() {
    let place = place();
    let call = replay(&format!(r#","receipt":{RECEIPT}"#));
    let beside = ["--plan", "plan.json", "--receipt", "receipt.json"];
    for run in [
        place.run(&["verify-replay", "replay.json"]),
        place.run(&[&["verify-replay", "events.jsonl"], &beside[..]].concat()),
        place.run(&[&["verify-replay", "events.json"], &beside[..]].concat()),
        place.run_with(&[&["verify-replay", "-"], &beside[..]].concat(), EVENTS.join("\r\n").as_bytes()),
        place.run(&["verify-replay", "events.jsonl", "--plan", "answer.json", "--receipt", "receipt.json"]),
    ] {
        answered(&run, Operation::VerifyReplay, &call);
    }
    let run = place.run(&["verify-replay", "replay.json", "--tests", "tests.yaml"]);
    answered(&run, Operation::VerifyReplay, &replay(&format!(r#","receipt":{RECEIPT},"tests":{TESTS}"#)));
    let run = place.run(&["verify-replay", "events.jsonl", "--plan", "plan.json", "--tests", "tests.yaml"]);
    answered(&run, Operation::VerifyReplay, &replay(&format!(r#","tests":{TESTS}"#)));
}

/// Blank lines are no events, and count as lines.
#[test]
fn a_finding_is_at_its_line_of_the_log() {
    let place = place();
    let log = format!("\n{}\n", EVENTS.join("\n\n"));
    let run = place.run_with(&["verify-replay", "-", "--plan", "plan.json"], log.as_bytes());
    assert!(run.stdout.contains(r#""path":"/events/3/iterations","line":8,"#), "{run:?}");
    for (log, code, message) in [
        ("\n{\"event\":\"PlanStart\"}", "missing_field", "line 2: missing field `step_count`"),
        ("{}\n", "missing_field", "line 1: "),
        (r#"{"event":"ToolResult","id":"1"}{"event":"ToolResult","id":"2"}"#, "malformed_json", "line 1: "),
        ("7", "invalid_value", "line 1: "),
        ("[7]", "invalid_value", "expected an object"),
        ("[", "malformed_json", ""),
    ] {
        let run = place.run_with(&["verify-replay", "-", "--plan", "plan.json"], log.as_bytes());
        assert_eq!((run.code().as_str(), run.status), (code, Some(2)), "{log} {run:?}");
        assert!(run.stderr.contains(message), "{log}: {run:?}");
    }
    // An empty log is one of no run.
    let run = place.run_with(&["verify-replay", "-", "--plan", "plan.json"], b"");
    answered(&run, Operation::VerifyReplay, &format!(r#"{{"plan":{PLAN},"events":[]}}"#));
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
    let answer = Operation::VerifyReplay.call(replay("").as_bytes()).unwrap();
    let manifest = r#"{"abi":1,"name":"constant","version":"0.1.0","operations":["verify_replay"]}"#;
    place.file("module.wasm", replying_with(manifest, &format!(r#"{{"ok":{answer}}}"#), ""));
    for log in ["events.jsonl", "events.json"] {
        // The host holds the answer against the call, so it is of that call.
        let run = place.run(&["verify-replay", log, "--plan", "plan.json", "--module", "module.wasm"]);
        answered(&run, Operation::VerifyReplay, &replay(""));
    }
    let two = format!("{}{}", EVENTS[0], EVENTS[0]);
    let run = place
        .run_with(&["verify-replay", "-", "--plan", "plan.json", "--module", "module.wasm"], two.as_bytes());
    assert_eq!(run.code(), "malformed_json");
}

#[test]
fn the_exit_status_can_follow_the_answer() {
    let place = place();
    let linked = EVENTS.join("\n").replace(":3}", ":2}");
    let verify = ["verify-replay", "-", "--plan", "plan.json", "--exit-status"];
    assert_eq!(place.run_with(&verify, linked.as_bytes()).status, Some(0));
    assert_eq!(place.run_with(&verify, EVENTS.join("\n").as_bytes()).status, Some(11));
    assert_eq!(place.run(&["verify-replay", "replay.json", "--exit-status"]).status, Some(11));
    assert_eq!(place.run(&["verify-replay", "replay.json"]).status, Some(0));
    let turn = r#"{"n":1,"confidence":0.5,"uncertainty":0.5}"#;
    let after = r#"{"n":2,"confidence":0.6,"uncertainty":0.4}"#;
    let certain = r#"{"n":1,"confidence":0.9,"uncertainty":0,"evidence_ids":["e"]}"#;
    let ready = r#""recommendation":{"text":"do","path_clear":true,"risks_documented":true}"#;
    let still = |n: u8| format!(r#"{{"n":{n},"confidence":0.5,"uncertainty":0.1}}"#);
    let still = [1, 2, 3].map(still).join(",");
    for (ledger, status) in [
        (format!(r#"{{"turns":[{turn}]}}"#), 0),
        (format!(r#"{{"turns":[{certain}],{ready}}}"#), 0),
        (format!(r#"{{"goal":"g","constraints":["c"],"initial_evidence":["e"],"turns":[{still}]}}"#), 10),
        (format!(r#"{{"turns":[{turn},{after}]}}"#), 13),
        (format!(r#"{{"turns":[{turn}],"budgets":{{"max_iterations":1}}}}"#), 11),
        (format!(r#"{{"turns":[{turn}],"risk":{{"level":2,"threshold":1}}}}"#), 13),
    ] {
        let run = place.run_with(&["deliberate", "-", "--exit-status"], ledger.as_bytes());
        assert_eq!(run.status, Some(status), "{ledger} {run:?}");
    }
}

#[test]
fn a_ledger_is_a_call() {
    let place = place();
    answered(&place.run(&["deliberate", "ledger.json"]), Operation::Deliberate, LEDGER);
    let run = place.run_with(&["deliberate", "-", "--ndjson"], LEDGER.replace('\n', " ").as_bytes());
    answered(&run, Operation::Deliberate, LEDGER);
}

#[test]
fn people_read_tables() {
    let place = place();
    for (args, start, words) in [
        (
            &["normalize-plan", "subtasks.json"][..],
            "sha256:",
            &[
                "2 steps",
                "2.  mend modify",
                "adjutant (detected by its fields)",
                "/steps/1/depends_on [] default",
                "no verify step and no command",
                "longest path   1",
            ][..],
        ),
        (
            &["verify-replay", "events.jsonl", "--plan", "plan.json", "--tests", "tests.yaml"],
            "NOT LINKED 1 finding\n",
            &["no hash of this plan is claimed", "2 fewer failing", "line 4", "iterations_exceeded"],
        ),
        (
            &["deliberate", "ledger.json"],
            "STOP budget_exhausted\n",
            &[
                "all time is used",
                "warning: goal, constraints and initial evidence are due",
                "400000/300000",
                "question        Which?",
                "contextual",
                "context missing",
            ],
        ),
    ] {
        let run = place.run(&[args, &["--format", "table"]].concat());
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
        assert!(run.stdout.starts_with(start), "{}", run.stdout);
        for words in words {
            assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
        }
    }
    let hostile = SUBTASKS.replace("look\"}", "\\u001b[31m\"}");
    let run = place.run_with(&["normalize-plan", "-", "--format", "table"], hostile.as_bytes());
    assert!(!run.stdout.contains('\u{1b}') && run.stdout.contains(r"\u{1b}[31m"), "{}", run.stdout);
}

#[test]
fn theater_is_a_warning_unless_it_decides() {
    let turn = |n, more: &str| {
        format!(r#"{{"n":{n},"confidence":0.2,"uncertainty":0.9,"consumed":{{"subagent_calls":1}}{more}}}"#)
    };
    let table = |last: &str| {
        let triad = r#""goal":"g","constraints":["c"],"initial_evidence":["e"]"#;
        let ledger = format!(r#"{{{triad},"turns":[{},{}]}}"#, turn(1, ""), turn(2, last));
        let run = place().run_with(&["deliberate", "-", "--format", "table"], ledger.as_bytes());
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
        run.stdout
    };
    let (theater, fruitless) = ("two turns in a row gathered evidence", "the turn made no progress");
    let continued = table(r#","evidence_ids":["new"]"#);
    assert!(continued.starts_with("CONTINUE\n"), "{continued}");
    assert!(
        continued.contains(&format!("  warning: {theater}")) && !continued.contains(fruitless),
        "{continued}"
    );
    let escalated = table("");
    assert!(escalated.starts_with("ESCALATE blocking_question\n"), "{escalated}");
    for reason in [theater, fruitless] {
        assert!(escalated.contains(&format!("\n  {reason}")), "{reason}: {escalated}");
    }
}

#[test]
fn garbage_is_refused() {
    let place = place();
    for verb in ["normalize-plan", "verify-replay", "deliberate"] {
        for (input, code) in [
            (&b""[..], "malformed_json"),
            (b"\xff\xfe", "malformed_json"),
            (b"{}{}", "malformed_json"),
            (br#"{"a":1,"a":2}"#, "duplicate_key"),
            (br#"{"plam":{}}"#, "unknown_field"),
            (b"7", "invalid_value"),
            (&b"[".repeat(200), "limit_exceeded"),
        ] {
            let run = place.run_with(&[verb, "-"], input);
            let input = String::from_utf8_lossy(input);
            assert_eq!((run.code().as_str(), run.status), (code, Some(2)), "{verb} {input} {run:?}");
        }
    }
    for args in [
        &["normalize-plan", "subtasks.json", "--from", "prose"][..],
        &["normalize-plan", "subtasks.json", "--hash-mode", "md5"],
        &["verify-replay", "-", "--plan", "-"],
        &["verify-replay", "events.jsonl", "--plan", "plan.json", "--ndjson"],
        &["verify-replay", "events.yaml", "--plan", "plan.json"],
        &["verify-replay", "events.jsonl", "--plan", "plan.json", "--input-format", "yaml"],
        &["deliberate"],
    ] {
        let run = place.run(args);
        assert_eq!((run.code().as_str(), run.status), ("wrong_usage", Some(64)), "{args:?} {run:?}");
    }
    for (args, message) in [
        (&["verify-replay", "events.jsonl", "--plan", "subtasks.json"][..], "plan: "),
        (
            &["verify-replay", "events.jsonl", "--plan", "plan.json", "--receipt", "subtasks.json"],
            "receipt: ",
        ),
        (&["verify-replay", "events.json", "--plan", "plan.json", "--tests", "plan.json"], "tests: "),
        (&["verify-replay", "events.jsonl", "--plan", "plan.json", "--tests", "receipt.json"], "tests: "),
    ] {
        let run = place.run(args);
        assert_eq!(run.status, Some(2), "{args:?}");
        assert!(run.stderr.contains(&format!(r#""message":"{message}"#)), "{args:?}: {run:?}");
    }
}
