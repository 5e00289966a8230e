//! `check`: diagnostics with their places.

use serde_json::Value;

use crate::command::{ENVELOPE, Run, TestFolder};

fn check(place: &TestFolder, name: &str, text: impl AsRef<[u8]>) -> Run {
    let file = place.file(name, text);
    let name = std::path::Path::new(&file).file_name().unwrap().to_str().unwrap().to_owned();
    place.run(&["check", &name])
}

#[test]
fn a_diagnostic_looks_like_a_compilers() {
    let place = TestFolder::new();
    let run = check(&place, "p.yaml", "policy: p\nversion: 1.0.0\nrulez: []\n");
    let expected = "\
error[unknown_field]: unknown field `rulez`, did you mean `rules`?
 --> p.yaml:3:1
  |
3 | rulez: []
  | ^^^^^

1 file checked: 1 error
";
    assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (Some(2), expected, ""));
    let run = check(&place, "p.json", "{\n  \"policy\": \"p\",\n\t\"version\": 1}");
    let expected = "\
error[invalid_value]: expected a string, found `1`
 --> p.json:3:13
  |
3 |     \"version\": 1}
  |                ^

1 file checked: 1 error
";
    assert_eq!((run.status, run.stdout.as_str()), (Some(2), expected));
    let run = check(&place, "good.yaml", "policy: p\nversion: 1.0.0\n");
    assert_eq!((run.status, run.stdout.as_str()), (Some(0), "1 file checked: nothing found\n"));
}

/// The position and the message of the first diagnostic.
fn first(run: &Run) -> (String, String) {
    let mut lines = run.stdout.lines();
    let head = lines.next().unwrap();
    let code = head.split(['[', ']']).nth(1).unwrap_or_else(|| panic!("{}", run.stdout));
    let place = lines.next().unwrap().split("--> ").nth(1).unwrap();
    (code.to_owned(), place.split_once(':').map_or("", |(_, place)| place).to_owned())
}

#[test]
fn errors_of_a_document_have_a_position() {
    let place = TestFolder::new();
    for (name, text, code, at) in [
        ("a.json", "", "malformed_json", "1:1"),
        ("a.json", "{\"policy\":\"p\",\n x}", "malformed_json", "2:2"),
        ("a.json", "{\"policy\":\"p\",\"version\":\"1.0.0\",\"policy\":\"q\"}", "duplicate_key", "1:33"),
        ("a.json", "{\"version\":\"1.0.0\"}", "missing_field", "1:1"),
        ("a.json", "[1]", "invalid_value", "1:1"),
        ("a.json", "{\"policy\":\"p\",\"version\":\"1.0.0\",\"x\\ny\":1}", "unknown_field", "1:33"),
        ("a.yaml", "", "malformed_yaml", ""),
        ("a.yaml", "policy: p\nversion: 1.0.0\nforbidden_paths: [*.pem]\n", "malformed_yaml", "3:19"),
        ("a.yaml", "policy: p\npolicy: q\n", "duplicate_key", "2:1"),
        ("a.yaml", "policy: p\nversion: '1'\n", "invalid_value", "2:10"),
        (
            "a.yaml",
            "policy: é\nversion: 1.0.0\nrules:\n- id: a\n  when: {and: [é, {var: fact.x}]}\n  then: {status: blocked, summary: s}\n",
            "invalid_expression",
            "5:16",
        ),
        (
            "a.yaml",
            "policy: p\nversion: 1.0.0\nrules:\n- &r\n  id: a\n  when: {var: facts.diff.empty}\n  then: {status: blocked, summary: s}\n- *r\n",
            "invalid_policy",
            "8:3",
        ),
        (
            "a.yaml",
            "policy: p\nversion: 1.0.0\nrules:\n- id: a\n  when: true\n  then:\n    status: success\n    summary: s\n",
            "invalid_policy",
            "7:13",
        ),
    ] {
        let run = check(&place, name, text);
        assert_eq!((run.status, run.stderr.as_str()), (Some(2), ""), "{text}");
        assert_eq!(first(&run), (code.to_owned(), at.to_owned()), "{text}\n{}", run.stdout);
    }
}

#[test]
fn each_error_of_a_document_is_a_diagnostic() {
    let place = TestFolder::new();
    let run = check(&place, "p.yaml", "policy: 1\nrulez: []\nversion: 2\n");
    for words in [
        "error[invalid_value]: expected a string, found `1`\n --> p.yaml:1:9\n",
        "error[unknown_field]: unknown field `rulez`, did you mean `rules`?\n --> p.yaml:2:1\n",
        "error[invalid_value]: expected a string, found `2`\n --> p.yaml:3:10\n",
        "1 file checked: 3 errors\n",
    ] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
}

