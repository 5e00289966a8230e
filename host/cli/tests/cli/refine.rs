//! `refine`: the same whole or taken apart.

use adjudicate_core::Operation;

use crate::command::{ENVELOPE, POLICY, TestFolder, answer, answer_by_policy};

fn refined(input: &str) -> String {
    format!("{}\n", Operation::Refine.call(input.as_bytes()).unwrap())
}

#[test]
fn whole_or_apart_the_answer_is_the_same() {
    let place = TestFolder::new();
    let evaluation = answer_by_policy();
    let whole = format!(r#"{{"envelope":{ENVELOPE},"policy":{POLICY},"evaluation":{evaluation}}}"#);
    place.file("whole.json", &whole);
    place.file("envelope.json", ENVELOPE);
    place.file("policy.json", POLICY);
    place.file("policy.yaml", "policy: strict\nversion: 1.0.0\nforbidden_paths: [src/**]\n");
    place.file("evaluation.json", &evaluation);
    let expected = refined(&whole);
    assert!(expected.contains(r#""reason":"unsafe""#), "{expected}");
    for run in [
        place.run(&["refine", "whole.json"]),
        place.run_with(&["refine", "-"], whole.as_bytes()),
        place.run(&["refine", "envelope.json", "--policy", "policy.json", "--evaluation", "evaluation.json"]),
        place.run(&["refine", "envelope.json", "--policy", "policy.yaml"]),
        place.run_with(
            &["refine", "envelope.json", "--policy", "policy.json", "--evaluation", "-"],
            evaluation.as_bytes(),
        ),
        place.run_with(&["refine", "-", "--ndjson"], format!("\n{whole}\n").as_bytes()),
    ] {
        assert_eq!((run.status, run.stderr.as_str(), run.stdout.as_str()), (Some(0), "", expected.as_str()));
    }
    place.file("own.json", answer(ENVELOPE));
    let run = place.run(&["refine", "envelope.json", "--evaluation", "own.json"]);
    assert_eq!((run.status, run.stdout), (Some(0), refined(&format!(r#"{{"envelope":{ENVELOPE}}}"#))));
}

#[test]
fn a_table_shows_the_refinement_or_the_reason_for_none() {
    let place = TestFolder::new();
    let failing = ENVELOPE
        .replace(r#""exit_codes":{"test":0}"#, r#""exit_codes":{"test":101}"#)
        .replace(r#""artifacts":[]"#, r#""artifacts":["logs/test.txt"]"#);
    let table = |envelope: &str| {
        let whole = format!(r#"{{"envelope":{envelope}}}"#);
        let run = place.run_with(&["refine", "-", "--format", "table"], whole.as_bytes());
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
        assert!(run.stdout.lines().all(|line| line.chars().count() <= 80), "{}", run.stdout);
        run.stdout
    };
    let text = table(&failing);
    assert!(text.starts_with("REFINE  make these checks pass: `test`\n"), "{text}");
    for words in [
        "logs/test.txt",
        "refinement_requested",
        "verify    test gives exit code 0",
        "1 of 1 refinement spent",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let text = table(ENVELOPE);
    assert!(text.starts_with("NO REFINEMENT because: success\n"), "{text}");
}

#[test]
fn errors_have_their_code_and_status() {
    let place = TestFolder::new();
    place.file("envelope.json", ENVELOPE);
    place.file("policy.json", POLICY);
    place.file("own.json", answer(ENVELOPE));
    place.file("other.json", answer_by_policy());
    place.file("empty.json", "");
    for (args, code, status) in [
        (&["refine", "envelope.json"][..], "unknown_field", 2),
        (&["refine", "empty.json"], "malformed_json", 2),
        (&["refine", "envelope.json", "--evaluation", "other.json"], "invalid_value", 2),
        (&["refine", "envelope.json", "--evaluation", "empty.json"], "malformed_json", 2),
        (&["refine", "envelope.json", "--evaluation", "missing"], "unreadable_input", 2),
        (&["refine", "envelope.json", "--policy", "."], "unreadable_input", 2),
        (&["refine", "envelope.json", "--policy", "own.json"], "unknown_field", 2),
        (&["refine"], "wrong_usage", 64),
        (&["refine", "-", "--evaluation", "-"], "wrong_usage", 64),
        (&["refine", "x", "--policy", "-", "--evaluation", "-"], "wrong_usage", 64),
        (&["refine", "-", "--ndjson", "--evaluation", "own.json"], "wrong_usage", 64),
    ] {
        let run = place.run(args);
        assert_eq!((run.code().as_str(), run.status), (code, Some(status)), "{args:?}");
    }
}
