//! `adjudicate backtest`: past turns in transcripts of Claude Code and Codex.

use std::fs;

use serde_json::{Value, json};

use crate::command::{Run, TestFolder};

const POLICY: &str =
    r#"{"policy":"past","version":"1.0.0","protected_paths":["db/**"],"forbidden_paths":["secrets/**"]}"#;

const CONFIGURATION: &str = r#"{"workflow":"feature","validators":[{"id":"unit","run":"npm test"}],
    "next_steps":[{"id":"open","role":"forward"},{"id":"fix","role":"fix"},{"id":"ask","role":"gate"}]}"#;

/// A word of the transcripts that no report may have.
const PRIVATE: &str = "a private word";

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
    run.json()
}

/// Returns the report on one transcript, which is written call by call.
fn report_on(shape: Shape, write: impl FnOnce(&mut Transcript)) -> Value {
    let place = repository();
    let mut transcript = Transcript::new(&place, shape);
    write(&mut transcript);
    place.file("past.jsonl", transcript.text());
    report(&backtest(&place, &["past.jsonl"]))
}

/// Returns the verdicts of the turns in a report.
fn verdicts(report: &Value) -> Vec<&str> {
    let lines = report["lines"].as_array().unwrap();
    lines.iter().map(|line| line["verdict"].as_str().unwrap()).collect()
}

/// The shape of a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Claude,
    /// Codex, whose calls and outputs are those of the model.
    Codex,
    /// Codex, whose calls are in code, and whose history has items.
    Items,
}

/// A transcript that is written call by call.
struct Transcript {
    shape: Shape,
    folder: String,
    lines: Vec<String>,
    calls: usize,
}

impl Transcript {
    fn new(place: &TestFolder, shape: Shape) -> Self {
        let folder =
            place.path("").canonicalize().unwrap().to_str().unwrap().trim_end_matches('/').to_owned();
        Self::in_folder(folder, shape)
    }

    fn in_folder(folder: String, shape: Shape) -> Self {
        let mut transcript = Self { shape, folder, lines: Vec::new(), calls: 0 };
        if shape != Shape::Claude {
            let mode = if shape == Shape::Items { "paginated" } else { "legacy" };
            let meta = json!({"id": "s", "cwd": transcript.folder, "source": "cli", "history_mode": mode});
            transcript.codex("session_meta", &meta);
        }
        transcript
    }

    fn text(&self) -> String {
        self.lines.join("\n") + "\n"
    }

    fn claude(&mut self, kind: &str, content: &Value, result: &Value) {
        let line = json!({"type": kind, "uuid": format!("u{}", self.lines.len()), "sessionId": "s", "cwd": self.folder,
            "message": {"role": kind, "content": content}, "toolUseResult": result});
        self.lines.push(line.to_string());
    }

    fn codex(&mut self, kind: &str, payload: &Value) {
        self.lines.push(json!({"timestamp": "t", "type": kind, "payload": payload}).to_string());
    }

    fn event(&mut self, mut event: Value, kind: &str) {
        event["type"] = kind.into();
        self.codex("event_msg", &event);
    }

    fn item(&mut self, item: &Value) {
        self.event(json!({"item": item}), "item_completed");
    }

    /// Writes a call of the model with its output.
    fn response(&mut self, kind: &str, mut call: Value, output: &str) {
        call["type"] = kind.into();
        self.codex("response_item", &call);
        self.codex(
            "response_item",
            &json!({"type": format!("{kind}_output"), "call_id": call["call_id"], "output": output}),
        );
    }

    fn id(&mut self) -> String {
        self.calls += 1;
        format!("call_{}", self.calls)
    }

