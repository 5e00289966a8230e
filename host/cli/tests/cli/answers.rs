//! One request, one answer, on standard output, with the status that goes with it.

use std::process::Stdio;

use crate::command::{ENVELOPE, POLICY, TestFolder, answer, answer_by_policy};

#[test]
fn a_policy_decides_wherever_it_comes_from() {
    let place = TestFolder::new();
    place.file("envelope.json", ENVELOPE);
    place.file("policy.json", POLICY);
    place.file("policy.yaml", "policy: strict\nversion: 1.0.0\nforbidden_paths: [src/**]\n");
    let both = format!(r#"{{"envelope":{ENVELOPE},"policy":{POLICY}}}"#);
    place.file("both.json", &both);
    let expected = format!("{}\n", answer_by_policy());
    assert_ne!(answer_by_policy(), answer(ENVELOPE));
    for run in [
        place.run(&["evaluate", "envelope.json", "--policy", "policy.json"]),
        place.run(&["evaluate", "envelope.json", "--policy", "policy.yaml"]),
        place.run(&["evaluate", "both.json"]),
        place.run_with(&["evaluate", "-", "--policy", "policy.json"], ENVELOPE.as_bytes()),
        place.run_with(&["evaluate", "envelope.json", "--policy", "-"], POLICY.as_bytes()),
    ] {
        assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (Some(0), expected.as_str(), ""));
    }
}

#[test]
fn the_exit_status_tells_the_status() {
    let place = TestFolder::new();
    let with = |from: &str, to: &str| ENVELOPE.replacen(from, to, 1);
    for (envelope, status, exit) in [
        (ENVELOPE.to_owned(), "success", 0),
        (with("completed", "killed_timeout"), "partial", 10),
        (with("completed", "error"), "blocked", 11),
        (with("completed", "killed_policy"), "unsafe", 12),
        (with(r#""policy_events":[]"#, r#""policy_events":["approval_required:x"]"#), "needs_human", 13),
    ] {
        let run = place.run_with(&["evaluate", "-", "--exit-status"], envelope.as_bytes());
        assert!(run.stdout.contains(&format!(r#""status":"{status}""#)), "{}", run.stdout);
        assert_eq!((run.status, run.stderr.as_str()), (Some(exit), ""), "{status}");
        // Without the option an answer is an answer.
        assert_eq!(place.run_with(&["evaluate", "-"], envelope.as_bytes()).status, Some(0));
    }
    // An error is an error with it, too.
    assert_eq!(place.run_with(&["evaluate", "-", "--exit-status"], b"{}").status, Some(2));
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_is_an_error() {
    let place = TestFolder::new();
    let file = place.file("envelope.json", ENVELOPE);
    for args in [
        &["evaluate", &file][..],
        &["evaluate", &file, "--format", "table"],
        &["evaluate", &file, "--ndjson"],
        &["--help"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = place.command(args).stdout(Stdio::from(full)).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(74), "{args:?} {stderr}");
        assert_eq!(crate::command::error_code(&stderr), "unwritable_output");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = TestFolder::new();
    place.file("policy.yaml", "policy: p\nversion: 1.0.0\n");
    let file = place.file("envelope.json", ENVELOPE);
    for args in [
        &["evaluate", &file][..],
        &["evaluate", &file, "--format", "table"],
        &["evaluate", &file, "--ndjson"],
        &["--help"],
        &["check", "policy.yaml"],
        &["check", "policy.yaml", "--format", "json"],
        &["test", "policy.yaml"],
        &["test", "policy.yaml", "--watch"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = place.command(args).stdout(writer).output().unwrap();
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(141), &b""[..]), "{args:?}");
    }
}

#[test]
fn an_answer_may_be_larger_than_any_input() {
    let place = TestFolder::new();
    // Long names: an answer lists the first 10,000 findings.
    let failing: Vec<String> = (0..11_000).map(|index| format!(r#""check-{index:0>100}":1"#)).collect();
    let envelope = ENVELOPE.replace(r#""test":0"#, &failing.join(","));
    let run = place.run_with(&["evaluate", "-", "--exit-status"], envelope.as_bytes());
    assert!(run.stdout.len() > 8 << 20, "{}", run.stdout.len());
    assert_eq!((run.status, &*run.stderr), (Some(11), ""));
    let table = place.run_with(&["evaluate", "-", "--format", "table"], envelope.as_bytes());
    assert_eq!((table.status, &*table.stderr), (Some(0), ""));
}
