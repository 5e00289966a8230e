//! Calls of `run` in scratch repositories: answers, and everything that stops the validators.

use std::{
    io::{BufRead, BufReader, Lines, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use super::{INITIALIZE, call, error, is_valid, result, tools};
use crate::{
    command::TestFolder,
    repository::{CONFIGURATION, repository},
};

/// A session with a process. The end of the input would stop a run, so it stays open.
struct Session {
    place: TestFolder,
    child: Child,
    stdin: Option<ChildStdin>,
    replies: Lines<BufReader<ChildStdout>>,
}

impl Session {
    fn begin(place: TestFolder) -> Self {
        let mut command = place.command(&["mcp"]);
        command.stdin(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().unwrap());
        let mut session = Self { place, child, stdin, replies: BufReader::new(stdout).lines() };
        session.send(INITIALIZE);
        session.reply();
        session
    }

    /// Begins a session, and a run with the id 1 whose validator waits.
    fn with_run() -> Self {
        let place = repository("0");
        place.file("adjudicate.yaml", CONFIGURATION.replace("exit $(cat code)", "echo > started; sleep 60"));
        let mut session = Self::begin(place);
        session.send(&call(1, "run", "{}"));
        while !session.place.path("started").exists() {
            thread::sleep(Duration::from_millis(5));
        }
        session
    }

    fn send(&mut self, message: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    fn reply(&mut self) -> Value {
        serde_json::from_str(&self.replies.next().unwrap().unwrap()).unwrap()
    }

    fn run(&mut self, arguments: &str) -> Value {
        self.send(&call(1, "run", arguments));
        self.reply()
    }

    fn end(mut self) {
        self.stdin = None;
        assert!(self.replies.next().is_none());
        assert!(self.child.wait().unwrap().success());
    }

    /// Reads the answer of an interrupted run, and waits for the end of the process.
    fn end_interrupted(mut self) {
        let reply = self.reply();
        assert!(result(&reply).0.contains(r#""rule":"interrupted""#), "{reply}");
        assert!(self.replies.next().is_none());
        assert!(self.child.wait().unwrap().success());
    }
}

#[test]
fn a_run_decides_on_the_repository() {
    let mut session = Session::begin(repository("1"));
    let schema = tools(&session.place, &[]).remove(0)["outputSchema"].clone();
    for (arguments, status) in [
        ("{}", "partial"),
        ("{}", "needs_human"),
        (r#"{"new_run":true}"#, "partial"),
        (r#"{"base":"HEAD","new_run":true}"#, "partial"),
    ] {
        let reply = session.run(arguments);
        let decision = &reply["result"]["structuredContent"]["decision"];
        assert_eq!((&decision["status"], result(&reply).1), (&json!(status), false), "{reply}");
        assert!(is_valid(&schema, &reply["result"]["structuredContent"]), "{reply}");
    }
    for (arguments, expected) in [
        (r#"{"base":"nowhere"}"#, ("invalid_value", "")),
        (r#"{"base":"--help"}"#, ("invalid_value", "")),
        (r#"{"base":1}"#, ("invalid_value", "/base")),
        (r#"{"new":true}"#, ("unknown_field", "/new")),
    ] {
        assert_eq!(error(&session.run(arguments)), expected);
    }
    session.end();
    let mut elsewhere = Session::begin(TestFolder::new());
    assert_eq!(error(&elsewhere.run("{}")), ("unreadable_input", ""));
    elsewhere.end();
}

#[test]
fn the_end_of_the_input_stops_the_validators() {
    let mut session = Session::with_run();
    session.stdin = None;
    session.end_interrupted();
}

#[test]
fn a_signal_stops_the_validators_and_the_server() {
    let session = Session::with_run();
    let id = session.child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    session.end_interrupted();
}

#[test]
fn a_run_lets_other_calls_pass_and_ends_when_it_is_cancelled() {
    let mut session = Session::with_run();
    session.send(&call(2, "deliberate", "{}"));
    assert_eq!(session.reply()["id"], 2);
    session.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    session.place.file("adjudicate.yaml", CONFIGURATION);
    // The first run holds the lock until its validator is stopped.
    session.send(&call(3, "run", r#"{"new_run":true}"#));
    let reply = session.reply();
    assert_eq!((&reply["id"], result(&reply).1), (&json!(3), false), "{reply}");
    session.end();
}
