//! `adjudicate backtest`: past turns in transcripts of Claude Code and Codex.

use std::fs;

use serde_json::{Value, json};

use crate::command::{Run, TestFolder};

const POLICY: &str = r#"{"policy":"past","version":"1.0.0","protected_paths":["db/**"],"forbidden_paths":["secrets/**"]}"#;

const CONFIGURATION: &str = r#"{"workflow":"feature","validators":[{"id":"unit","run":"npm test"}],
    "next_steps":[{"id":"open","role":"forward"},{"id":"fix","role":"fix"},{"id":"ask","role":"gate"}]}"#;

/// A repository in which transcripts are read.
fn repository() -> TestFolder {
    let place = TestFolder::new();
    place.file("policy.json", POLICY);
    place.file("adjudicate.json", CONFIGURATION);
    place
}

fn backtest(place: &TestFolder, more: &[&str]) -> Run {
    let args = ["backtest", "--policy", "policy.json", "--format", "json"];
    place.run(&[&args, more].concat())
}

fn report(run: &Run) -> Value {
    assert_eq!(run.status, Some(0), "{}{}", run.stdout, run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

/// A transcript that is written call by call.
struct Transcript {
    lines: Vec<String>,
    folder: String,
    is_codex: bool,
}

impl Transcript {
    fn new(place: &TestFolder, is_codex: bool) -> Self {
        let folder = place.path("").canonicalize().unwrap().to_str().unwrap().trim_end_matches('/').to_owned();
        let mut transcript = Self { lines: Vec::new(), folder, is_codex };
        if is_codex {
            let meta = json!({"id": "s", "cwd": transcript.folder});
            transcript.lines.push(json!({"type": "session_meta", "payload": meta}).to_string());
        }
        transcript
    }

    fn text(&self) -> String {
        self.lines.join("\n") + "\n"
    }

    fn claude(&mut self, kind: &str, content: &Value, result: &Value) {
        let line = json!({"type": kind, "sessionId": "s", "cwd": self.folder, "message": {"content": content}, "toolUseResult": result});
        self.lines.push(line.to_string());
    }

    fn codex(&mut self, kind: &str, payload: &Value) {
        self.lines.push(json!({"type": kind, "payload": payload}).to_string());
    }

    fn prompt(&mut self) {
        match self.is_codex {
            true => self.codex("event_msg", &json!({"type": "user_message", "message": "a private word"})),
            false => self.claude("user", &json!("a private word"), &Value::Null),
        }
    }

    fn edit(&mut self, path: &str) {
        let id = format!("c{}", self.lines.len());
        if self.is_codex {
            let patch = format!("*** Begin Patch\n*** Update File: {path}\n*** End Patch");
            self.codex(
                "response_item",
                &json!({"type": "custom_tool_call", "call_id": id, "name": "apply_patch", "input": patch}),
            );
            let output = json!({"output": "done", "metadata": {"exit_code": 0}}).to_string();
            self.codex(
                "response_item",
                &json!({"type": "custom_tool_call_output", "call_id": id, "output": output}),
            );
        } else {
            let input = json!({"file_path": format!("{}/{path}", self.folder), "old_string": "a private word"});
            self.claude(
                "assistant",
                &json!([{"type": "tool_use", "id": id, "name": "Edit", "input": input}]),
                &Value::Null,
            );
            self.claude("user", &json!([{"type": "tool_result", "tool_use_id": id}]), &json!({"filePath": path}));
        }
    }

    fn run(&mut self, command: &str, code: i64) {
        let id = format!("c{}", self.lines.len());
        if self.is_codex {
            let arguments = json!({"command": ["bash", "-lc", command], "workdir": self.folder}).to_string();
            self.codex(
                "response_item",
                &json!({"type": "function_call", "call_id": id, "name": "shell", "arguments": arguments}),
            );
            let output = format!("Exit code: {code}\nWall time: 1 seconds\nOutput:\nExit code: 9\n");
            self.codex(
                "response_item",
                &json!({"type": "function_call_output", "call_id": id, "output": output}),
            );
        } else {
            let call = json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]);
            self.claude("assistant", &call, &Value::Null);
            let block = match code {
                0 => json!({"type": "tool_result", "tool_use_id": id, "is_error": false, "content": "ok"}),
                _ => {
                    let output = format!("Exit code {code}\nfailed");
                    json!({"type": "tool_result", "tool_use_id": id, "is_error": true, "content": output})
                }
            };
            self.claude("user", &json!([block]), &json!({"stdout": "ok", "interrupted": false}));
        }
    }
}

/// The turns that are written, by their number: what they do, and the verdict.
fn written(transcript: &mut Transcript, number: usize) -> &'static str {
    transcript.prompt();
    match number % 10 {
        0 => {
            transcript.edit("src/a.js");
            transcript.run("npm test", 1);
            "held"
        }
        1 => {
            transcript.run("npm test", 0);
            transcript.edit("src/a.js");
            "held"
        }
        2 => {
            transcript.edit("db/1.sql");
            transcript.run("npm test", 0);
            "needs_human"
        }
        3 => {
            transcript.edit("src/a.js");
            transcript.run("npm test | tail -3", 0);
            "needs_human"
        }
        4 => {
            transcript.edit("src/a.js");
            transcript.run("touch b", 0);
            transcript.run("npm test", 0);
            "unknown"
        }
        5 => {
            transcript.edit("src/a.js");
            transcript.run("npm test 2>&1", 0);
            "released"
        }
        6 => {
            transcript.edit("src/a.js");
            transcript.run("npm test", 1);
            transcript.edit("src/a.js");
            transcript.run("npm test", 0);
            "released"
        }
        _ => "released",
    }
}

