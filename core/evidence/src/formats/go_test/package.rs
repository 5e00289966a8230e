//! A package whose tests run.

use alloc::{
    collections::BTreeMap,
    string::{String, ToString as _},
};

use super::output::GoOutput;
use crate::CaseStatus;

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
