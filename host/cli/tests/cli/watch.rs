//! `test --watch`: everything again when a file changes.

use std::{
    io::{BufRead, BufReader},
    process::Child,
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, SystemTime},
};

use serde_json::Value;

use crate::command::{ENVELOPE, TestFolder};

/// A policy with two rules and two tests, of which the one expects this status.
fn policy(expected: &str) -> String {
    format!(
        r#"{{"policy":"release","version":"1.2.0","rules":[
            {{"id":"large","when":{{">":[{{"var":"facts.diff.count"}},1]}},"then":{{"status":"needs_human","summary":"s"}}}},
            {{"id":"friday","when":{{"==":[{{"var":"input.x-day"}},"friday"]}},"on_unknown":"ignore",
              "then":{{"status":"blocked","summary":"s"}}}}],
          "tests":[
            {{"name":"clean passes","input":{ENVELOPE},"expect":{{"decision":{{"status":"{expected}"}},"findings":[]}}}},
            {{"name":"no envelope","input":{{}},"expect":{{"error":{{"code":"missing_field"}}}}}}]}}"#
    )
}

fn cases() -> String {
    format!(
        r#"[{{"name":"days","policy":"release","input":{ENVELOPE},"cases":[
            {{"name":"friday","set":{{"/x-day":"friday"}},"expect":{{"decision":{{"status":"blocked"}}}}}},
            {{"name":"monday","set":{{"/x-day":"monday"}},"expect":{{"decision":{{"status":"success"}}}}}}]}},
           {{"name":"large <&\"'> \u001b","input":{},"expect":{{"decision":{{"status":"needs_human"}}}}}}]"#,
        ENVELOPE.replace(r" M src/lib.rs\n", r" M a\n M b\n")
    )
}

pub(crate) fn place() -> TestFolder {
    let place = TestFolder::new();
    place.file("good.json", policy("success"));
    place.file("bad.json", policy("unsafe"));
    place.file("cases.json", cases());
    place
}

/// The time limit for a report, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A watching process and its output. Dropping it ends the process.
struct Watching {
    process: Child,
    lines: Receiver<String>,
}

impl Watching {
    fn start(place: &TestFolder, args: &[&str]) -> Self {
        let mut process = place.spawn(args);
        let out = BufReader::new(process.stdout.take().unwrap()).lines();
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || out.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { process, lines }
    }

    /// Returns the next line that contains a text. Panics if none comes in time.
    fn line_with(&self, part: &str) -> String {
        let mut seen = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) if line.contains(part) => return line,
                Ok(line) => seen.push(line),
                Err(error) => panic!("no line with `{part}` came ({error}), only {seen:#?}"),
            }
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn watching_runs_again_when_a_file_changes() {
    let place = place();
    place.file("policy.json", policy("success"));
    let watching = Watching::start(&place, &["test", "policy.json", "--case", "cases.json", "--watch"]);
    assert_eq!(watching.line_with(" tests: "), "5 tests: 5 passed, 0 failed");
    assert_eq!(watching.line_with("Watching"), "Watching 2 files; press Ctrl-C to end");
    place.file("policy.json", policy("unsafe"));
    assert_eq!(watching.line_with(" tests: "), "5 tests: 4 passed, 1 failed");
    // While a file is invalid, no test runs and the error is printed in place of the report. After a fix, the tests run
    // again.
    place.file("policy.json", r#"{"policy":"p","version":"1.0.0","rules":7}"#);
    let error = watching.line_with("error[");
    assert_eq!(error, "error[invalid_value]: policy.json: expected a list, found `7`");
    assert_eq!(watching.line_with("  at"), "  at /rules");
    place.file("cases.json", "[]");
    place.file("policy.json", policy("success"));
    assert_eq!(watching.line_with(" tests: 2"), "2 tests: 2 passed, 0 failed");
    // Touching is enough.
    let touched = std::fs::File::options().write(true).open(place.path("cases.json")).unwrap();
    touched.set_modified(SystemTime::now() + Duration::from_secs(5)).unwrap();
    assert_eq!(watching.line_with(" tests: "), "2 tests: 2 passed, 0 failed");
    // A file that goes away may come back.
    std::fs::remove_file(place.path("policy.json")).unwrap();
    watching.line_with("error[unreadable_input]");
    place.file("policy.json", policy("success"));
    assert_eq!(watching.line_with(" tests: "), "2 tests: 2 passed, 0 failed");
}

#[test]
fn watching_survives_a_file_that_is_of_no_use() {
    let place = place();
    place.file("policy.json", "{");
    let watching = Watching::start(&place, &["test", "policy.json", "--watch", "--format", "json"]);
    assert_eq!(crate::command::error_code(&watching.line_with("")), "malformed_json");
    place.file("policy.json", policy("success"));
    let report: Value = serde_json::from_str(&watching.line_with("")).unwrap();
    assert_eq!(report["passed"], 2);
    // One file is one.
    place.file("policy.json", policy("success"));
    let watching = Watching::start(&place, &["test", "policy.json", "--watch"]);
    assert_eq!(watching.line_with("Watching"), "Watching 1 file; press Ctrl-C to end");
}
