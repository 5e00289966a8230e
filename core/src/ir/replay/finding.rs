//! Findings about a replay, in one order and bounded in number.

use alloc::{format, string::String, vec::Vec};
use core::mem;

use adjudicate_lang::{
    json::{Pointer, compare_pointers, object::ObjectWriter},
    order,
};

use crate::documents::replay::ReplayCode;

/// A difference between a replay and its plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayFinding {
    code: ReplayCode,
    path: String,
    line: Option<u64>,
    message: String,
}

impl ReplayFinding {
    /// A finding about a field of the event with index `event`, which was on line `line`.
    pub(super) fn for_event(code: ReplayCode, event: u64, line: u64, member: &str, message: String) -> Self {
        let path = Pointer::new("/events").key(&format!("{event}"));
        let path = if member.is_empty() { path } else { path.key(member) };
        Self { code, path: path.into_string(), line: Some(line), message }
    }

    /// A finding about the call as a whole, or its receipt.
    pub(super) fn for_call(code: ReplayCode, path: &str, message: String) -> Self {
        Self { code, path: path.into(), line: None, message }
    }

    /// The code of the finding.
    #[must_use]
    pub const fn code(&self) -> ReplayCode {
        self.code
    }

    /// JSON Pointer into the call; event indices begin at 0, whatever lines they came from.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The line of the event, from 1, if the finding is about one.
    #[must_use]
    pub const fn line(&self) -> Option<u64> {
        self.line
    }

    /// The difference in one line.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// `{code, path, line?, message}`
    pub(super) fn write(&self, out: &mut String) {
        let mut members = ObjectWriter::open(out);
        members.text("code", Some(self.code.as_str()));
        members.text("path", Some(&self.path));
        if let Some(line) = self.line {
            members.count("line", line);
        }
        members.text("message", Some(&self.message));
        members.close();
    }
}

/// The first findings in order, and the number of the others.
#[derive(Debug, Default)]
pub(super) struct ReplayFindings {
    listed: Vec<ReplayFinding>,
    omitted: u64,
}

impl ReplayFindings {
    /// The most findings that are listed.
    pub(super) const MAX: usize = 1_000;

    pub(super) fn push(&mut self, finding: ReplayFinding) {
        self.listed.push(finding);
        // Sorting rarely keeps the cost per finding constant.
        if self.listed.len() >= 2 * Self::MAX {
            self.settle();
        }
    }

    /// Sorts the findings, and drops those beyond the limit.
    fn settle(&mut self) {
        order::sort_by(&mut self.listed, |left, right| {
            compare_pointers(&left.path, &right.path).then_with(|| left.code.cmp(&right.code))
        });
        let omitted = self.listed.len().saturating_sub(Self::MAX);
        self.listed.truncate(Self::MAX);
        self.omitted += omitted as u64;
    }

    /// The findings, sorted by path segment by segment, then by code. Omitted findings add a finding about the whole call, which
    /// comes first.
    pub(super) fn into_list(mut self) -> Vec<ReplayFinding> {
        self.settle();
        let mut list = mem::take(&mut self.listed);
        if self.omitted > 0 {
            let message = format!("{} more findings are not listed", self.omitted);
            list.insert(0, ReplayFinding::for_call(ReplayCode::FindingsOmitted, "", message));
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_thousand_are_listed_however_they_come() {
        for count in [0_u64, 1, 999, 1_000, 1_001, 1_999, 2_000, 2_001, 12_345] {
            for step in [1, 7_919] {
                let mut findings = ReplayFindings::default();
                for at in 0..count {
                    let event = at * step % count;
                    findings.push(ReplayFinding::for_event(
                        ReplayCode::UnknownStep,
                        event,
                        event + 1,
                        "",
                        String::new(),
                    ));
                }
                let list = findings.into_list();
                let mut expected: Vec<_> = (0..count.min(1_000)).map(|at| format!("/events/{at}")).collect();
                if count > 1_000 {
                    expected.insert(0, String::new());
                    assert_eq!(list[0].message(), format!("{} more findings are not listed", count - 1_000));
                }
                assert_eq!(
                    list.iter().map(ReplayFinding::path).collect::<Vec<_>>(),
                    expected,
                    "{count} {step}"
                );
            }
        }
    }
}
