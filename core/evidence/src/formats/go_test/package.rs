//! A package whose tests run, and the output of a test or build.

use alloc::{
    collections::BTreeMap,
    string::{String, ToString as _},
};

use crate::{CaseStatus, Location, text::first_line};

/// A package that has begun and not ended.
#[derive(Debug)]
pub(super) struct GoPackage {
    /// The line of the first event.
    pub line: usize,
    /// The output of the package itself.
    pub output: GoOutput,
    /// The cases that have begun and not ended, with their output and the line of their beginning.
    pub running: BTreeMap<String, (GoOutput, usize)>,
    /// True if a case failed.
    pub has_failure: bool,
}

impl GoPackage {
    pub(super) fn new(line: usize) -> Self {
        Self { line, output: GoOutput::default(), running: BTreeMap::new(), has_failure: false }
    }

    pub(super) fn start(&mut self, test: &str, line: usize) {
        self.running.entry(test.to_string()).or_insert_with(|| (GoOutput::default(), line));
    }

    /// Adds output to a case. Output behind the end of a case belongs to no case, and is ignored.
    pub(super) fn output_of(&mut self, test: &str, text: &str) {
        if let Some((output, _)) = self.running.get_mut(test) {
            output.add(text);
        }
    }

    /// Ends a case and returns its output.
    pub(super) fn end(&mut self, test: &str, status: CaseStatus) -> GoOutput {
        self.has_failure |= status == CaseStatus::Failed;
        self.running.remove(test).map(|(output, _)| output).unwrap_or_default()
    }
}

/// The first line of an output that tells something.
#[derive(Debug, Default)]
pub(super) struct GoOutput {
    pub message: Option<String>,
    pub location: Option<Location>,
}

impl GoOutput {
    /// Returns a message without a place.
    pub(super) fn new(message: &str) -> Self {
        Self { message: Some(message.into()), location: None }
    }
    /// Adds a line. Only the first line that tells something is kept.
    pub(super) fn add(&mut self, line: &str) {
        if self.message.is_some() || is_noise(line.trim()) {
            return;
        }
        match place(line.trim()) {
            Some((location, message)) => {
                self.message = first_line(message).or_else(|| first_line(line));
                self.location = Some(location);
            }
            None => self.message = first_line(line),
        }
    }
}

/// Returns whether a line tells nothing in addition to the events.
fn is_noise(line: &str) -> bool {
    const BEGINNINGS: [&str; 8] =
        ["=== ", "--- ", "# ", "exit status ", "coverage: ", "ok  \t", "?   \t", "goos: "];
    matches!(line, "" | "PASS" | "FAIL") || BEGINNINGS.iter().any(|beginning| line.starts_with(beginning))
}

/// Splits `FILE.go:LINE: MESSAGE` or `FILE.go:LINE:COLUMN: MESSAGE`.
fn place(line: &str) -> Option<(Location, &str)> {
    let (place, message) = line.split_once(": ")?;
    if !place.contains(".go:") || place.contains(char::is_whitespace) {
        return None;
    }
    Some((Location::parse(place.strip_prefix("./").unwrap_or(place))?, message))
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn the_first_line_that_tells_something_is_kept() {
        let mut output = GoOutput::default();
        for line in
            ["=== RUN   TestPay\n", "    pay_test.go:12: got 90, want 80\n", "    pay_test.go:13: more\n"]
        {
            output.add(line);
        }
        assert_eq!(output.message.as_deref(), Some("got 90, want 80"));
        assert_eq!(output.location.unwrap().to_string(), "pay_test.go:12");

        let mut output = GoOutput::default();
        ["# cart [cart.test]\n", "./args.go:149:6: undefined: x\n"].iter().for_each(|line| output.add(line));
        assert_eq!(output.location.unwrap().to_string(), "args.go:149");
    }
}
