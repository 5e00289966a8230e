//! `explain` and `check-policy`: the same bytes as the engine's, and pages to read.

use adjudicate_core::Operation;

use crate::command::{ENVELOPE, POLICY, TestFolder};

fn called(operation: Operation, input: &str) -> String {
    format!("{}\n", operation.call(input.as_bytes()).unwrap())
}

fn failing() -> String {
    ENVELOPE
        .replace(r#""exit_codes":{"test":0}"#, r#""exit_codes":{"test":101}"#)
        .replace(r#""artifacts":[]"#, r#""artifacts":["logs/test.txt"]"#)
}

#[test]
fn an_explanation_whole_or_taken_apart() {
    let place = TestFolder::new();
    let whole = format!(r#"{{"envelope":{ENVELOPE},"policy":{POLICY}}}"#);
    let traced = format!(r#"{{"envelope":{ENVELOPE},"policy":{POLICY},"trace":true}}"#);
    place.file("envelope.json", ENVELOPE);
    place.file("policy.json", POLICY);
    place.file("whole.json", &whole);
    let explained = |input: &str| called(Operation::Explain, input);
    assert!(explained(&traced).contains(r#""verdict":"fired""#));
    for (args, input) in [
        (&["explain", "envelope.json"][..], ENVELOPE),
        (&["explain", "whole.json"], &whole),
        (&["explain", "envelope.json", "--policy", "policy.json"], &whole),
        (&["explain", "whole.json", "--trace"], &traced),
        (&["explain", "envelope.json", "--policy", "policy.json", "--trace"], &traced),
        (&["explain", "envelope.json", "--trace"], &format!(r#"{{"envelope":{ENVELOPE},"trace":true}}"#)),
    ] {
        let run = place.run(args);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{args:?}");
        assert_eq!(run.stdout, explained(input), "{args:?}");
    }
    let run =
        place.run_with(&["explain", "-", "--ndjson", "--trace"], format!("{ENVELOPE}\n{whole}\n").as_bytes());
    assert_eq!((run.status, run.stdout.lines().count()), (Some(0), 2));
    assert!(run.stdout.ends_with(&explained(&traced)));
}

#[test]
fn facts_whole_or_taken_apart_and_as_a_table() {
    let place = TestFolder::new();
    let whole = format!(r#"{{"envelope":{ENVELOPE},"policy":{POLICY}}}"#);
    place.file("envelope.json", ENVELOPE);
    place.file("policy.json", POLICY);
    for (args, input) in [
        (&["facts", "envelope.json"][..], ENVELOPE),
        (&["facts", "envelope.json", "--policy", "policy.json"], &whole),
    ] {
        let run = place.run(args);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{args:?}");
        assert_eq!(run.stdout, called(Operation::Facts, input), "{args:?}");
    }
    let run = place.run(&["facts", "envelope.json", "--format", "table"]);
    let line = run.stdout.lines().find(|line| line.contains("facts.outcome")).unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(words, ["facts.outcome", r#""completed""#]);
}

#[test]
fn a_table_shows_reasons_overruled_rules_and_counterfactuals() {
    let place = TestFolder::new();
    place.file("policy.json", POLICY);
    let table = |envelope: &str, more: &[&str]| {
        let args = [&["explain", "-", "--format", "table"], more].concat();
        let run = place.run_with(&args, envelope.as_bytes());
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{more:?}");
        assert!(run.stdout.lines().all(|line| line.chars().count() <= 80), "{}", run.stdout);
        run.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let text = table(&failing(), &[]);
    assert!(text.starts_with("PARTIAL next step: fix in the role fix, by the step's name Why"), "{text}");
    for words in [
        "expected 0 actual 101",
        "1. replace /evidence/validation/exit_codes/test 101 -> 0",
        "then success next step: publish",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(!text.contains("Every rule"), "{text}");
    let text = table(&failing(), &["--policy", "policy.json", "--trace"]);
    for words in [
        "validation_failed calls for partial and is overruled by policy_violation",
        "Overruled findings policy_violation unsafe over validation_failed partial",
        "Every rule fired policy_violation",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(table(ENVELOPE, &[]).contains("no findings"));
}

#[test]
fn a_policy_is_checked_bare_or_in_a_call() {
    let place = TestFolder::new();
    let doubtful = r#"{"policy":"p","version":"1.0.0","rules":[{"id":"a","when":{"var":"facts.diff.empty"},
        "then":{"status":"blocked","summary":"s","fix":{"target":"t","action":"a","rationale":"r"}}}]}"#;
    let call = format!(r#"{{"policy":{doubtful}}}"#);
    place.file("policy.json", doubtful);
    place.file("call.json", &call);
    let expected = called(Operation::CheckPolicy, &call);
    assert!(expected.contains("unused_fix"), "{expected}");
    for file in ["policy.json", "call.json"] {
        let run = place.run(&["check-policy", file]);
        assert_eq!(
            (run.status, run.stderr, run.stdout),
            (Some(0), String::new(), expected.clone()),
            "{file}"
        );
    }
    let lines = format!("{}\n{}\n", doubtful.replace('\n', ""), POLICY);
    let run = place.run_with(&["check-policy", "-", "--ndjson"], lines.as_bytes());
    assert_eq!((run.status, run.stdout), (Some(0), format!("{expected}{{\"findings\":[]}}\n")));
    let run = place.run(&["check-policy", "policy.json", "--format", "table"]);
    assert!(run.stdout.contains("warning   unused_fix at /rules/0/then/fix\n"), "{}", run.stdout);
    let run = place.run_with(&["check-policy", "-", "--format", "table"], POLICY.as_bytes());
    assert_eq!(run.stdout, "nothing found\n");
}

#[test]
fn errors_have_their_code_and_status() {
    let place = TestFolder::new();
    place.file("envelope.json", ENVELOPE);
    place.file("policy.json", POLICY);
    place.file("empty.json", "");
    place.file("nan.json", r#"{"policy":"p","version":NaN}"#);
    place.file("twice.json", r#"{"policy":"p","version":"1.0.0","policy":"p"}"#);
    for (args, code, status) in [
        (&["explain", "empty.json"][..], "malformed_json", 2),
        (&["explain", "empty.json", "--trace"], "malformed_json", 2),
        (&["explain", "policy.json"], "unknown_field", 2),
        (&["explain", "missing"], "unreadable_input", 2),
        (&["explain", "."], "unreadable_input", 2),
        (&["explain", "envelope.json", "--policy", "envelope.json"], "unknown_field", 2),
        (&["explain", "-", "--policy", "-"], "wrong_usage", 64),
        (&["explain"], "wrong_usage", 64),
        (&["explain", "--code", "no_such_code"], "wrong_usage", 64),
        (&["explain", "--code", "unchecked", "envelope.json"], "wrong_usage", 64),
        (&["check-policy", "empty.json"], "malformed_json", 2),
        (&["check-policy", "nan.json"], "malformed_json", 2),
        (&["check-policy", "twice.json"], "duplicate_key", 2),
        (&["check-policy", "envelope.json"], "unknown_field", 2),
        (&["check-policy", "missing"], "unreadable_input", 2),
        (&["check-policy", "policy.json", "--policy", "policy.json"], "wrong_usage", 64),
        (&["check-policy"], "wrong_usage", 64),
    ] {
        let run = place.run(args);
        assert_eq!((run.code().as_str(), run.status), (code, Some(status)), "{args:?}");
    }
}

#[test]
fn a_code_is_explained_by_its_section_of_the_reference() {
    let place = TestFolder::new();
    for (code, parts) in [
        (
            "unknown_field",
            &[
                "unknown_field (error): ",
                "HTTP: 422",
                "To resolve it: Correct the name",
                "error-codes.md#unknown_field\n",
            ][..],
        ),
        (
            "unchecked",
            &[
                "unchecked (rule): ",
                "Fires if all of these hold:",
                "To resolve: run a check",
                "rules/unchecked.md\n",
            ],
        ),
        // A blocker of another name.
        ("goldens_need_approval", &["goldens (rule): ", "rules/goldens.md\n"]),
        (
            "dead_rule",
            &["dead_rule (finding of `check`): ", "the condition never holds", "policies.md#check_policy\n"],
        ),
        ("cycle", &["cycle (diagnostic of a plan): ", "plans.md#structure\n"]),
        // An error and a diagnostic of one name.
        ("invalid_schema", &["invalid_schema (error): ", "invalid_schema (diagnostic of a plan): "]),
    ] {
        let run = place.run(&["explain", "--code", code]);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{code}");
        for part in parts {
            assert!(run.stdout.contains(part), "{code}: {part}: {}", run.stdout);
        }
    }
    let misspelt = place.run(&["explain", "--code", "validaton_failed"]);
    assert!(
        misspelt.stderr.contains("unknown code `validaton_failed`, did you mean `validation_failed`?"),
        "{misspelt:?}"
    );
}