#[test]
fn errors_of_fields_patterns_and_conditions_are_reported_together() {
    let place = TestFolder::new();
    let codes = |text: &str| -> Vec<String> {
        let file = place.file("p.yaml", text);
        let run = place.run(&["check", &file, "--format", "json"]);
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        let codes = report["findings"].as_array().unwrap().iter();
        codes
            .map(|one| format!("{} {}", one["code"].as_str().unwrap(), one["path"].as_str().unwrap()))
            .collect()
    };
    let conditions = "\
policy: p
version: 1.0.0
rules:
  - {id: a, when: {\">\": [{var: facts.diff.cout}, {var: facts.nope}]}, then: {status: success, summary: s}}
  - {id: b, when: {var: facts.dif.count}, then: {status: partial, summary: s}}
";
    let of_conditions = [
        "invalid_expression /rules/0/when/>/0",
        "invalid_expression /rules/0/when/>/1",
        "invalid_policy /rules/0/then/status",
        "invalid_expression /rules/1/when",
    ];
    assert_eq!(codes(conditions), of_conditions);
    // The test sources are compiled before the conditions, and both are reported.
    let sources =
        "test_sources: [{test: a, source: b}, {test: \"{name}\", source: c}]\nunstable_ids: [\"a\"]\n";
    let of_sources = ["invalid_policy /test_sources/0/test", "invalid_policy /test_sources/1/source"];
    assert_eq!(codes(&format!("{conditions}{sources}")), [&of_conditions[..], &of_sources].concat());
    // A field with an error hides no condition with an error.
    let fields = conditions.replace("1.0.0", "1").replace("status: success", "status: partial, sumary: s");
    assert_eq!(
        codes(&fields),
        [
            "invalid_value /version",
            "invalid_expression /rules/0/when/>/0",
            "invalid_expression /rules/0/when/>/1",
            "unknown_field /rules/0/then/sumary",
            "invalid_expression /rules/1/when",
        ]
    );
}

#[test]
fn an_unreadable_file_is_reported_and_the_others_are_checked() {
    let place = TestFolder::new();
    place.file("good.json", r#"{"policy":"p","version":"1.0.0"}"#);
    place.file("binary.json", b"\x89PNG\r\n\x1a\n\0");
    place.file("binary.yaml", b"\xff\xfe\0a");
    place.file("deep.json", "[".repeat(200));
    place.file("bomb.yaml", bomb());
    std::fs::create_dir(place.path("directory")).unwrap();
    let files =
        ["binary.json", "good.json", "binary.yaml", "missing.json", "directory", "deep.json", "bomb.yaml"];
    let run = place.run(&[&["check"], &files[..]].concat());
    assert_eq!((run.status, run.stderr.as_str()), (Some(2), ""));
    for words in [
        "error[malformed_json]: not UTF-8",
        "error[malformed_yaml]: not UTF-8",
        "error[unreadable_input]: cannot read `missing.json`: there is no such file",
        "error[unreadable_input]: cannot read `directory`: it is a directory",
        "error[limit_exceeded]",
        "bomb.yaml:",
        "7 files checked: 6 errors",
    ] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
    assert!(!run.stdout.contains("good.json"), "{}", run.stdout);
}

fn bomb() -> String {
    let mut bomb = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n".to_owned();
    for level in 1..10 {
        let copies = vec![format!("*a{}", level - 1); 9].join(", ");
        bomb += &format!("a{level}: &a{level} [{copies}]\n");
    }
    bomb
}

/// A policy with an error and a warning.
fn doubtful() -> String {
    format!(
        r#"{{"policy":"p","version":"1.0.0","rules":[
  {{"id":"idle","when":{{"var":"facts.diff.empty"}},"then":{{"status":"blocked","summary":"s",
   "fix":{{"target":"t","action":"a","rationale":"r"}}}}}}],
 "tests":[{{"name":"fails","input":{ENVELOPE},"expect":{{"decision":
   {{"status":"unsafe"}}}}}}]}}"#
    )
}

#[test]
fn findings_have_their_places_in_json_too() {
    let place = TestFolder::new();
    place.file("p.json", doubtful());
    let run = place.run(&["check", "p.json", "--format", "json"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.status, &report["errors"]), (Some(2), &Value::from(1)), "{report}");
    let findings = report["findings"].as_array().unwrap();
    let failing = findings.iter().find(|finding| finding["code"] == "failing_test").unwrap();
    assert_eq!(
        (&failing["file"], &failing["line"], &failing["column"], &failing["end_column"]),
        (&"p.json".into(), &5.into(), &14.into(), &22.into())
    );
    assert_eq!(failing["witness"]["status"], "success");
    let lines: Vec<_> = findings.iter().map(|finding| finding["line"].as_u64()).collect();
    assert!(lines.is_sorted(), "{report}");
}

