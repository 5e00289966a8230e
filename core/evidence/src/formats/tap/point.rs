//! Test points.

use alloc::{format, string::String};

use super::directive::Description;
use crate::{
    CaseResult, CaseStatus, Location,
    text::{bounded_id, first_line},
};

/// A test point.
pub(super) struct TestPoint {
    pub name: String,
    pub status: CaseStatus,
    pub message: Option<String>,
    pub location: Option<Location>,
    pub duration_ms: Option<u64>,
    pub line: usize,
    /// The test point that the subtest of this point belongs to.
    pub parent: Option<usize>,
}

impl TestPoint {
    pub(super) fn new(is_ok: bool, description: Description, number: u64, line: usize) -> Self {
        let reason = description.skip.or(description.todo);
        let status = match (&reason, is_ok) {
            // A TODO is expected to fail. Some writers report a TODO that did not run as `ok`.
            (Some(_), _) => CaseStatus::Skipped,
            (None, true) => CaseStatus::Passed,
            (None, false) => CaseStatus::Failed,
        };
        let name =
            if description.name.is_empty() { format!("{number}") } else { bounded_id(&description.name) };
        Self {
            name,
            status,
            message: reason.as_deref().and_then(first_line),
            location: None,
            duration_ms: description.duration_ms,
            line,
            parent: None,
        }
    }

    pub(super) fn into_case(self, id: String) -> CaseResult {
        CaseResult {
            id,
            status: self.status,
            message: self.message,
            file: None,
            location: self.location,
            duration_ms: self.duration_ms,
        }
    }
}
