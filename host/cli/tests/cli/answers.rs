//! Standard output: its status, limits, streams and colors.

use std::io::{BufRead, BufReader, Write};

use crate::command::{ENVELOPE, TestFolder, answer};

#[test]
fn the_most_severe_answer_decides_the_exit_status() {
    let place = TestFolder::new();
    let of = |outcome: &str| ENVELOPE.replace("completed", outcome);
    let approval = ENVELOPE.replace(r#""policy_events":[]"#, r#""policy_events":["approval_required:x"]"#);
    for (lines, status) in [
        (&[of("completed")][..], 0),
        (&[of("killed_timeout")], 10),
        (&[of("error")], 11),
        (&[of("killed_policy")], 12),
        (&[approval], 13),
        (&[of("completed"), of("killed_policy"), of("error")], 12),
        (&[of("killed_timeout"), of("error"), of("completed")], 11),
        (&[of("killed_policy"), "{}".to_owned()], 2),
    ] {
        let args = ["evaluate", "-", "--exit-status", "--ndjson"];
        let args = if lines.len() == 1 { &args[..3] } else { &args };
        assert_eq!(place.run_with(args, lines.join("\n").as_bytes()).status, Some(status), "{lines:?}");
    }
}

#[test]
fn each_reply_comes_before_the_next_request_is_waited_for() {
    let place = TestFolder::new();
    let mut child = place.spawn(&["evaluate", "-", "--ndjson"]);
    let mut requests = child.stdin.take().unwrap();
    let mut replies = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..3 {
        requests.write_all(format!("{ENVELOPE}\n").as_bytes()).unwrap();
        let mut reply = String::new();
        // This would block if the reply were held back.
        replies.read_line(&mut reply).unwrap();
        assert_eq!(reply.trim_end(), answer(ENVELOPE));
    }
    drop(requests);
    assert_eq!(child.wait().unwrap().code(), Some(0));
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

#[test]
fn a_file_that_is_no_text_is_named_and_the_others_are_checked() {
    let place = TestFolder::new();
    place.file("good.json", r#"{"policy":"p","version":"1.0.0"}"#);
    place.file("binary.json", b"\x89PNG\r\n\x1a\n\0");
    place.file("binary.yaml", b"\xff\xfe\0a");
    let run = place.run(&["check", "binary.json", "good.json", "binary.yaml"]);
    for words in ["malformed_json]: not UTF-8", "malformed_yaml]: not UTF-8", "3 files checked: 2 errors"] {
        assert!(run.status == Some(2) && run.stdout.contains(words), "{words}: {run:?}");
    }
    let run = place.run(&["test", "good.json", "binary.yaml"]);
    assert!(run.code() == "malformed_yaml" && run.stderr.contains("binary.yaml"), "{run:?}");
}

#[cfg(unix)]
#[test]
fn a_name_that_is_no_unicode_is_read_and_shown() {
    use std::os::unix::ffi::OsStrExt as _;

    let place = TestFolder::new();
    let name = std::ffi::OsStr::from_bytes(b"p\xff\x1b.yaml");
    std::fs::write(place.path("").join(name), "policy: p\nversion: 1.0.0\nrulez: []\n").unwrap();
    for (command, shown) in [("check", "p\u{fffd}\\u{1b}.yaml"), ("test", "p\u{fffd}\\u001b.yaml")] {
        let output = place.command(&[command]).arg(name).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{command}");
        let stated = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(stated.contains(shown), "{stated}");
    }
}

#[test]
fn colors_are_for_terminals_and_on_demand() {
    let place = TestFolder::new();
    place.file("envelope.json", ENVELOPE);
    place.file("bad.yaml", "policy: p\nversion: 1.0.0\nrulez: []\n");
    place.file("plain.yaml", "policy: p\nversion: 1.0.0\n");
    place.file("m.wasm", crate::modules::replying("{}", ""));
    for command in [
        &["check", "bad.yaml"][..],
        &["test", "plain.yaml"],
        &["inspect", "m.wasm", "--format", "table"],
        &["evaluate", "envelope.json", "--format", "table"],
    ] {
        for (option, variables, is_styled) in [
            (&[][..], &[][..], false),
            (&["--color", "always"], &[("NO_COLOR", "1")], true),
            (&["--color", "never"], &[("CLICOLOR_FORCE", "1")], false),
            (&[], &[("CLICOLOR_FORCE", "1")], true),
            (&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false),
        ] {
            let mut colored = place.command(&[command, option].concat());
            let output = colored.envs(variables.iter().copied()).output().unwrap();
            assert_eq!(output.stdout.contains(&b'\x1b'), is_styled, "{command:?} {option:?} {variables:?}");
        }
    }
}