    fn prompt(&mut self) {
        match self.shape {
            Shape::Claude => {
                self.claude("user", &json!(PRIVATE), &Value::Null);
                self.claude("assistant", &json!([{"type": "text", "text": PRIVATE}]), &Value::Null);
            }
            Shape::Codex => self.event(json!({"message": PRIVATE}), "user_message"),
            Shape::Items => {
                self.event(json!({"turn_id": format!("t{}", self.lines.len())}), "task_started");
                self.item(&json!({"type": "UserMessage", "id": "u", "content": [{"type": "text", "text": PRIVATE}]}));
            }
        }
    }

    fn end(&mut self) {
        if self.shape == Shape::Items {
            self.event(json!({"turn_id": "t", "last_agent_message": PRIVATE}), "task_complete");
        }
    }

    fn edit(&mut self, path: &str) {
        let id = self.id();
        match self.shape {
            Shape::Claude => {
                let input = json!({"file_path": format!("{}/{path}", self.folder), "old_string": PRIVATE});
                let call = json!([{"type": "tool_use", "id": id, "name": "Edit", "input": input}]);
                self.claude("assistant", &call, &Value::Null);
                let result = json!([{"type": "tool_result", "tool_use_id": id, "content": PRIVATE}]);
                self.claude("user", &result, &json!({"filePath": path}));
            }
            Shape::Codex => {
                let patch = format!("*** Begin Patch\n*** Update File: {path}\n+{PRIVATE}\n*** End Patch");
                let output = json!({"output": PRIVATE, "metadata": {"exit_code": 0}}).to_string();
                let call = json!({"call_id": id, "name": "apply_patch", "input": patch});
                self.response("custom_tool_call", call, &output);
            }
            Shape::Items => {
                let changes =
                    json!({format!("{}/{path}", self.folder): {"type": "update", "unified_diff": PRIVATE}});
                self.response(
                    "custom_tool_call",
                    json!({"call_id": "code", "name": "exec", "input": PRIVATE}),
                    "",
                );
                self.item(
                    &json!({"type": "FileChange", "id": id, "changes": changes, "status": "completed"}),
                );
            }
        }
    }

    /// Writes a call of a tool of Claude Code.
    fn call(&mut self, tool: &str, input: Value) {
        let id = self.id();
        self.claude(
            "assistant",
            &json!([{"type": "tool_use", "id": id, "name": tool, "input": input}]),
            &Value::Null,
        );
        let result = json!([{"type": "tool_result", "tool_use_id": id, "content": PRIVATE}]);
        self.claude("user", &result, &json!({"content": PRIVATE}));
    }

    fn run(&mut self, command: &str, code: i64) {
        let id = self.id();
        match self.shape {
            Shape::Claude => {
                let call =
                    json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]);
                self.claude("assistant", &call, &Value::Null);
                let output = if code == 0 { PRIVATE.into() } else { format!("Exit code {code}\n{PRIVATE}") };
                let block = json!([{"type": "tool_result", "tool_use_id": id, "is_error": code != 0, "content": output}]);
                self.claude("user", &block, &json!({"stdout": PRIVATE, "interrupted": false}));
            }
            Shape::Codex => {
                let arguments =
                    json!({"command": ["bash", "-lc", command], "workdir": self.folder}).to_string();
                let output =
                    format!("Exit code: {code}\nWall time: 1 seconds\nOutput:\nExit code: 9\n{PRIVATE}");
                self.response(
                    "function_call",
                    json!({"call_id": id, "name": "shell", "arguments": arguments}),
                    &output,
                );
            }
            Shape::Items => self
                .item(&json!({"type": "CommandExecution", "id": id, "command": ["/bin/zsh", "-lc", command],
                "cwd": format!("file://{}", self.folder), "exit_code": code, "status": "completed"})),
        }
    }
}

/// Writes the turn of a number, and returns the verdict that it must have.
fn written(transcript: &mut Transcript, number: usize) -> &'static str {
    transcript.prompt();
    let verdict = match number % 10 {
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
    };
    transcript.end();
    verdict
}

