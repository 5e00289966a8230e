//! `explain` and `facts`: the same bytes as the engine's, and pages to read.

use adjudicate_core::Operation;

use crate::command::{ENVELOPE, POLICY, TestFolder};

fn called(operation: Operation, input: &str) -> String {
    format!("{}\n", operation.call(input.as_bytes()).unwrap())
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
fn facts_whole_or_taken_apart() {
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
}
