//! `adjudicate backtest` on large transcripts. `fixtures/commands/backtest.json` has the others.

use std::fs;

use adjudicate_tests::workspace_root;
use serde_json::{Value, json};

use crate::command::TestFolder;

/// A text of the transcripts.
const PRIVATE: &str = "a private word";

/// A repository with the files of the first case.
fn repository() -> TestFolder {
    let place = TestFolder::new();
    let cases = fs::read(workspace_root().join("fixtures/commands/backtest.json")).unwrap();
    let cases: Value = serde_json::from_slice(&cases).unwrap();
    let root = place.path("").canonicalize().unwrap();
    for (name, content) in cases[0]["files"].as_object().unwrap() {
        let text = match content {
            Value::Array(lines) => lines.iter().map(|line| format!("{}\n", line.as_str().unwrap())).collect(),
            content => content.as_str().unwrap().to_owned(),
        };
        place.file(name, text.replace("ROOT", root.to_str().unwrap()));
    }
    place
}

const ARGUMENTS: [&str; 6] = ["backtest", "past.jsonl", "--policy", "policy.json", "--format", "json"];

#[test]
fn a_line_over_the_limit_is_unread_and_the_rest_counts() {
    let place = repository();
    let turns = fs::read_to_string(place.path("codex.jsonl")).unwrap();
    let long = format!("{{\"a\":\"{}\"}}\n", "x".repeat(9 << 20));
    let first = turns.lines().take_while(|line| !line.contains("db/1.sql"));
    let first: String = first.map(|line| format!("{line}\n")).collect();
    place.file("past.jsonl", format!("{first}{long}{turns}"));
    let report = place.run(&ARGUMENTS).json();
    let unread = (&report["unread_lines"], &report["unread"][0]["code"]);
    assert_eq!(unread, (&json!(1), &json!("limit_exceeded")));
    let expected = json!({"held": 2, "needs_human": 1, "unknown": 1, "released": 2, "unjudged": 0});
    assert_eq!(report["verdicts"], expected, "{report}");
}

#[test]
#[cfg(target_os = "linux")]
#[ignore = "takes long: `cargo xtask test tests-further`"]
fn transcripts_of_200_mb_are_read_in_bounded_memory() {
    use std::{fs::File, io::Write, process::Command};

    use crate::command::Run;

    const KIBIBYTES: u64 = 150 << 10;
    for shape in ["claude", "codex", "items"] {
        let place = repository();
        let turns = fs::read_to_string(place.path(&format!("{shape}.jsonl"))).unwrap();
        let verdicts = |report: &Value| report["verdicts"]["held"].as_u64().unwrap();
        place.file("past.jsonl", &turns);
        let held = verdicts(&place.run(&ARGUMENTS).json());
        let mut file = File::create(place.path("past.jsonl")).unwrap();
        // Outputs are the largest part of a transcript.
        let turns = turns.replace(PRIVATE, &"x".repeat(1 << 20));
        let copies = 200_000_000 / turns.len() + 1;
        for number in 0..copies {
            let text = turns.replace(r#""uuid":"u"#, &format!(r#""uuid":"{number}-"#));
            let text = text.replace(r#""turn_id":"t"#, &format!(r#""turn_id":"{number}-"#));
            file.write_all(text.as_bytes()).unwrap();
        }
        let script = format!(r#"ulimit -v {KIBIBYTES}; exec "$0" "$@""#);
        let mut limited = Command::new("sh");
        limited.args(["-c", &script]).arg(place.command(&[]).get_program()).args(ARGUMENTS);
        let run = Run::from(limited.current_dir(place.path("")).output().unwrap());
        assert_eq!(verdicts(&run.json()), held * copies as u64, "{shape}");
    }
}
