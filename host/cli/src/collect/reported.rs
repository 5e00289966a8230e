//! A decision on a repository, for reports.

use std::path::Path;

use adjudicate_collect::Decided;

use crate::table::visible;

/// A decision with what a report of it needs.
pub(super) struct Reported<'a> {
    pub(super) decided: &'a Decided,
    pub(super) root: &'a Path,
    /// The name of the configuration below the root.
    pub(super) configuration: &'a str,
}

impl Reported<'_> {
    /// Returns the status and the next step in one line.
    pub(super) fn headline(&self) -> String {
        let decision = &self.decided.evaluation.decision;
        let status = decision.status.as_str().replace('_', " ");
        let step = decision.next_step.as_deref();
        step.map_or(format!("{status}, no next step"), |step| {
            format!("{status}, next step: {}", visible(step))
        })
    }
}
