//! A finding about a replay, and the list of them: in one order, and of bounded length.

use alloc::{format, string::String, vec::Vec};
use core::mem;

use adjudicate_lang::{
    json::{Pointer, compare_pointers, object::Members},
    order,
};

use super::ReplayCode;

/// What keeps a replay from being that of its plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    code: ReplayCode,
    path: String,
    line: Option<u64>,
    message: String,
}

impl Finding {
    /// About a member of the event at that place, from 0, which was given as line `line`.
    pub(super) fn of_event(code: ReplayCode, event: u64, line: u64, member: &str, message: String) -> Self {
        let path = Pointer::new("/events").key(&format!("{event}"));
        let path = if member.is_empty() { path } else { path.key(member) };
        Self { code, path: path.into_string(), line: Some(line), message }
    }

    /// About the call as a whole, or its receipt.
    pub(super) fn of_call(code: ReplayCode, path: &str, message: String) -> Self {
        Self { code, path: path.into(), line: None, message }
    }

    /// What was found.
    #[must_use]
    pub const fn code(&self) -> ReplayCode {
        self.code
    }

    /// JSON Pointer into the call; events are counted from 0 there, whichever lines they came from.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The line that the event was given as, from 1, if the finding is about one.
    #[must_use]
    pub const fn line(&self) -> Option<u64> {
        self.line
    }

    /// What was found, in one line.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// `{code, path, line?, message}`
    pub(super) fn write(&self, out: &mut String) {
        let mut members = Members::open(out);
        members.text("code", Some(self.code.as_str()));
        members.text("path", Some(&self.path));
        if let Some(line) = self.line {
            members.count("line", line);
        }
        members.text("message", Some(&self.message));
        members.close();
    }
}

/// The findings of a replay: the first ones in their order, and how many there are besides.
#[derive(Debug, Default)]
pub(super) struct Findings {
    listed: Vec<Finding>,
    omitted: u64,
}

impl Findings {
    /// How many are listed.
    pub(super) const MAX: usize = 1_000;

    pub(super) fn push(&mut self, finding: Finding) {
        self.listed.push(finding);
        // Now and then, so that each is moved but a few times.
        if self.listed.len() >= 2 * Self::MAX {
            self.settle();
        }
    }

    /// Puts them in order, and lets go of those that are not listed.
    fn settle(&mut self) {
        order::sort_by(&mut self.listed, |left, right| {
            compare_pointers(&left.path, &right.path).then_with(|| left.code.cmp(&right.code))
        });
        let omitted = self.listed.len().saturating_sub(Self::MAX);
        self.listed.truncate(Self::MAX);
        self.omitted += omitted as u64;
    }

    /// The list: in the order of the paths, segment by segment, and of one path in the order of the codes. That some are not
    /// in it is a finding about the call as a whole, and so the first.
    pub(super) fn into_list(mut self) -> Vec<Finding> {
        self.settle();
        let mut list = mem::take(&mut self.listed);
        if self.omitted > 0 {
            let message = format!("{} more findings are not listed", self.omitted);
            list.insert(0, Finding::of_call(ReplayCode::FindingsOmitted, "", message));
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
                let mut findings = Findings::default();
                for at in 0..count {
                    let event = at * step % count;
                    findings.push(Finding::of_event(
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
                assert_eq!(list.iter().map(Finding::path).collect::<Vec<_>>(), expected, "{count} {step}");
            }
        }
    }
}
