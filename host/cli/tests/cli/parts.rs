//! Errors in parts of a call name the file of the part.

use crate::{
    command::ENVELOPE,
    plans::{PLAN, TASK, place, whole},
};

#[test]
fn errors_name_the_part_that_they_are_in_and_point_into_it() {
    let place = place();
    place.file("bad-task.json", TASK.replace(r#""level":"soft""#, r#""level":"mild""#));
    place.file("bad-list.json", r#"[{"capabilityId":"a"},{"capabilityId":""}]"#);
    place.file("bad-plan.json", r#"{"nodes":[{"nodeId":1}],"edges":[]}"#);
    place.file("bad-policies.json", r#"[{"id":"a","trigger":{"kind":"manual"},"action":{"type":"goto"}}]"#);
    place.file("bad-contract.json", r#"{"schema":true,"constraints":[{"level":"hard","expr":{"nope":1}}]}"#);
    place.file("escaped.json", format!(r#"{{"plan":{PLAN},"\u0074ask":{TASK}}}"#));
    place.file("null.json", "null");
    place.file("torn.json", "{");
    place.file("torn.yaml", "{");
    let plan = ["validate-plan", "plan.json", "--task", "task.json", "--capabilities", "capabilities.json"];
    let with = |at: usize, file: &'static str| {
        let mut args = plan;
        args[at] = file;
        place.run(&args)
    };
    for (run, code, message, path) in [
        (with(3, "bad-task.json"), "invalid_value", "task: ", "/outputContract/constraints/1/level"),
        (with(5, "bad-list.json"), "invalid_value", "capabilities: ", "/1/capabilityId"),
        (with(1, "bad-plan.json"), "invalid_value", "plan: ", "/nodes/0/nodeId"),
        (with(3, "torn.json"), "malformed_json", "task: ", ""),
        (with(1, "torn.json"), "malformed_json", "plan: ", ""),
        (with(3, "torn.yaml"), "malformed_yaml", "task: ", ""),
        (with(1, "torn.yaml"), "malformed_yaml", "plan: ", ""),
        (with(5, "null.json"), "invalid_value", "capabilities: expected a document, found null", ""),
        (with(1, "null.json"), "invalid_value", "plan: expected a document, found null", ""),
        (
            with(1, "whole.json"),
            "invalid_value",
            "`task` is given apart, and the document has it too",
            "/task",
        ),
        (
            with(1, "escaped.json"),
            "invalid_value",
            "`task` is given apart, and the document has it too",
            "/task",
        ),
        (
            place.run(&["validate-plan", "plan.json", "--capabilities", "capabilities.json"]),
            "missing_field",
            "missing field `task`",
            "/task",
        ),
        (
            place.run(&["apply-guardrails", "event.json", "--policies", "bad-policies.json"]),
            "invalid_policy",
            "policies: ",
            "/0/action/type",
        ),
        (
            place.run(&["apply-guardrails", "null.json", "--policies", "policies.json"]),
            "invalid_value",
            "event: ",
            "",
        ),
        (
            place.run(&["observe-output", "output.json", "--contract", "bad-contract.json"]),
            "invalid_expression",
            "outputContract: ",
            "/constraints/0/expr",
        ),
        // One file, and a pointer into what it is.
        (
            place.run_with(&["merge-diagnostics", "-"], b"[{}]"),
            "missing_field",
            "missing field",
            "/0/severity",
        ),
        (
            place.run_with(&["merge-diagnostics", "-"], br#"{"diagnostics":[{}]}"#),
            "missing_field",
            "missing field",
            "/diagnostics/0/severity",
        ),
        (
            place.run_with(&["validate-plan", "-"], whole(r#"{"nodes":[],"edges":1}"#).as_bytes()),
            "invalid_value",
            "expected a list",
            "/plan/edges",
        ),
    ] {
        assert_eq!((run.code().as_str(), run.status), (code, Some(2)), "{run:?}");
        let error: serde_json::Value = serde_json::from_str(&run.stderr).unwrap();
        assert_eq!(error["error"]["path"], path, "{run:?}");
        assert!(error["error"]["message"].as_str().unwrap().starts_with(message), "{run:?}");
    }
}

#[test]
fn a_whole_call_with_a_part_of_it_is_rejected() {
    let place = place();
    place.file("schema.json", r#"{"type":"string"}"#);
    place.file("envelope-and-trace.json", format!(r#"{{"envelope":{ENVELOPE},"trace":true}}"#));
    let observation = r#"{"x-note":0,"output":1,"outputContract":{"schema":true}}"#;
    let validation = r#"{"schema":true,"instance":1,"draft":"7"}"#;
    for (args, call, twice) in [
        (&["observe-output", "-", "--contract", "contract.json"][..], observation, "outputContract"),
        (&["schema", "-", "--schema", "schema.json"], validation, "schema"),
        (&["validate-plan", "-", "--task", "task.json"], &whole(PLAN), "task"),
        (
            &["apply-guardrails", "-", "--policies", "policies.json"],
            r#"{"event":{"kind":"manual"},"policies":[]}"#,
            "policies",
        ),
        (&["explain", "envelope-and-trace.json", "--trace"], "", "trace"),
    ] {
        let run = place.run_with(args, call.as_bytes());
        assert_eq!((run.code().as_str(), run.status), ("invalid_value", Some(2)), "{run:?}");
        let message =
            format!(r#""message":"`{twice}` is given apart, and the document has it too","path":"/{twice}""#);
        assert!(run.stderr.contains(&message), "{run:?}");
    }
    // A document that is not a complete call is the output or the instance, with any field names.
    for (args, instance, answer) in [
        (&["schema", "-", "--schema", "schema.json"][..], r#"{"instance":"a"}"#, r#"{"valid":false,"#),
        (
            &["schema", "-", "--schema", "schema.json"],
            r#"{"instance":"a","draft":"7"}"#,
            r#"{"valid":false,"#,
        ),
        (
            &["schema", "-", "--schema", "schema.json"],
            r#"{"instance":"a","schema":1,"a":1}"#,
            r#"{"valid":false,"#,
        ),
        (
            &["observe-output", "-", "--contract", "contract.json"],
            r#"{"score":1,"outputContract":1}"#,
            r#"{"status":"accepted","#,
        ),
    ] {
        let run = place.run_with(args, instance.as_bytes());
        assert!(run.status == Some(0) && run.stdout.starts_with(answer), "{instance}: {run:?}");
    }
}

#[test]
fn a_broken_part_is_one_error_and_not_one_a_line() {
    let place = place();
    place.file("bad.json", r#"[{"capabilityId":""}]"#);
    let line = PLAN.replace('\n', " ");
    let lines = [line.as_str(), "{}", &line].join("\n");
    let run = |capabilities: &str| {
        let parts = ["--task", "task.json", "--capabilities", capabilities];
        place.run_with(&[&["validate-plan", "-", "--ndjson"], &parts[..]].concat(), lines.as_bytes())
    };
    let broken = run("bad.json");
    assert_eq!((broken.code().as_str(), broken.status), ("invalid_value", Some(2)));
    assert!(broken.stderr.contains(r#""message":"capabilities: "#), "{broken:?}");
    // A line that is wrong is only that.
    let replies = run("capabilities.json");
    assert_eq!(replies.status, Some(2));
    let starts = [r#"{"event":"#, r#"{"error":{"code":"missing_field","message":"plan: "#, r#"{"event":"#];
    assert!(replies.stdout.lines().zip(starts).all(|(line, start)| line.starts_with(start)), "{replies:?}");
}

#[test]
fn garbage_is_refused() {
    let place = place();
    for verb in ["validate-plan", "merge-diagnostics", "observe-output", "apply-guardrails"] {
        for (input, code) in [
            (&b""[..], "malformed_json"),
            (b"\xff\xfe", "malformed_json"),
            (b"{}{}", "malformed_json"),
            (br#"{"a":1,"a":2}"#, "duplicate_key"),
            (br#"{"plam":{}}"#, "unknown_field"),
            (b"{}", "missing_field"),
            (b"7", "invalid_value"),
            (&b"[".repeat(200), "limit_exceeded"),
        ] {
            let run = place.run_with(&[verb, "-"], input);
            let input = String::from_utf8_lossy(input);
            assert_eq!((run.code().as_str(), run.status), (code, Some(2)), "{verb} {input}");
        }
        for (args, code, status) in [
            (&[verb, "missing.json"][..], "unreadable_input", 2),
            (&[verb, "."], "unreadable_input", 2),
            (&[verb], "wrong_usage", 64),
            (&[verb, "x.yaml", "--ndjson"], "wrong_usage", 64),
            (&[verb, "-", "--format", "svg"], "wrong_usage", 64),
            (&[verb, "-", "--policy", "x"], "wrong_usage", 64),
        ] {
            let run = place.run(args);
            assert_eq!((run.code().as_str(), run.status), (code, Some(status)), "{args:?}");
        }
    }
    for args in [
        &["validate-plan", "-", "--task", "-"][..],
        &["validate-plan", "x", "--task", "-", "--facets", "-"],
        &["observe-output", "-", "--contract", "-"],
        &["apply-guardrails", "x", "--policies", "-", "--state", "-"],
        &["validate-plan", "x", "--task", "a", "--task", "b"],
    ] {
        let run = place.run(args);
        assert_eq!((run.code().as_str(), run.status), ("wrong_usage", Some(64)), "{args:?}");
    }
    for option in ["--task", "--capabilities", "--facets", "--previous"] {
        let run = place.run(&["validate-plan", "plan.json", option, "missing.json"]);
        assert_eq!((run.code().as_str(), run.status), ("unreadable_input", Some(2)), "{option}");
    }
}
