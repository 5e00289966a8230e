//! The JSON events of `go test -json`, one a line.
//!
//! Events with a `Test` are about a case, others about a package. A package ends with `pass`, `fail` or `skip`. Its events are between
//! those of other packages, because packages run in parallel.

mod package;

use alloc::{
    collections::{BTreeMap, BTreeSet},
    format,
    string::{String, ToString as _},
};

use adjudicate_core::{Error, json::Node};

use self::package::{GoOutput, GoPackage};
use super::FormatRow;
use crate::{
    CaseResult, CaseStatus, Reading,
    case_list::CaseList,
    duration::Unit,
    json::{self, JsonText},
    lines::{Line, lines},
    text::{id, one_line},
};

pub(super) const ROW: FormatRow = FormatRow {
    name: "go-test",
    writers: &["go test -json", "go tool test2json"],
    file_names: &["go-test*.json", "go-test*.ndjson", "gotest*.json"],
    sniff,
    read,
};

fn sniff(text: &str) -> bool {
    let is_event = |line: Line<'_>| {
        json::is_event(line.text, &["Action", "Package"])
            || json::is_event(line.text, &["Action", "ImportPath"])
    };
    lines(text).take(200).any(is_event)
}

fn read(text: &str) -> Result<Reading, Error> {
    let mut run = GoTestRun::default();
    for line in lines(text).filter(|line| !line.text.trim().is_empty()) {
        run.line(line)?;
    }
    run.finish(lines(text).count())
}

#[derive(Default)]
struct GoTestRun {
    cases: CaseList,
    /// The packages that have begun and not ended.
    packages: BTreeMap<String, GoPackage>,
    ended: BTreeSet<String>,
    /// The builds that failed and that no package has named yet, with their output.
    failed_builds: BTreeSet<String>,
    build_outputs: BTreeMap<String, GoOutput>,
}

impl GoTestRun {
    fn line(&mut self, line: Line<'_>) -> Result<(), Error> {
        let text = JsonText::new(line.text);
        let tape = text.parse();
        if let Ok(tape) = &tape
            && json::text(tape.root(), "Action").is_some()
        {
            return self.event(tape.root(), line.number);
        }
        self.cases.unread_lines += 1;
        if tape.is_err()
            && line.text.starts_with('{')
            && (!line.has_break || line.text.contains("\"Action\""))
        {
            self.cases.incomplete.add(format!("line {}: an event is cut", line.number));
        }
        // Go before 1.24 writes this line as plain text.
        match line.text.strip_prefix("FAIL\t").and_then(|rest| rest.split_whitespace().next()) {
            Some(package) => self.add_failure(package, GoOutput::new(&one_line(line.text)), line.number),
            None => Ok(()),
        }
    }

    fn event(&mut self, event: Node<'_>, line: usize) -> Result<(), Error> {
        let action = json::text(event, "Action").unwrap_or_default();
        if let Some(build) = json::text(event, "ImportPath") {
            self.build_event(build, action, event);
            return Ok(());
        }
        let name = json::text(event, "Package").unwrap_or_default();
        if action == "output" && self.ended.contains(name) {
            return Ok(());
        }
        let package = self.packages.entry(name.to_string()).or_insert_with(|| GoPackage::new(line));
        match (json::text(event, "Test"), action) {
            (Some(test), "output") => {
                package.output_of(test, json::text(event, "Output").unwrap_or_default())
            }
            (None, "output") => package.output.add(json::text(event, "Output").unwrap_or_default()),
            (Some(test), "run") => package.start(test, line),
            (Some(test), "pass" | "bench") => {
                return self.end_test(name, test, CaseStatus::Passed, event, line);
            }
            (Some(test), "skip") => return self.end_test(name, test, CaseStatus::Skipped, event, line),
            (Some(test), "fail") => return self.end_test(name, test, CaseStatus::Failed, event, line),
            (None, "pass" | "skip" | "fail") => return self.end_package(name, event, line),
            // `start`, `pause`, `cont`, `attr`, and the actions of later versions.
            _ => {}
        }
        Ok(())
    }