#[test]
fn two_hundred_turns_have_exactly_the_verdicts_that_were_written() {
    for shape in [Shape::Claude, Shape::Codex, Shape::Items] {
        let place = repository();
        let mut transcript = Transcript::new(&place, shape);
        let mut expected = Vec::new();
        for number in 0..200 {
            let line = transcript.lines.len() + 1;
            let verdict = written(&mut transcript, number);
            expected.push((format!("past.jsonl:{line}"), verdict.to_owned()));
        }
        place.file("past.jsonl", transcript.text());
        let run = backtest(&place, &["past.jsonl"]);
        let report = report(&run);
        let text = |line: &Value, field: &str| line[field].as_str().unwrap().to_owned();
        let lines = report["lines"].as_array().unwrap().iter();
        let found: Vec<_> = lines.map(|line| (text(line, "place"), text(line, "verdict"))).collect();
        assert_eq!(found, expected, "{shape:?}");
        let counts = json!({"held": 40, "needs_human": 40, "unknown": 20, "released": 100, "unjudged": 0});
        assert_eq!(report["verdicts"], counts);
        let numbers = ["transcripts", "turns", "refused", "unread_lines"];
        assert_eq!(numbers.map(|name| report[name].as_u64().unwrap()), [1, 200, 20, 0]);
        assert_eq!(report["missing"], json!({"commands": 40, "exit_codes": 20}));
        let stale = json!({"rule": "stale_evidence", "item": "unit", "turns": 20});
        let blocks = report["blocks"].as_array().unwrap();
        let is = |block: &&Value, wanted: &Value| {
            ["rule", "item", "turns"].iter().all(|name| block[*name] == wanted[*name])
        };
        assert_eq!(blocks.iter().filter(|block| is(block, &stale)).count(), 1, "{blocks:?}");
        // Claude Code can ask before a call. Codex would run the call, so the hook denies it.
        let rule = if shape == Shape::Claude { "ask" } else { "deny" };
        let refused: Vec<_> = blocks.iter().filter(|block| block["rule"] == rule).collect();
        assert_eq!(refused.len(), 1, "{refused:?}");
        assert_eq!((&refused[0]["item"], &refused[0]["turns"]), (&json!("db/1.sql"), &json!(20)));
        let approval = json!({"rule": "approval", "item": "db/1.sql", "turns": 20});
        assert_eq!(blocks.iter().filter(|block| is(block, &approval)).count(), 1, "{blocks:?}");
        assert!(!run.stdout.contains(PRIVATE));
        let with_text = backtest(&place, &["past.jsonl", "--with-text"]);
        assert_eq!(with_text.stdout.matches(&format!(r#""prompt":"{PRIVATE}""#)).count(), 200);
        for format in ["table", "html"] {
            let run = place.run(&["backtest", "past.jsonl", "--policy", "policy.json", "--format", format]);
            assert!(run.status == Some(0) && run.stdout.contains("db/1.sql"), "{}{}", run.stdout, run.stderr);
            assert!(!run.stdout.contains(PRIVATE));
        }
    }
}

#[test]
fn a_cut_transcript_has_no_verdict_on_its_last_turn() {
    for shape in [Shape::Claude, Shape::Codex, Shape::Items] {
        let place = repository();
        let mut transcript = Transcript::new(&place, shape);
        written(&mut transcript, 0);
        transcript.prompt();
        transcript.edit("secrets/key");
        transcript.lines.pop();
        // The last line ends in the middle of a text.
        place.file("past.jsonl", transcript.text() + "{\"type\":\"user\",\"mess");
        let report = report(&backtest(&place, &["past.jsonl"]));
        assert_eq!(verdicts(&report), ["held", "unjudged"]);
        let last = &report["lines"][1];
        if shape == Shape::Items {
            assert_eq!(last["missing"], json!({"lines": 1}));
        } else {
            assert_eq!(last["causes"][0]["rule"], "deny");
            assert_eq!(last["missing"], json!({"calls": 1, "lines": 1}));
        }
        assert_eq!(
            (&report["unread_lines"], &report["unread"][0]["code"]),
            (&json!(1), &json!("malformed_json"))
        );
        assert_eq!(report["unread"][0]["place"], format!("past.jsonl:{}", transcript.lines.len() + 1));
    }
}

#[test]
fn a_transcript_that_begins_within_a_turn_has_no_verdict_on_it() {
    let report = report_on(Shape::Claude, |transcript| {
        transcript.edit("src/a.js");
        transcript.run("npm test", 0);
        written(transcript, 5);
    });
    assert_eq!(verdicts(&report), ["unjudged", "released"]);
}

#[test]
fn unknown_entries_are_skipped_and_damaged_calls_are_missing() {
    let report = report_on(Shape::Claude, |transcript| {
        transcript.lines.push(r#"{"type":"file-history-snapshot","snapshot":{}}"#.into());
        transcript.prompt();
        let odd = ["[1, 2]", "7", "{}", r#"{"type":"assistant","message":{"content":7}}"#];
        transcript.lines.extend(odd.map(Into::into));
        let blocks = json!([{"type": "thinking"}, {"type": "tool_use", "name": "Edit"}]);
        transcript.claude("assistant", &blocks, &Value::Null);
    });
    assert_eq!((verdicts(&report), &report["unread_lines"]), (vec!["unknown"], &json!(0)));
    assert_eq!(report["missing"], json!({"calls": 1}));
    let report = report_on(Shape::Codex, |transcript| {
        let odd = [
            r#"{"type":"event_msg","payload":{"type":"user_message"}}"#,
            r#"{"type":"event_msg","payload":{"type":"of_tomorrow"}}"#,
            r#"{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{}"}}"#,
            r#"{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"no object","call_id":"a"}}"#,
            r#"{"type":"of_tomorrow","payload":{"type":7}}"#,
        ];
        transcript.lines = odd.map(str::to_owned).into();
    });
    assert_eq!((verdicts(&report), &report["missing"]), (vec!["unknown"], &json!({"calls": 2})));
}

#[test]
fn a_line_over_the_limit_is_unread_and_the_rest_counts() {
    let report = report_on(Shape::Codex, |transcript| {
        written(transcript, 5);
        transcript.lines.push(format!("{{\"a\":\"{}\"}}", "x".repeat(9 << 20)));
        written(transcript, 0);
    });
    assert_eq!(verdicts(&report), ["unknown", "held"]);
    let unread = (&report["unread_lines"], &report["unread"][0]["code"]);
    assert_eq!(unread, (&json!(1), &json!("limit_exceeded")));
}

/// The exit code of a command that runs on is in the output of a later call. It belongs to the files at the start.
#[test]
fn a_command_that_runs_on_ends_with_its_process() {
    for (edits_meanwhile, verdict) in [(false, "released"), (true, "held")] {
        let report = report_on(Shape::Codex, |transcript| {
            transcript.prompt();
            transcript.edit("src/a.js");
            let arguments = json!({"cmd": "npm test", "workdir": transcript.folder}).to_string();
            let call = json!({"call_id": "long", "name": "exec_command", "arguments": arguments});
            let output =
                "Chunk ID: a\nWall time: 10.0 seconds\nProcess running with session ID 42\nOutput:\n";
            transcript.response("function_call", call, output);
            if edits_meanwhile {
                transcript.edit("src/b.js");
            }
            for (id, end) in [("w1", "running with session ID 42"), ("w2", "exited with code 0")] {
                let arguments = r#"{"session_id":42,"chars":""}"#;
                let wait = json!({"call_id": id, "name": "write_stdin", "arguments": arguments});
                transcript.response(
                    "function_call",
                    wait,
                    &format!("Chunk ID: b\nProcess {end}\nOutput:\nok"),
                );
            }
        });
        assert_eq!((verdicts(&report), &report["missing"]), (vec![verdict], &json!({})));
    }
}

#[test]
fn a_turn_that_the_user_ended_and_one_without_an_exit_code_are_not_released() {
    let report = report_on(Shape::Claude, |transcript| {
        written(transcript, 5);
        let interrupted = json!([{"type": "text", "text": "[Request interrupted by user]"}]);
        transcript.claude("user", &interrupted, &Value::Null);
        for field in ["backgroundTaskId", "returnCodeInterpretation"] {
            written(transcript, 5);
            let last = transcript.lines.pop().unwrap();
            let mut line: Value = serde_json::from_str(&last).unwrap();
            line["toolUseResult"][field] = "a text".into();
            transcript.lines.push(line.to_string());
        }
    });
    assert_eq!(verdicts(&report), ["unjudged", "needs_human", "needs_human"]);
    assert_eq!(report["missing"], json!({"exit_codes": 2}));
}

#[test]
fn the_files_of_the_hook_are_protected_as_by_the_hook() {
    let report = report_on(Shape::Claude, |transcript| {
        transcript.prompt();
        transcript.edit("adjudicate.json");
        transcript.run("npm test", 0);
    });
    assert_eq!((&report["refused"], &report["blocks"][0]["rule"]), (&json!(1), &json!("ask")));
}

#[test]
fn a_tool_that_is_not_known_may_change_anything() {
    for (tool, is_known) in [
        ("mcp__x__run_command", false),
        ("mcp__x__write_file", false),
        ("mcp__x__exec", false),
        ("Bash", false),
        ("Transmute", false),
        ("mcp__x__get_issue", true),
        ("TodoWrite", true),
        ("Read", true),
    ] {
        for has_edit in [true, false] {
            let report = report_on(Shape::Claude, |transcript| {
                transcript.prompt();
                if has_edit {
                    transcript.edit("src/a.js");
                }
                let input =
                    json!({"source": PRIVATE, "target": [PRIVATE], "file_path": PRIVATE, "x": PRIVATE});
                transcript.call(tool, input);
                transcript.run("npm test", 0);
            });
            let verdict = if is_known { "released" } else { "unknown" };
            let missing = if is_known { json!({}) } else { json!({"tools": 1}) };
            assert_eq!((verdicts(&report), &report["missing"]), (vec![verdict], &missing), "{tool}");
            assert!(!report.to_string().contains(PRIVATE), "{tool}");
        }
    }
    let report = report_on(Shape::Items, |transcript| {
        transcript.prompt();
        let call = json!({"type": "McpToolCall", "id": "m", "server": "x", "tool": "run", "arguments": {}});
        transcript.item(&call);
        transcript.end();
    });
    assert_eq!((verdicts(&report), &report["missing"]), (vec!["unknown"], &json!({"tools": 1})));
}

#[test]
fn a_cause_is_what_the_policy_refuses_and_no_text() {
    let patch = |path: &str| {
        format!("*** Begin Patch\n*** Update File: src/a.js\n+1\n*** Update File: {path}\n+2\n*** End Patch")
    };
    let report = report_on(Shape::Claude, |transcript| {
        transcript.prompt();
        transcript.call("apply_patch", json!({"input": patch("secrets/key")}));
        let command = format!("apply_patch <<'END'\n{}\nEND", patch("db/1.sql"));
        transcript.call("Bash", json!({"command": command}));
        transcript.call("Edit", json!({"path": "secrets/key"}));
        transcript.call("mcp__x__put", json!({"path": "secrets/a private word"}));
    });
    let causes: Vec<_> = report["lines"][0]["causes"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|cause| ["deny", "ask"].iter().any(|rule| cause["rule"] == *rule))
        .map(|cause| (cause["rule"].as_str().unwrap(), cause["item"].as_str().unwrap()))
        .collect();
    assert_eq!(
        causes,
        [("deny", "secrets/key"), ("ask", "db/1.sql"), ("deny", "Edit"), ("deny", "mcp__x__put")]
    );
    assert!(!report.to_string().contains(PRIVATE));
}

#[test]
fn a_validator_that_did_not_run_is_named() {
    let report = report_on(Shape::Claude, |transcript| {
        transcript.prompt();
        transcript.edit("src/a.js");
    });
    let cause = |rule: &str, item: &str| json!({"rule": rule, "item": item, "line": 1});
    let causes = json!([cause("hard_failure", "unit"), cause("unknown_evidence", "result of `unit`")]);
    assert_eq!(report["lines"][0]["causes"], causes);
}

#[test]
fn a_file_counts_once_and_other_turns_with_the_same_ids_count() {
    let place = repository();
    let mut first = Transcript::new(&place, Shape::Codex);
    written(&mut first, 0);
    fs::create_dir_all(place.path("all/below")).unwrap();
    place.file("all/below/1.jsonl", first.text());
    #[cfg(unix)]
    std::os::unix::fs::symlink(place.path("all/below/1.jsonl"), place.path("link.jsonl")).unwrap();
    #[cfg(not(unix))]
    place.file("link.jsonl", "{}");
    let found = report(&backtest(&place, &["all", "all/below", "all/../all/below/1.jsonl", "link.jsonl"]));
    assert_eq!(verdicts(&found), ["held"]);
    // The prompts have the same ids.
    for (name, number) in [("one", 5), ("two", 2), ("two-resumed", 2)] {
        let mut transcript = Transcript::new(&place, Shape::Claude);
        written(&mut transcript, number);
        place.file(
            &format!("ids-{name}.jsonl"),
            transcript.text().replace(r#""sessionId":"s""#, &format!(r#""sessionId":"{name}""#)),
        );
    }
    let found = report(&backtest(&place, &["ids-one.jsonl", "ids-two.jsonl", "ids-two-resumed.jsonl"]));
    assert_eq!(verdicts(&found), ["released", "needs_human"]);
}

#[test]
fn subagents_are_a_part_of_a_turn_and_a_repeated_turn_counts_once() {
    let place = repository();
    let mut transcript = Transcript::new(&place, Shape::Claude);
    written(&mut transcript, 0);
    let sidechain = transcript.text().replace(r#""sessionId""#, r#""isSidechain":true,"sessionId""#);
    fs::create_dir_all(place.path("all")).unwrap();
    place.file("all/1.jsonl", transcript.text());
    place.file("all/2-resumed.jsonl", transcript.text());
    place.file("all/3-subagent.jsonl", sidechain);
    let mut codex = Transcript::new(&place, Shape::Codex);
    written(&mut codex, 0);
    let of_subagent = codex.text().replace(r#""source":"cli""#, r#""source":{"subagent":"review"}"#);
    place.file("all/4-subagent.jsonl", of_subagent);
    let report = report(&backtest(&place, &["all"]));
    assert_eq!(verdicts(&report), ["held"]);
    assert_eq!((&report["transcripts"], &report["left_out"]), (&json!(3), &json!(1)));
}

#[test]
fn transcripts_of_the_user_are_found_and_those_of_other_folders_left_out() {
    let place = repository();
    let mut own = Transcript::new(&place, Shape::Claude);
    written(&mut own, 0);
    let mut other = Transcript::in_folder("/elsewhere".into(), Shape::Codex);
    written(&mut other, 0);
    let in_no_folder = own.text().replace("\"cwd\"", "\"x\"");
    for folder in ["claude/projects/app", "codex/sessions/2026/11"] {
        fs::create_dir_all(place.path(folder)).unwrap();
    }
    place.file("claude/projects/app/one.jsonl", own.text());
    place.file("claude/projects/app/two.jsonl", in_no_folder.replace(r#""uuid":"u"#, r#""uuid":"v"#));
    place.file("codex/sessions/2026/11/rollout-1.jsonl", other.text());
    place.file("codex/sessions/2026/11/rollout-2.jsonl.zst", "compressed");
    let args = ["backtest", "--policy", "policy.json", "--format", "json"];
    let folders =
        |claude: &str| [("CLAUDE_CONFIG_DIR", place.path(claude)), ("CODEX_HOME", place.path("codex"))];
    let found = report(&place.run_where(&folders("claude"), &args, b""));
    assert_eq!(verdicts(&found), ["held"]);
    assert_eq!((&found["transcripts"], &found["left_out"]), (&json!(1), &json!(2)));
    let place_of_unread = found["unread"][0]["place"].as_str().unwrap();
    assert!(found["unread_lines"] == 1 && place_of_unread.ends_with("rollout-2.jsonl.zst:0"), "{found}");
    let none = place.run_where(&[("HOME", place.path("absent"))], &args, b"");
    assert!(none.code() == "unreadable_input" && none.stderr.contains("no transcript was found"), "{none:?}");
}

#[test]
fn damaged_guardrails_are_an_error_and_deny_no_past_call() {
    let place = repository();
    place.file("adjudicate.json", CONFIGURATION.replacen('{', r#"{"guardrails":"guardrails.json","#, 1));
    place.file("guardrails.json", "[7]");
    let mut transcript = Transcript::new(&place, Shape::Claude);
    written(&mut transcript, 0);
    place.file("past.jsonl", transcript.text());
    let run = backtest(&place, &["past.jsonl"]);
    assert_eq!(run.code(), "invalid_value", "{}", run.stderr);
    place.file(
        "guardrails.json",
        r#"[{"id":"push","trigger":{"kind":"onStart"},"condition":{"==":[{"var":"input.command"},"git push"]},"action":{"type":"fail","message":"no push"}}]"#,
    );
    transcript.run("git push", 0);
    place.file("past.jsonl", transcript.text());
    let report = report(&backtest(&place, &["past.jsonl"]));
    let denied = json!({"rule": "deny", "item": "git push", "line": transcript.lines.len() - 1});
    assert!(report["lines"][0]["causes"].as_array().unwrap().contains(&denied), "{report}");
}

#[test]
#[cfg(target_os = "linux")]
#[ignore = "takes long: `cargo xtask test tests-further`"]
fn transcripts_of_200_mb_are_read_in_bounded_memory() {
    use std::{fs::File, io::Write, process::Command};

    const KIBIBYTES: u64 = 150 << 10;
    for shape in [Shape::Claude, Shape::Codex, Shape::Items] {
        let place = repository();
        let mut file = File::create(place.path("past.jsonl")).unwrap();
        let filler = "x".repeat(1 << 20);
        for number in 0..200 {
            let mut transcript = Transcript::new(&place, shape);
            written(&mut transcript, 5);
            // Outputs are the largest part of a transcript.
            let text = transcript.text().replace(PRIVATE, &filler);
            let text = text.replace(r#""uuid":"u"#, &format!(r#""uuid":"{number}-"#));
            let text = text.replace(r#""turn_id":"t"#, &format!(r#""turn_id":"{number}-"#));
            file.write_all(text.as_bytes()).unwrap();
        }
        let length = file.metadata().unwrap().len();
        assert!(length > 200_000_000, "{length}");
        let args = ["backtest", "past.jsonl", "--policy", "policy.json", "--format", "json"];
        let command = place.command(&args);
        let script = format!(r#"ulimit -v {KIBIBYTES}; exec "$0" "$@""#);
        let mut limited = Command::new("sh");
        limited.args(["-c", &script]).arg(command.get_program()).args(args).current_dir(place.path(""));
        let run = Run::from(limited.output().unwrap());
        assert_eq!(report(&run)["verdicts"]["released"], 200, "{shape:?}");
    }
}
