//! The JSON events of libtest and of nextest, one a line.
//!
//! libtest writes one suite for each test binary, and no name of the binary. The nextest runner writes the name before a `$`, and adds `#2` to the
//! name in the second run of a case. It may end a suite while a case of the suite waits for its second run.

use alloc::{collections::BTreeMap, format, string::String};

use adjudicate_core::{Error, json::Node};

use super::FormatRow;
use crate::{
    CaseResult, CaseStatus, Reading,
    case_list::CaseList,
    duration::Unit,
    json::{self, JsonText},
    lines::{Line, lines},
    location::PanicText,
    text::{first_line, id},
};

pub(super) const ROW: FormatRow = FormatRow {
    name: "libtest",
    writers: &[
        "cargo test -- -Z unstable-options --format json",
        "cargo nextest --message-format libtest-json-plus",
    ],
    file_names: &["libtest*.json", "libtest*.ndjson", "nextest*.json", "nextest*.ndjson"],
    sniff,
    read,
};

fn sniff(text: &str) -> bool {
    lines(text).take(200).any(|line| json::is_event(line.text, &["type", "event"]))
}

fn read(text: &str) -> Result<Reading, Error> {
    let mut run = LibtestRun::default();
    for line in lines(text).filter(|line| !line.text.trim().is_empty()) {
        run.line(line)?;
    }
    run.finish(lines(text).count())
}

/// The suite that has begun and not ended.
#[derive(Default)]
struct OpenSuite {
    announced: u64,
    ended: u64,
    failures: u64,
}

#[derive(Default)]
struct LibtestRun {
    cases: CaseList,
    suite: Option<OpenSuite>,
    is_nextest: bool,
    /// The cases that have begun and not ended, with the line of their beginning.
    running: BTreeMap<String, usize>,
}

impl LibtestRun {
    fn line(&mut self, line: Line<'_>) -> Result<(), Error> {
        let text = JsonText::new(line.text);
        let is_json = match text.parse() {
            Ok(tape) if json::text(tape.root(), "type").is_some() => {
                return self.event(tape.root(), line.number);
            }
            other => other.is_ok(),
        };
        self.cases.unread_lines += 1;
        if !is_json
            && line.text.trim_start().starts_with('{')
            && (!line.has_break || line.text.contains("\"event\""))
        {
            self.cases.incomplete.add(format!("line {}: an event is cut", line.number));
        }
        Ok(())
    }

    fn event(&mut self, event: Node<'_>, line: usize) -> Result<(), Error> {
        let word = json::text(event, "event").unwrap_or_default();
        match (json::text(event, "type"), word) {
            (Some("suite"), "started") => {
                self.end_suite(None, line)?;
                self.is_nextest |= event.member("nextest").is_some();
                let announced = json::count(event, "test_count").unwrap_or(0);
                self.suite = Some(OpenSuite { announced, ..OpenSuite::default() });
                Ok(())
            }
            (Some("suite"), _) => self.end_suite(Some(event), line),
            (Some("test"), "started") => {
                self.running.insert(name(event).into(), line);
                Ok(())
            }
            (Some("test"), "ok" | "failed" | "ignored" | "allowed_failure") => self.result(event, word, line),
            (Some("bench"), _) => self.result(event, "ok", line),
            // A test that runs longer than expected, the durations of doc tests, or an event of a later version.
            _ => Ok(()),
        }
    }

    fn result(&mut self, event: Node<'_>, word: &str, line: usize) -> Result<(), Error> {
        let (name, attempt) = split_attempt(name(event));
        self.running.remove(name);
        let status = match word {
            "ok" if attempt > 1 => CaseStatus::Flaky,
            "ok" => CaseStatus::Passed,
            "ignored" | "allowed_failure" => CaseStatus::Skipped,
            _ => CaseStatus::Failed,
        };
        if let Some(suite) = &mut self.suite {
            suite.ended += 1;
            suite.failures += u64::from(status == CaseStatus::Failed);
        }
        let stdout = json::text(event, "stdout").unwrap_or_default();
        let panic = PanicText::find(stdout).filter(|_| status == CaseStatus::Failed);
        let reason =
            ["message", "reason"].into_iter().filter_map(|name| json::text(event, name)).find_map(first_line);
        let (message, location) = panic.map_or((None, None), |panic| (panic.message, panic.location));
        let output = || stdout.lines().filter(|line| !is_noise(line)).find_map(first_line);
        let case = CaseResult {
            id: id(&[name]),
            status,
            message: reason.or(message).or_else(|| output().filter(|_| status == CaseStatus::Failed)),
            file: None,
            location,
            duration_ms: json::duration(event, "exec_time", Unit::Seconds),
        };
        self.cases.add(case, || line)
    }

    /// Ends the open suite: at its last event, or without one at the next suite or at the end of the text.
    fn end_suite(&mut self, event: Option<Node<'_>>, line: usize) -> Result<(), Error> {
        if self.suite.is_none() && event.is_none() {
            return Ok(());
        }
        // The beginning of a suite may be missing, too.
        let suite = self.suite.take().unwrap_or_default();
        let scope = format!("the suite that ends at line {line}");
        match event {
            None => self.cases.incomplete.add(format!("line {line}: a suite did not end")),
            Some(event) => {
                let failed = json::count(event, "failed").unwrap_or(0);
                self.cases.incomplete.compare(&scope, "failures", failed, suite.failures);
                let has_failed = json::text(event, "event") == Some("failed");
                if has_failed && failed == 0 && suite.failures == 0 {
                    self.cases.incomplete.add(format!("{scope} failed and lists no failure"));
                }
            }
        }
        if !self.is_nextest {
            self.cases.incomplete.compare(&scope, "cases", suite.announced, suite.ended);
            self.end_running()?;
        }
        Ok(())
    }

    /// Lists the cases that did not end as failed.
    fn end_running(&mut self) -> Result<(), Error> {
        for (name, line) in core::mem::take(&mut self.running) {
            let case = CaseResult {
                id: id(&[&name]),
                status: CaseStatus::Failed,
                message: Some("the case started and did not end".into()),
                file: None,
                location: None,
                duration_ms: None,
            };
            self.cases.add(case, || line)?;
            self.cases.incomplete.add(format!("line {line}: a case started and did not end"));
        }
        Ok(())
    }

    fn finish(mut self, last: usize) -> Result<Reading, Error> {
        self.end_suite(None, last)?;
        self.end_running()?;
        Ok(Reading::Tests(self.cases.finish()))
    }
}

/// Returns whether a line of the output only repeats the events.
fn is_noise(line: &str) -> bool {
    ["running ", "test ", "failures:", "---- "].iter().any(|beginning| line.starts_with(beginning))
}

fn name(event: Node<'_>) -> &str {
    json::text(event, "name").unwrap_or("unnamed")
}

/// Splits the number of the run from a name that nextest wrote, for example `cart::buy$pays#2`.
fn split_attempt(name: &str) -> (&str, u32) {
    let attempt = name.rsplit_once('#').and_then(|(name, attempt)| Some((name, attempt.parse().ok()?)));
    attempt.filter(|(name, _)| name.contains('$')).unwrap_or((name, 1))
}
