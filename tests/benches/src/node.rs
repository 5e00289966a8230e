//! Node as a contestant: one process that runs a number of calls on request, and returns their time.
//!
//! V8 compiles quickly first and well later, so it gets time to reach the speed of a long-running program.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Duration,
};

use crate::Failure;

/// The time of evaluating an envelope before the measurement.
const WARM_UP: Duration = Duration::from_millis(700);
/// The number of calls in a step of the warm-up.
const WARM_UP_CALLS: u64 = 500;

/// The way of `evaluateText`.
pub(crate) const TEXT: &str = "text";
/// The way of a preview: a change of an open envelope, and its evaluation.
pub(crate) const PREVIEW: &str = "preview";

/// The running script, which answers each line with one line.
pub(crate) struct Node {
    child: Child,
    requests: Option<ChildStdin>,
    replies: BufReader<ChildStdout>,
}

impl Node {
    /// Starts `script` in its own folder, where it finds the npm package.
    pub(crate) fn start(script: &Path) -> Result<Self, Failure> {
        let folder = script.parent().ok_or("the script lies in no folder")?;
        let mut child = Command::new("node")
            .arg(script)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("node: {error}"))?;
        let requests = child.stdin.take();
        let replies = BufReader::new(child.stdout.take().ok_or("node has no stdout")?);
        Ok(Self { child, requests, replies })
    }

    /// Chooses the envelope of the next calls, and returns its answer.
    pub(crate) fn choose(&mut self, envelope: &str) -> Result<String, Failure> {
        let answer = self.ask(&serde_json::json!({ "envelope": envelope }))?;
        for way in [TEXT, PREVIEW] {
            let mut spent = Duration::ZERO;
            while spent < WARM_UP {
                spent += self.run(way, WARM_UP_CALLS)?;
            }
        }
        Ok(answer)
    }

    /// Runs a number of calls, one of the ways.
    pub(crate) fn run(&mut self, way: &str, times: u64) -> Result<Duration, Failure> {
        let nanoseconds = self.ask(&serde_json::json!({ "way": way, "times": times }))?;
        Ok(Duration::from_nanos(nanoseconds.parse()?))
    }

    fn ask(&mut self, request: &serde_json::Value) -> Result<String, Failure> {
        let requests = self.requests.as_mut().ok_or("node has no stdin")?;
        writeln!(requests, "{request}")?;
        requests.flush()?;
        let mut reply = String::new();
        if self.replies.read_line(&mut reply)? == 0 {
            return Err("node ended early".into());
        }
        Ok(serde_json::from_str(&reply)?)
    }
}

impl Drop for Node {
    /// The script ends when its stdin closes.
    fn drop(&mut self) {
        self.requests = None;
        let _ = self.child.wait();
    }
}
