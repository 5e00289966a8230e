//! Reviews: the issues that an analysis tool found.

use alloc::{string::String, vec::Vec};

use adjudicate_core::{codes::Severity, document::Describe};
use serde::Serialize;

use crate::{Location, relative};

/// The issues of one SARIF log, and the number of results that are not issues.
#[derive(Clone, Debug, Default, PartialEq, Eq, Describe, Serialize)]
pub struct ReviewReport {
    /// The issues, in the order of the log. Ids are unique.
    pub issues: Vec<ReportedIssue>,
    /// The reason why the log cannot be complete, for example because the tool failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<String>,
    /// The number of suppressed results.
    pub suppressed: u64,
    /// The number of results that the baseline has, too (`unchanged`), or that no longer occur (`absent`).
    pub in_baseline: u64,
    /// The number of results of level `none`, for example of rules that hold.
    pub without_level: u64,
}

/// One result of an analysis tool.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
pub struct ReportedIssue {
    /// The rule and the place, for example `no-eval:src/a.js:3`.
    pub id: String,
    /// The severity: high for the level `error`, medium for `warning`, low for `note`.
    pub severity: Severity,
    /// The first line of the message.
    pub message: String,
    /// The place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// The fix that the tool suggests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edit: Option<SuggestedEdit>,
}

/// A change that fixes an issue.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
pub struct SuggestedEdit {
    /// The place to change, for example `src/a.js:3`.
    pub target: String,
    /// The change, for example ``replace line 3 by `x` ``.
    pub action: String,
    /// The description of the fix, or the message of the issue.
    pub rationale: String,
}

impl ReviewReport {
    /// Makes paths below `root` relative to it.
    pub(crate) fn relative_to(&mut self, root: &str) {
        for issue in &mut self.issues {
            let before = issue.location.as_ref().map(|location| location.file.clone()).unwrap_or_default();
            relative::cut_location(&mut issue.location, root);
            if let Some(location) = issue.location.as_ref().filter(|location| location.file != before) {
                issue.id = issue.id.replacen(&before, &location.file, 1);
            }
            if let Some(edit) = &mut issue.edit {
                relative::cut(&mut edit.target, root);
            }
        }
    }
}
