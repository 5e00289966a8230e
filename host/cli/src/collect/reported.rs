//! A decision on a repository, for reports.

use std::path::Path;

use adjudicate_collect::Decided;

/// A decision with what a report of it needs.
pub(super) struct Reported<'a> {
    pub(super) decided: &'a Decided,
    pub(super) root: &'a Path,
    /// The name of the configuration below the root.
    pub(super) configuration: &'a str,
}
