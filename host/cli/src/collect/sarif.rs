//! A decision as a SARIF log, version 2.1.0, for code scanning.

use std::collections::BTreeSet;

use adjudicate_core::RuleCode;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::{
    annotation::{Annotation, Level, annotations},
    reported::Reported,
};

/// The characters of a path that a URI cannot have as they are.
const IN_PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Returns the log, with one run.
pub(super) fn log(reported: &Reported<'_>) -> String {
    let annotations = annotations(reported);
    let rules: BTreeSet<&str> = annotations.iter().map(|annotation| &*annotation.finding.rule).collect();
    let decision = &reported.decided.evaluation.decision;
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "adjudicate",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.into_iter().map(rule).collect::<Value>(),
            }},
            "results": annotations.iter().map(|one| result(one, reported)).collect::<Value>(),
            "invocations": [{"executionSuccessful": true}],
            "properties": {"status": decision.status.as_str(), "next_step": decision.next_step},
        }],
    });
    format!("{log:#}\n")
}

fn rule(name: &str) -> Value {
    let known = RuleCode::ALL.iter().find(|code| code.row().name == name);
    let about = known.map_or("a rule of the policy", |code| code.meaning());
    json!({"id": name, "shortDescription": {"text": about}})
}

/// Returns a result. One without a place is at the configuration, because code scanning ignores results without any.
fn result(annotation: &Annotation<'_>, reported: &Reported<'_>) -> Value {
    let finding = annotation.finding;
    let level = match annotation.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "note",
    };
    let place = annotation.place.as_ref();
    let path = place.map_or(reported.configuration, |place| &place.path);
    let line = place.and_then(|place| place.line).unwrap_or(1);
    json!({
        "ruleId": finding.rule,
        "level": level,
        "message": {"text": annotation.message()},
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": utf8_percent_encode(path, IN_PATH).to_string()},
            "region": {"startLine": line},
        }}],
        "partialFingerprints": {"adjudicate/v1": annotation.fingerprint},
        "properties": {"status": finding.status.as_str(), "evidence_ref": finding.evidence_ref},
    })
}
