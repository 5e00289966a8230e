//! Errors on a terminal: text, with an excerpt of the document at fault.

use crate::command::{ENVELOPE, TestFolder};

/// A policy in YAML whose second rule has an unknown field.
const POLICY: &str = "policy: p\nversion: 1.0.0\nrules:\n  - id: r\n    wen: true\n";

#[test]
fn an_error_in_a_file_has_its_place_and_an_excerpt() {
    let place = TestFolder::new();
    let envelope = place.file("envelope.json", ENVELOPE);
    place.file("policy.yaml", POLICY);
    let run = place.run_on_terminal(&["evaluate", &envelope, "--policy", "policy.yaml"], b"");
    let expected = "\
error[unknown_field]: unknown field `wen`, did you mean `when`?
 --> policy.yaml:5:5
  |
5 |     wen: true
  |     ^^^

error[missing_field]: missing field `then`
 --> policy.yaml:4:5
  |
4 |   - id: r
  |     ^^^^^
";
    assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (Some(2), "", expected));
}

#[test]
fn an_error_in_a_call_points_into_its_parts() {
    let place = TestFolder::new();
    let call = format!("{{\n\"envelope\": {ENVELOPE},\n\"policy\": {{\"policy\": 7}}\n}}");
    let place_of = |call: &str| {
        let run = place.run_on_terminal(&["evaluate", "-"], call.as_bytes());
        let place = run.stderr.lines().find_map(|line| line.trim_start().strip_prefix("--> "));
        place.map(str::to_owned).unwrap_or(run.stderr)
    };
    assert_eq!(place_of(&call), "standard input:3:22");
    assert_eq!(place_of("{\n\"envelope\": {\n\"run\": 1}}"), "standard input:3:1");
    assert_eq!(place_of("{\n  \"run\": 1}"), "standard input:2:3");
    assert_eq!(place_of("{\n  \"a\": 1,\n}"), "standard input:3:1");
    assert_eq!(place_of("[]"), "standard input:1:1");
}

#[test]
fn an_error_of_no_document_is_one_line() {
    let place = TestFolder::new();
    let run = place.run_on_terminal(&["evaluate", "missing.json"], b"");
    let expected = "error[unreadable_input]: cannot read `missing.json`: there is no such file\n";
    assert_eq!((run.status, run.stderr.as_str()), (Some(2), expected));
    let run = place.run_on_terminal(&["evaluat"], b"");
    let expected = "error[wrong_usage]: unknown command `evaluat`, did you mean `evaluate`?\n";
    assert_eq!((run.status, run.stderr.as_str()), (Some(64), expected));
}

#[test]
fn errors_are_json_on_request_and_without_a_terminal() {
    let place = TestFolder::new();
    place.file("policy.yaml", POLICY);
    for format in [&["--format", "json"][..], &["--format=pretty"]] {
        let run = place.run_on_terminal(&[&["evaluate", "policy.yaml"], format].concat(), b"");
        assert!(run.stderr.starts_with("{\"error\":"), "{format:?}: {run:?}");
    }
    let run = place.run_on_terminal(&["evaluate", "policy.yaml", "--format", "table"], b"");
    assert!(run.stderr.starts_with("error[unknown_field]"), "{run:?}");
    assert!(place.run(&["evaluate", "policy.yaml"]).stderr.starts_with("{\"error\":"));
}
