//! What the rules find: as many findings as an answer could list, and of the others what the decision needs.

use alloc::{borrow::Cow, vec::Vec};

use super::finding::{Finding, most_severe};
use crate::{
    bounds::MAX_LISTED,
    codes::{RuleCode, Status},
};

/// The number of findings in a chunk of those that cannot be listed.
const CHUNK: usize = 1024;

/// What rules found.
#[derive(Default)]
pub(super) struct Found<'a> {
    /// What counts, in the order of findings: of each built-in rule and each status at most [`MAX_LISTED`].
    pub findings: Vec<Finding<'a>>,
    /// Findings that count and could not be listed. Chunks do not move as the list grows, which takes most of the memory where there are
    /// many findings.
    beyond: Vec<Vec<Beyond<'a>>>,
    /// What is only reported, in the order of findings.
    pub monitored: Vec<Finding<'a>>,
    /// The last finding, until it is complete, and how many of its rule and status came before.
    last: Option<(Finding<'a>, usize)>,
}

/// A finding of a built-in rule of which there are too many to list: others of its rule and its status are listed.
pub(super) struct Beyond<'a> {
    pub code: RuleCode,
    pub status: Status,
    pub raises_blocker: bool,
    pub item: Cow<'a, str>,
}

impl<'a> Found<'a> {
    /// Adds a finding, to be completed before the next one comes. `of_kind`: how many of its rule and status there are.
    pub(super) fn add(&mut self, finding: Finding<'a>, of_kind: usize) -> &mut Finding<'a> {
        self.settle();
        &mut self.last.insert((finding, of_kind)).0
    }

    /// Lists the last finding, or keeps of it what the decision needs.
    pub(super) fn settle(&mut self) {
        let Some((last, of_kind)) = self.last.take() else { return };
        if of_kind < MAX_LISTED {
            self.findings.push(last);
        } else if let Some(code) = last.code() {
            let raises_blocker = last.raises_blocker();
            let beyond = Beyond { code, status: last.status, raises_blocker, item: last.item };
            match self.beyond.last_mut() {
                Some(chunk) if chunk.len() < CHUNK => chunk.push(beyond),
                _ => {
                    let mut chunk = Vec::with_capacity(CHUNK);
                    chunk.push(beyond);
                    self.beyond.push(chunk);
                }
            }
        }
    }

    /// Findings that count and could not be listed.
    pub(super) fn beyond(&self) -> impl Iterator<Item = &Beyond<'a>> {
        self.beyond.iter().flatten()
    }

    /// The most severe status that anything found calls for. What is listed has each status of what is not.
    pub(super) fn status(&self) -> Status {
        most_severe(&self.findings)
    }

    /// The codes and items of everything but escalations that raises a blocker, what is listed first.
    pub(super) fn raised(&self) -> impl Iterator<Item = (&'a str, &str)> {
        let raising =
            self.findings.iter().filter(|finding| !finding.is_escalation() && finding.raises_blocker());
        let listed = raising.filter_map(|finding| Some((finding.blocker?, &*finding.item)));
        let beyond = self.beyond().filter(|finding| finding.raises_blocker);
        let beyond = beyond.filter_map(|finding| Some((finding.code.row().blocker?, &*finding.item)));
        listed.chain(beyond)
    }
}
