//! Reviews: the issues that an analysis tool found.

use alloc::{string::String, vec::Vec};

use adjudicate_core::{
    codes::Severity,
    json::object::{ObjectWriter, write_list},
};

use crate::{Location, relative};

/// The issues of one SARIF log, and the number of results that are not issues.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReviewReport {
    /// The issues, in the order of the log. Ids are unique.
    pub issues: Vec<ReportedIssue>,
    /// The reason why the log cannot be complete, for example because the tool failed.
    pub incomplete: Option<String>,
    /// The number of suppressed results.
    pub suppressed: u64,
    /// The number of results that the baseline has, too (`unchanged`), or that no longer occur (`absent`).
    pub in_baseline: u64,
    /// The number of results of level `none`, for example of rules that hold.
    pub without_level: u64,
}

/// One result of an analysis tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedIssue {
    /// The rule and the place, for example `no-eval:src/a.js:3`.
    pub id: String,
    /// The severity: high for the level `error`, medium for `warning`, low for `note`.
    pub severity: Severity,
    /// The first line of the message.
    pub message: String,
    /// The place.
    pub location: Option<Location>,
    /// The fix that the tool suggests.
    pub edit: Option<SuggestedEdit>,
}

/// A change that fixes an issue.
#[derive(Clone, Debug, PartialEq, Eq)]
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

    /// Writes the report as a JSON object.
    pub(crate) fn write(&self, out: &mut String) {
        let mut fields = ObjectWriter::open(out);
        fields.part("issues", |out| write_list(&self.issues, out, ReportedIssue::write));
        fields.text("incomplete", self.incomplete.as_deref());
        fields.count("suppressed", self.suppressed);
        fields.count("in_baseline", self.in_baseline);
        fields.count("without_level", self.without_level);
        fields.close();
    }
}

impl ReportedIssue {
    fn write(&self, out: &mut String) {
        let mut fields = ObjectWriter::open(out);
        fields.text("id", Some(&self.id));
        fields.text("severity", Some(severity_word(self.severity)));
        fields.text("message", Some(&self.message));
        if let Some(location) = &self.location {
            fields.part("location", |out| location.write(out));
        }
        if let Some(edit) = &self.edit {
            fields.part("edit", |out| edit.write(out));
        }
        fields.close();
    }
}

impl SuggestedEdit {
    fn write(&self, out: &mut String) {
        let mut fields = ObjectWriter::open(out);
        fields.text("target", Some(&self.target));
        fields.text("action", Some(&self.action));
        fields.text("rationale", Some(&self.rationale));
        fields.close();
    }
}

/// Returns the word of a severity in documents.
const fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Low => "low",
        Severity::Medium => "medium",
        Severity::High => "high",
    }
}