    fn build_event(&mut self, build: &str, action: &str, event: Node<'_>) {
        match action {
            "build-output" => {
                let output = self.build_outputs.entry(build.to_string()).or_default();
                output.add(json::text(event, "Output").unwrap_or_default());
            }
            "build-fail" => drop(self.failed_builds.insert(build.to_string())),
            _ => {}
        }
    }

    fn end_test(
        &mut self,
        package: &str,
        test: &str,
        status: CaseStatus,
        event: Node<'_>,
        line: usize,
    ) -> Result<(), Error> {
        let output = self.packages.get_mut(package).map(|open| open.end(test, status)).unwrap_or_default();
        let is_passed = status == CaseStatus::Passed;
        let case = CaseResult {
            id: id(&[package, test]),
            status,
            message: output.message.filter(|_| !is_passed),
            file: None,
            location: output.location.filter(|_| !is_passed),
            duration_ms: json::duration(event, "Elapsed", Unit::Seconds),
        };
        self.cases.add(case, || line)
    }

    fn end_package(&mut self, name: &str, event: Node<'_>, line: usize) -> Result<(), Error> {
        let Some(package) = self.packages.remove(name) else { return Ok(()) };
        self.ended.insert(name.to_string());
        let has_failure = package.has_failure || !package.running.is_empty();
        let build = json::text(event, "FailedBuild").unwrap_or_default();
        self.failed_builds.remove(build);
        self.end_running(name, package.running)?;
        if json::text(event, "Action") != Some("fail") || has_failure {
            return Ok(());
        }
        let output = self
            .build_outputs
            .remove(build)
            .filter(|output| output.message.is_some())
            .unwrap_or(package.output);
        let case = CaseResult {
            id: id(&[name]),
            status: CaseStatus::Failed,
            message: output.message.or_else(|| Some("the package failed outside of its tests".into())),
            file: None,
            location: output.location,
            duration_ms: json::duration(event, "Elapsed", Unit::Seconds),
        };
        self.cases.add(case, || line)
    }

    /// Lists the cases that did not end, for example because of a panic, as failed.
    fn end_running(
        &mut self,
        package: &str,
        running: BTreeMap<String, (GoOutput, usize)>,
    ) -> Result<(), Error> {
        for (test, (output, line)) in running {
            let case = CaseResult {
                id: id(&[package, &test]),
                status: CaseStatus::Failed,
                message: output.message.or_else(|| Some("the case started and did not end".into())),
                file: None,
                location: output.location,
                duration_ms: None,
            };
            self.cases.add(case, || line)?;
        }
        Ok(())
    }

    fn add_failure(&mut self, name: &str, output: GoOutput, line: usize) -> Result<(), Error> {
        let case = CaseResult {
            id: id(&[name]),
            status: CaseStatus::Failed,
            message: output.message,
            file: None,
            location: output.location,
            duration_ms: None,
        };
        self.cases.add(case, || line)
    }

    fn finish(mut self, last: usize) -> Result<Reading, Error> {
        for (name, package) in core::mem::take(&mut self.packages) {
            let (line, shown) = (package.line, adjudicate_core::json::shorten(&name));
            self.cases.incomplete.add(format!("line {line}: the package `{shown}` started and did not end"));
            self.end_running(&name, package.running)?;
            self.add_failure(&name, GoOutput::new("the package started and did not end"), line)?;
        }
        for build in core::mem::take(&mut self.failed_builds) {
            let output = self.build_outputs.remove(&build).filter(|output| output.message.is_some());
            self.add_failure(&build, output.unwrap_or_else(|| GoOutput::new("the build failed")), last)?;
        }
        Ok(Reading::Tests(self.cases.finish()))
    }
}
