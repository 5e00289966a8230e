//! One request, one answer, on standard output, with the status that goes with it.

use std::process::Stdio;

use crate::command::{ENVELOPE, POLICY, TestFolder, answer, answer_by_policy};

#[test]
fn the_answer_is_the_engines_bytes_and_a_newline() {
    let place = TestFolder::new();
    let file = place.file("envelope.json", ENVELOPE);
    let expected = format!("{}\n", answer(ENVELOPE));
    for run in [
        place.run(&["evaluate", &file]),
        place.run(&["evaluate", "envelope.json"]),
        place.run_with(&["evaluate", "-"], ENVELOPE.as_bytes()),
        place.run(&["evaluate", "--format", "json", &file]),
    ] {
        assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (Some(0), expected.as_str(), ""));
    }
}

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
    // With a policy in another file, the file is a bare envelope.
    let run = place.run(&["evaluate", "both.json", "--policy", "policy.json"]);
    assert_eq!((run.status, run.code().as_str()), (Some(2), "unknown_field"));
}

#[test]
fn pretty_moves_white_space_only() {
    let place = TestFolder::new();
    let file = place.file("envelope.json", ENVELOPE);
    let run = place.run(&["evaluate", &file, "--format", "pretty"]);
    assert!(run.stdout.starts_with("{\n  \"decision\": {\n    \"status\": \"success\",\n"), "{}", run.stdout);
    assert!(run.stdout.contains("\"findings\": [],\n") && run.stdout.ends_with("}\n"), "{}", run.stdout);
    let compact: String =
        run.stdout.lines().map(|line| line.trim_start().replacen("\": ", "\":", 1)).collect();
    assert_eq!(compact, answer(ENVELOPE));
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

#[test]
fn help_and_version_are_answers() {
    let place = TestFolder::new();
    let version = place.run(&["--version"]);
    assert_eq!(
        (version.status, version.stdout),
        (Some(0), format!("adjudicate {}\n", adjudicate_core::VERSION))
    );
    for args in [&["--help"][..], &["help"], &["evaluate", "--help"], &["inspect", "-h"]] {
        let help = place.run(args);
        assert_eq!((help.status, help.stderr.as_str()), (Some(0), ""), "{args:?}");
        assert!(help.stdout.contains("64") && help.stdout.contains("Usage: adjudicate"), "{}", help.stdout);
    }
}

#[test]
fn wrong_usage_is_one_line_and_64() {
    let place = TestFolder::new();
    let file = place.file("envelope.json", ENVELOPE);
    let yaml = place.file("envelope.yaml", "a: 1");
    let digest = format!("sha256:{:064}", 0);
    let known = ["evaluate", &file, "--module", "m", "--known-engine"];
    for (args, words) in [
        (&[][..], "missing command; `adjudicate --help` lists all"),
        (&["decide"], "unknown command `decide`"),
        (&["evalute"], "unknown command `evalute`, did you mean `evaluate`?"),
        (&["evaluate"], "missing argument `<FILE>`"),
        (&["evaluate", &file, &file], "unknown argument `"),
        (&["evaluate", &file, "--polcy", "x"], "unknown argument `--polcy`, did you mean `--policy`?"),
        (
            &["evaluate", &file, "--format", "xml"],
            "`--format <FORMAT>` cannot be `xml`, expected `json`, `pretty` or `table`",
        ),
        (&["evaluate", &file, "--format", "tabel"], "did you mean `table`?"),
        (
            &["evaluate", &file, "--format"],
            "`--format <FORMAT>` needs a value, expected `json`, `pretty` or `table`",
        ),
        (&["evaluate", &file, "--policy"], "`--policy <FILE>` needs a value"),
        (&["evaluate", &file, "--policy", &file, "--policy", &file], "`--policy <FILE>` is given twice"),
        (&["evaluate", &file, "--ndjson=yes"], "`--ndjson`"),
        (
            &["evaluate", &file, "--fuel", "5"],
            "`--fuel` needs a module from a file, for example `--module FILE`",
        ),
        (&["evaluate", &file, "--no-cache"], "`--no-cache` needs a module from a file"),
        (
            &["evaluate", &file, "--restrict", &yaml, "--known-engine", &digest],
            "`--known-engine` needs a module from a file",
        ),
        (
            &["evaluate", &file, "--module", "m", "--fuel", "0"],
            "`--fuel <N>`: `0` is invalid: 0 is not in 1..",
        ),
        (&["evaluate", &file, "--module", "m", "--fuel", "-1"], "unknown argument `-1`"),
        (
            &[&known[..], &["sha256:zz"]].concat(),
            "\"message\":\"`--known-engine <DIGEST|FILE>`: `sha256:zz` is not a digest: ",
        ),
        (&["evaluate", "-", "--policy", "-"], "both"),
        (
            &["evaluate", &file, "--ndjson", "--format", "table"],
            "`--ndjson` cannot be used with `--format <FORMAT>`",
        ),
        (&["evaluate", &yaml, "--ndjson"], "not YAML"),
        (&["evaluate", "-", "--ndjson", "--input-format", "yaml"], "not YAML"),
        (&["inspect"], "missing argument `<MODULE>`"),
    ] {
        let run = place.run(args);
        assert_eq!((run.status, run.code().as_str()), (Some(64), "wrong_usage"), "{args:?}");
        assert!(run.stderr.contains(words), "{args:?}: {}", run.stderr);
        assert!(!run.stderr.contains('\''), "{args:?}: {}", run.stderr);
    }
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
    let file = place.file("envelope.json", ENVELOPE);
    for args in [
        &["evaluate", &file][..],
        &["evaluate", &file, "--format", "table"],
        &["evaluate", &file, "--ndjson"],
        &["--help"],
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
