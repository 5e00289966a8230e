//! A decision as a code quality report of GitLab: a JSON array with an object for each finding.

use serde_json::{Value, json};

use super::{annotation::annotations, reported::Reported};
use adjudicate_core::{evaluate::Status, policy::RuleMode};

/// Returns the report. A finding without a place is at the configuration, because each needs one.
pub(super) fn report(reported: &Reported<'_>) -> String {
    let issues = annotations(reported).into_iter().map(|annotation| {
        let finding = annotation.finding;
        let severity = match (finding.mode, finding.status) {
            (Some(RuleMode::Monitor), _) | (_, Status::Success) => "info",
            (_, Status::Partial) => "minor",
            (_, Status::NeedsHuman) => "major",
            (_, Status::Blocked) => "critical",
            (_, Status::Unsafe) => "blocker",
        };
        let place = annotation.place.as_ref();
        json!({
            "description": annotation.message(),
            "check_name": format!("adjudicate.{}", finding.rule),
            "fingerprint": annotation.fingerprint,
            "severity": severity,
            "location": {
                "path": place.map_or(reported.configuration, |place| &place.path),
                "lines": {"begin": place.and_then(|place| place.line).unwrap_or(1)},
            },
        })
    });
    format!("{:#}\n", Value::Array(issues.collect()))
}