#[test]
fn two_hundred_turns_have_exactly_the_verdicts_that_were_written() {
    for is_codex in [false, true] {
        let place = repository();
        let mut transcript = Transcript::new(&place, is_codex);
        let mut expected = Vec::new();
        for number in 0..200 {
            let line = transcript.lines.len() + 1;
            let verdict = written(&mut transcript, number);
            expected.push((format!("past.jsonl:{line}"), verdict.to_owned()));
        }
        place.file("past.jsonl", transcript.text());
        let run = backtest(&place, &["past.jsonl"]);
        let report = report(&run);
        let lines = report["lines"].as_array().unwrap();
        let text = |line: &Value, field: &str| line[field].as_str().unwrap().to_owned();
        let found: Vec<_> = lines.iter().map(|line| (text(line, "place"), text(line, "verdict"))).collect();
        assert_eq!(found, expected, "codex: {is_codex}");
        let numbers = ["turns", "held", "needs_human", "unknown", "released", "denied", "unread_lines"];
        assert_eq!(numbers.map(|name| report[name].as_u64().unwrap()), [200, 40, 40, 20, 100, 20, 0]);
        assert_eq!(report["missing"], json!({"commands": 40, "exit_codes": 20}));
        let block = &report["blocks"].as_array().unwrap().iter().find(|block| block["rule"] == "call").unwrap();
        assert!(block["item"].as_str().unwrap().ends_with("db/1.sql") && block["turns"] == 20, "{block}");
        assert!(!run.stdout.contains("a private word"));
        let with_text = backtest(&place, &["past.jsonl", "--with-text"]);
        assert!(with_text.stdout.contains(r#""prompt":"a private word""#));
        for format in ["table", "html"] {
            let run = place.run(&["backtest", "past.jsonl", "--policy", "policy.json", "--format", format]);
            assert!(run.status == Some(0) && run.stdout.contains("db/1.sql"), "{}{}", run.stdout, run.stderr);
            assert!(!run.stdout.contains("a private word"));
        }
    }
}

#[test]
fn a_cut_transcript_has_no_verdict_on_its_last_turn() {
    let place = repository();
    let mut transcript = Transcript::new(&place, false);
    written(&mut transcript, 0);
    transcript.prompt();
    transcript.edit("secrets/key");
    transcript.lines.pop();
    let text = transcript.text();
    // The last line ends in the middle of a text.
    place.file("past.jsonl", text.trim_end().to_owned() + "\n{\"type\":\"user\",\"mess");
    let report = report(&backtest(&place, &["past.jsonl"]));
    assert_eq!((&report["lines"][0]["verdict"], &report["lines"][1]["verdict"]), (&json!("held"), &json!("unjudged")));
    assert_eq!(report["lines"][1]["calls"][0]["verdict"], "deny");
    assert_eq!(report["lines"][1]["missing"], json!({"calls": 1, "lines": 1}));
    assert_eq!((&report["unread_lines"], &report["unread"][0]["code"]), (&json!(1), &json!("malformed_json")));
}

#[test]
fn unknown_entries_are_skipped_and_damaged_calls_are_unknown() {
    let place = repository();
    let mut transcript = Transcript::new(&place, false);
    transcript.lines.push(r#"{"type":"file-history-snapshot","snapshot":{}}"#.into());
    transcript.prompt();
    transcript.lines.push("[1, 2]".into());
    transcript.claude("assistant", &json!([{"type": "thinking"}, {"type": "tool_use", "name": "Edit"}]), &Value::Null);
    place.file("past.jsonl", transcript.text());
    let report = report(&backtest(&place, &["past.jsonl"]));
    assert_eq!((&report["turns"], &report["unknown"], &report["unread_lines"]), (&json!(1), &json!(1), &json!(0)));
    assert_eq!(report["missing"], json!({"calls": 1}));
}

#[test]
fn a_line_over_the_limit_is_unread_and_the_rest_counts() {
    let place = repository();
    let mut transcript = Transcript::new(&place, true);
    written(&mut transcript, 5);
    transcript.lines.push(format!("{{\"a\":\"{}\"}}", "x".repeat(9 << 20)));
    written(&mut transcript, 0);
    place.file("past.jsonl", transcript.text());
    let report = report(&backtest(&place, &["past.jsonl"]));
    let verdicts = [0, 1].map(|index| report["lines"][index]["verdict"].as_str().unwrap().to_owned());
    assert_eq!(verdicts, ["unknown", "held"]);
    assert_eq!((&report["unread_lines"], &report["unread"][0]["code"]), (&json!(1), &json!("limit_exceeded")));
}

#[test]
fn transcripts_of_the_user_are_found_and_those_of_other_folders_left_out() {
    let place = repository();
    let mut own = Transcript::new(&place, false);
    written(&mut own, 0);
    let other = Transcript { lines: Vec::new(), folder: "/elsewhere".into(), is_codex: false };
    let mut other = other;
    written(&mut other, 0);
    fs::create_dir_all(place.path("home/projects/app")).unwrap();
    place.file("home/projects/app/one.jsonl", own.text());
    place.file("home/projects/app/two.jsonl", other.text());
    let args = ["backtest", "--policy", "policy.json", "--format", "json"];
    let run = place.run_where(&[("CLAUDE_CONFIG_DIR", place.path("home"))], &args, b"");
    let found = report(&run);
    assert_eq!((&found["transcripts"], &found["elsewhere"], &found["held"]), (&json!(1), &json!(1), &json!(1)));
    let none = place.run_where(&[("CLAUDE_CONFIG_DIR", place.path("absent"))], &args, b"");
    assert!(none.status == Some(3) || none.stderr.contains("no transcript was found"), "{}", none.stderr);
}
