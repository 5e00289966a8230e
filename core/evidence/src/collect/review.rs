//! The review of the evidence: a document with issues, and the SARIF logs of validators.

use alloc::{borrow::ToOwned, collections::BTreeSet, format, string::String, vec::Vec};

use adjudicate_core::{
    document::Extra,
    json,
    owned::{Review, ReviewIssue},
};

use super::{
    bounds::{Budget, MAX_ISSUE_BYTES, MAX_ITEMS, UncollectedList},
    observation::OwnedReportFile,
};
use crate::{Format, Reading, ReviewReport, detect, formats::read_text};

/// The issues of all reviews, and the path of the first.
#[derive(Default)]
pub(super) struct Reviews {
    artifact_ref: Option<String>,
    issues: Vec<ReviewIssue>,
    trees: ReportTrees,
}

impl Reviews {
    /// Adds the configured review, a SARIF log or a document.
    pub(super) fn add_file(&mut self, file: &OwnedReportFile, root: &str, uncollected: &mut UncollectedList) {
        let read = match detect(&file.path, file.text.as_bytes()) {
            Some(Format::Sarif) => read_text(Format::Sarif, &file.text).map(|reading| {
                if let Reading::Review(report) = reading.relative_to(root) {
                    self.artifact_ref.get_or_insert_with(|| file.path.clone());
                    self.add_report(
                        report,
                        &file.path,
                        None,
                        &format!("review `{}`", file.path),
                        uncollected,
                    );
                }
            }),
            _ => Review::from_json(file.text.as_bytes()).map(|review| {
                // The file itself is the artifact. The artifact that it names may not exist.
                self.artifact_ref = Some(file.path.clone());
                self.issues.extend(review.issues);
                self.trees.add(review.tree.as_deref());
            }),
        };
        if let Err(error) = read {
            let place = if error.path().is_empty() { String::new() } else { format!(" at {}", error.path()) };
            uncollected.add(&format!("review `{}`", file.path), &format!("{}{place}", error.message()));
        }
    }

    /// Adds the issues of a SARIF log. A log without issues is no review, because its tool did not examine the work as a whole.
    pub(super) fn add_report(
        &mut self,
        report: ReviewReport,
        path: &str,
        tree: Option<&str>,
        what: &str,
        uncollected: &mut UncollectedList,
    ) {
        if let Some(reason) = &report.incomplete {
            uncollected.add(what, reason);
        }
        let issues = report.into_issues().into_iter();
        self.issues
            .extend(issues.map(|issue| ReviewIssue { evidence_ref: Some(Some(path.to_owned())), ..issue }));
        if !self.issues.is_empty() {
            self.trees.add(tree);
            self.artifact_ref.get_or_insert_with(|| path.to_owned());
        }
    }

    /// Returns the review with as many issues as an envelope lists.
    pub(super) fn into_review(self, uncollected: &mut UncollectedList) -> Option<Review> {
        let artifact_ref = self.artifact_ref?;
        let total = self.issues.len();
        let mut budget = Budget::new(MAX_ITEMS, MAX_ISSUE_BYTES);
        let mut fits = |issue: &ReviewIssue| budget.take(json::write(issue).len());
        let issues: Vec<_> =
            self.issues.into_iter().map_while(|issue| fits(&issue).then_some(issue)).collect();
        if issues.len() < total {
            let reason = format!("an envelope cannot list all {total} issues; {} are listed", issues.len());
            uncollected.add("issues of the review", &reason);
        }
        Some(Review { artifact_ref, issues, tree: self.trees.into_tree(), extra: Extra::new() })
    }
}

/// The trees of several reports that become one.
#[derive(Default)]
pub(super) struct ReportTrees(BTreeSet<String>);

impl ReportTrees {
    /// Adds the tree of a report, if it is known.
    pub(super) fn add(&mut self, tree: Option<&str>) {
        self.0.extend(tree.map(String::from));
    }

    /// Returns the only tree, or all of them: a text that no tree equals.
    pub(super) fn into_tree(self) -> Option<String> {
        let trees: Vec<String> = self.0.into_iter().collect();
        (!trees.is_empty()).then(|| trees.join("+"))
    }
}
