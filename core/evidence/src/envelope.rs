//! From readings to the types of an envelope.

use alloc::{
    borrow::ToOwned,
    string::{String, ToString},
    vec::Vec,
};

use adjudicate_core::{
    document::Extra,
    json::OwnedValue,
    owned::{Case, Edit, ReviewIssue},
};

use crate::{CaseResult, ReportedIssue, ReviewReport, SuggestedEdit, TestReport, location};

impl TestReport {
    /// Returns the cases for `evidence.harness_report.cases`. `validator` is the id of the validator that ran them, `repro` the
    /// command that runs them again. The place and the message of a case become its `observations`. A `file` that is not below the root
    /// is left out, so call [`relative_to`](crate::Reading::relative_to) first.
    ///
    /// [`incomplete`](Self::incomplete) is not a part of the cases: add it to `evidence.uncollected`.
    ///
    /// ```
    /// use adjudicate_evidence::{Format, Reading, read};
    /// let Reading::Tests(report) = read(Format::Tap, b"1..1\nnot ok 1 - pays\n  ---\n  message: no money\n  ...\n")? else { panic!() };
    /// let cases = report.into_harness_cases("unit", Some("npm test"));
    /// assert_eq!((cases[0].id.as_str(), cases[0].repro.as_deref()), ("pays", Some("npm test")));
    /// assert_eq!(adjudicate_core::json::write(&cases[0].observations), r#"["no money"]"#);
    /// # Ok::<(), adjudicate_evidence::Error>(())
    /// ```
    #[must_use]
    pub fn into_harness_cases(self, validator: &str, repro: Option<&str>) -> Vec<Case> {
        self.cases.into_iter().map(|case| harness_case(case, validator, repro)).collect()
    }
}

fn harness_case(case: CaseResult, validator: &str, repro: Option<&str>) -> Case {
    let place = case.location.as_ref().map(ToString::to_string);
    let notes: Vec<String> = place.into_iter().chain(case.message).collect();
    Case {
        id: case.id,
        kind: None,
        status: case.status,
        validator: Some(validator.to_owned()),
        repro: repro.map(ToOwned::to_owned),
        observations: (!notes.is_empty()).then(|| OwnedValue::texts(notes)),
        artifacts: None,
        file: case.file.as_deref().and_then(location::inside),
        extra: Extra::new(),
    }
}

impl ReviewReport {
    /// Returns the issues for `evidence.review.issues`. The place of an issue begins its `summary`.
    ///
    /// [`incomplete`](Self::incomplete) is not a part of the issues: add it to `evidence.uncollected`.
    ///
    /// ```
    /// use adjudicate_evidence::{Format, Reading, read};
    /// let log = br#"{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "lint"}}, "results": [
    ///   {"ruleId": "no-eval", "level": "error", "message": {"text": "do not use eval"}}
    /// ]}]}"#;
    /// let Reading::Review(report) = read(Format::Sarif, log)? else { panic!() };
    /// let issues = report.into_issues();
    /// assert_eq!((issues[0].id.as_str(), issues[0].summary.as_str()), ("no-eval", "do not use eval"));
    /// # Ok::<(), adjudicate_evidence::Error>(())
    /// ```
    #[must_use]
    pub fn into_issues(self) -> Vec<ReviewIssue> {
        self.issues.into_iter().map(review_issue).collect()
    }
}

fn review_issue(issue: ReportedIssue) -> ReviewIssue {
    let summary = match &issue.location {
        Some(location) => alloc::format!("{location}: {}", issue.message),
        None => issue.message,
    };
    ReviewIssue {
        id: issue.id,
        summary,
        severity: issue.severity,
        evidence_ref: None,
        edit: issue.edit.map(edit),
        extra: Extra::new(),
    }
}

fn edit(edit: SuggestedEdit) -> Edit {
    Edit { target: edit.target, action: edit.action, rationale: edit.rationale, extra: Extra::new() }
}
