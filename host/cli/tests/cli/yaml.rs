//! YAML in, by ending or by option.

use crate::command::{ENVELOPE, TestFolder, answer};

/// [`ENVELOPE`] as people write it.
const YAML: &str = "\
run_id: r
workflow_id: w
step_id: s
evaluate_prompt: p.v1
allowed_next_steps: [publish, fix, rollback]
provenance_window: []
evidence:
  transcript_summary: ''
  workspace_diff_summary: \" M src/lib.rs\\n\"
  validation: {mechanical_outcome: completed, exit_codes: {test: 0}, timeouts: []}
  artifacts: []
  policy_events: []
";

#[test]
fn yaml_gives_the_same_bytes_as_json() {
    let place = TestFolder::new();
    let expected = format!("{}\n", answer(ENVELOPE));
    for name in ["envelope.yaml", "envelope.YML"] {
        let file = place.file(name, YAML);
        assert_eq!(place.run(&["evaluate", &file]).stdout, expected);
    }
    let plain = place.file("envelope.txt", YAML);
    assert_eq!(place.run(&["evaluate", &plain, "--input-format", "yaml"]).stdout, expected);
    assert_eq!(
        place.run_with(&["evaluate", "-", "--input-format", "yaml"], YAML.as_bytes()).stdout,
        expected
    );
    // JSON is YAML, too.
    let json = place.file("json.yaml", ENVELOPE);
    assert_eq!(place.run(&["evaluate", &json]).stdout, expected);
    assert_eq!(place.run(&["evaluate", &json, "--input-format", "json"]).stdout, expected);
}

#[test]
fn errors_in_yaml_say_where() {
    let place = TestFolder::new();
    for (yaml, code, words) in [
        (YAML.replace("run_id: r", "run_id: r\nrun_id: r"), "duplicate_key", "line 2 column 1"),
        (YAML.replace("test: 0", "test: 010"), "malformed_yaml", "line 10"),
        (YAML.replace("test: 0", "0: test"), "malformed_yaml", "line 10"),
        (YAML.replace("evidence:", "evidence"), "malformed_yaml", "line"),
        (YAML.replace("run_id", "runid"), "unknown_field", "run_id"),
        (String::new(), "malformed_yaml", "no document"),
    ] {
        let file = place.file("envelope.yaml", &yaml);
        let run = place.run(&["evaluate", &file]);
        assert_eq!((run.code().as_str(), run.status), (code, Some(2)), "{yaml}");
        assert!(run.stderr.contains(words), "{words}: {}", run.stderr);
    }
}

#[test]
fn errors_in_a_policy_say_that_it_is_the_policy() {
    let place = TestFolder::new();
    let envelope = place.file("envelope.json", ENVELOPE);
    for (name, policy, words) in [
        ("policy.yaml", "policy: p\nversion: 1.0.0\nforbidden_paths: [*.pem]\n", r#""policy: while parsing"#),
        ("policy.yaml", "policy: p\npolicy: p\n", r#""policy: key `policy` is a duplicate"#),
        ("policy.yaml", "", r#""policy: there is no document"#),
        ("policy.json", "{", r#""policy: "#),
        ("policy.json", r#"{"policy":1}"#, r#""policy: "#),
    ] {
        let policy = place.file(name, policy);
        let run = place.run(&["evaluate", &envelope, "--policy", &policy]);
        assert_eq!(run.status, Some(2), "{run:?}");
        assert!(run.stderr.contains(words), "{words}: {}", run.stderr);
    }
}