#[test]
fn warnings_are_denied_on_demand() {
    let place = TestFolder::new();
    let warned = doubtful().replace("unsafe", "success");
    place.file("p.json", &warned);
    let run = place.run(&["check", "p.json"]);
    assert!(run.stdout.contains("warning[unused_fix]"), "{}", run.stdout);
    assert_eq!(run.status, Some(0));
    assert_eq!(place.run(&["check", "p.json", "--deny", "warnings"]).status, Some(2));
    let run = place.run_with(&["check", "-", "--color", "always"], warned.as_bytes());
    assert!(run.stdout.contains("\u{1b}[") && run.stdout.contains("standard input:"), "{}", run.stdout);
}

#[test]
fn control_characters_of_a_file_do_not_reach_the_terminal() {
    let place = TestFolder::new();
    let run = check(&place, "p.json", "{\"policy\":\"p\",\"version\":\"\\u001b[31m\u{9b}\u{202e}\"}");
    assert!(!run.stdout.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{}", run.stdout);
}

#[test]
fn wrong_usage() {
    let place = TestFolder::new();
    for args in [
        &["check"][..],
        &["check", "-", "-"],
        &["check", "p", "--deny", "all"],
        &["check", "p", "--format", "table"],
    ] {
        let run = place.run(args);
        assert_eq!((run.code().as_str(), run.status), ("wrong_usage", Some(64)), "{args:?}");
    }
}

#[test]
fn standard_input_may_be_yaml() {
    let place = TestFolder::new();
    let yaml = b"policy: p\r\nversion: 1.0.0\r\nrulez: []\r\n";
    let run = place.run_with(&["check", "-", "--input-format", "yaml"], yaml);
    assert_eq!(run.status, Some(2));
    assert!(run.stdout.contains(" --> standard input:3:1\n  |\n3 | rulez: []\n"), "{}", run.stdout);
    let run = place.run(&["check", "-", "-"]);
    assert_eq!((run.code().as_str(), run.status), ("wrong_usage", Some(64)));
}

#[cfg(unix)]
#[test]
fn a_name_that_is_no_unicode_is_read_and_shown() {
    use std::os::unix::ffi::OsStrExt as _;

    let place = TestFolder::new();
    let name = std::ffi::OsStr::from_bytes(b"p\xff\x1b.yaml");
    std::fs::write(place.path("").join(name), "policy: p\nversion: 1.0.0\nrulez: []\n").unwrap();
    for verb in ["check", "test"] {
        let output = place.command(&[verb]).arg(name).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{verb}");
        let stated = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(
            stated.contains("p\u{fffd}\\u{1b}.yaml") || stated.contains("p\u{fffd}\\u001b.yaml"),
            "{stated}"
        );
    }
}

#[test]
fn colours_are_for_terminals_and_those_who_ask() {
    let place = TestFolder::new();
    place.file("bad.yaml", "policy: p\nversion: 1.0.0\nrulez: []\n");
    let styled = |args: &[&str], variables: &[(&str, &str)]| {
        let output = place.command(args).envs(variables.iter().copied()).output().unwrap();
        String::from_utf8(output.stdout).unwrap().contains('\u{1b}')
    };
    for verb in
        [&["check", "bad.yaml"][..], &["test", "plain.yaml"], &["inspect", "m.wasm", "--format", "table"]]
    {
        place.file("plain.yaml", "policy: p\nversion: 1.0.0\n");
        place.file("m.wasm", crate::modules::replying("{}", ""));
        let asked = |when| [verb, &["--color", when]].concat();
        assert!(!styled(verb, &[]), "{verb:?}: no terminal");
        assert!(styled(&asked("always"), &[("NO_COLOR", "1")]), "{verb:?}: what is asked for comes first");
        assert!(!styled(&asked("never"), &[("CLICOLOR_FORCE", "1")]), "{verb:?}");
        assert!(styled(verb, &[("CLICOLOR_FORCE", "1")]), "{verb:?}: forced");
        assert!(
            !styled(verb, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]),
            "{verb:?}: NO_COLOR comes first"
        );
    }
}

#[test]
fn a_reader_that_goes_away_ends_reports_quietly() {
    let place = TestFolder::new();
    place.file("policy.yaml", "policy: p\nversion: 1.0.0\n");
    for args in [
        &["check", "policy.yaml"][..],
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
