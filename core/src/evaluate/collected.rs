//! The findings of the rules: as many as an answer can list, and the decisive parts of the others.

use alloc::{borrow::Cow, vec::Vec};

use super::finding::most_severe;
use crate::{
    bounds::MAX_LISTED,
    codes::{RuleCode, Status},
    documents::finding::Finding,
};

/// The number of unlisted findings in a chunk.
const CHUNK: usize = 1024;

/// The findings of the rules.
#[derive(Default)]
pub(super) struct CollectedFindings<'a> {
    /// The findings that count, in order: at most [`MAX_LISTED`] of each built-in rule and status.
    pub findings: Vec<Finding<'a>>,
    /// The findings that count and cannot be listed. In chunks, because moving a growing list would take most of the memory for
    /// many findings.
    unlisted: Vec<Vec<UnlistedFinding<'a>>>,
    /// The monitored findings, in order.
    pub monitored: Vec<Finding<'a>>,
    /// The last finding until it is complete, and the number of earlier ones of its rule and status.
    last: Option<(Finding<'a>, usize)>,
}

/// A finding of a built-in rule beyond the limit; others of its rule and status are listed.
pub(super) struct UnlistedFinding<'a> {
    pub code: RuleCode,
    pub status: Status,
    pub raises_blocker: bool,
    pub item: Cow<'a, str>,
}

impl<'a> CollectedFindings<'a> {
    /// Adds a finding, which the caller completes before it adds the next one. `of_kind` is the number of earlier findings with the
    /// same rule and status.
    pub(super) fn add(&mut self, finding: Finding<'a>, of_kind: usize) -> &mut Finding<'a> {
        self.settle();
        &mut self.last.insert((finding, of_kind)).0
    }

    /// Lists the last finding, or keeps only its decisive parts.
    pub(super) fn settle(&mut self) {
        // Taking a finding moves it, and most rules have none.
        if self.last.is_none() {
            return;
        }
        let Some((last, of_kind)) = self.last.take() else { return };
        if of_kind < MAX_LISTED {
            self.findings.push(last);
        } else if let Some(code) = last.code() {
            let raises_blocker = last.raises_blocker();
            let unlisted = UnlistedFinding { code, status: last.status, raises_blocker, item: last.item };
            match self.unlisted.last_mut() {
                Some(chunk) if chunk.len() < CHUNK => chunk.push(unlisted),
                _ => {
                    let mut chunk = Vec::with_capacity(CHUNK);
                    chunk.push(unlisted);
                    self.unlisted.push(chunk);
                }
            }
        }
    }

    /// The findings that count and cannot be listed.
    pub(super) fn unlisted(&self) -> impl Iterator<Item = &UnlistedFinding<'a>> {
        self.unlisted.iter().flatten()
    }

    /// The most severe status of all findings. The listed ones have every status that occurs.
    pub(super) fn status(&self) -> Status {
        most_severe(&self.findings)
    }

    /// The codes and items of all findings that raise a blocker, except escalations, listed ones first.
    pub(super) fn raised(&self) -> impl Iterator<Item = (&'a str, &str)> {
        let raising =
            self.findings.iter().filter(|finding| !finding.is_escalation() && finding.raises_blocker());
        let listed = raising.filter_map(|finding| Some((finding.blocker?, &*finding.item)));
        let unlisted = self.unlisted().filter(|finding| finding.raises_blocker);
        let unlisted = unlisted.filter_map(|finding| Some((finding.code.row().blocker?, &*finding.item)));
        listed.chain(unlisted)
    }
}
