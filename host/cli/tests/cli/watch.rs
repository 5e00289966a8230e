//! `test --watch`: everything again when a file changes.

use std::{
    io::{BufRead, BufReader},
    process::Child,
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, SystemTime},
};

use serde_json::Value;

use crate::{
    command::Place,
    tests::{place, policy},
};

/// How long a report may be in coming, on however busy a machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A process that watches, and what it prints; it is ended with the test.
struct Watching {
    process: Child,
    lines: Receiver<String>,
}

impl Watching {
    fn start(place: &Place, args: &[&str]) -> Self {
        let mut process = place.spawn(args);
        let out = BufReader::new(process.stdout.take().unwrap()).lines();
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || out.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { process, lines }
    }

    /// The next line that has this in it. That none comes is a failure, not a wait without end.
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
    // Nothing is run while a file is of no use, and that is told where the report would be; mended, it is.
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
