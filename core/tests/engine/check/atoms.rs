//! Conditions that ask for one thing each, of which others are made.

use serde_json::{Value, json};

const COUNTS: [&str; 18] = [
    "diff.count",
    "diff.insertions",
    "diff.deletions",
    "failures",
    "validators.count",
    "harness.passed",
    "harness.failed",
    "harness.skipped",
    "harness.flaky",
    "harness.ux.high",
    "harness.ux.low",
    "review.high",
    "review.medium",
    "review.low",
    "history.count",
    "history.partials",
    "refinement.cap",
    "refinement.spent",
];
const FLAGS: [&str; 6] =
    ["diff.empty", "diff.opaque", "diff.improved", "harness.present", "harness.passes", "review.present"];
const LISTS: [&str; 18] = [
    "claims",
    "diff.paths",
    "diff.files",
    "diff.forbidden",
    "diff.protected",
    "validators.passing",
    "validators.failing",
    "validators.timed_out",
    "validators.missing",
    "harness.failing",
    "harness.goldens",
    "artifacts.missing",
    "approvals.missing",
    "approvals.granted",
    "events.classes",
    "events.violations",
    "history.flags",
    "contradictions",
];
const ITEMS: [&str; 13] = [
    "a.rs",
    "infra/b.tf",
    "unit",
    "lint",
    "implemented",
    "tests_passed",
    "error_reported",
    "transcript_mismatch",
    "unsupported_claim",
    "error_but_changed",
    "missing_artifact",
    "release",
    "info",
];
const WORDS: [(&str, &[&str]); 3] = [
    ("intent", &["fix", "implement", "review", "other"]),
    ("outcome", &["completed", "error", "killed_timeout", "killed_policy"]),
    ("history.last", &["partial", "blocked", "success"]),
];

/// Parts of the envelope as it was given, with values that they may have, as JSON.
const GIVEN: [(&str, &[&str]); 9] = [
    ("evidence.validation.mechanical_outcome", &["\"completed\"", "\"error\"", "\"killed_policy\""]),
    ("evidence.validation.exit_codes.unit", &["0", "1", "2"]),
    ("evidence.validation.exit_codes.lint", &["0", "2"]),
    ("evidence.step_intent", &["\"fix\"", "\"review\""]),
    ("evidence.harness_report", &["null"]),
    ("evidence.harness_report.summary.failed", &["0", "1"]),
    ("evidence.review.artifact_ref", &["\"r\"", "\"s\""]),
    ("refinement.spent", &["0", "1", "2"]),
    ("evidence.diff.files.0.path", &["\"./a.rs\"", "\"a.rs\""]),
];
const GIVEN_LISTS: [(&str, &[&str]); 5] = [
    ("evidence.validation.timeouts", &["unit", "slow", "lint"]),
    ("evidence.claims", &["implemented", "tests_passed", "fixed"]),
    ("evidence.approvals.granted", &["info", "release"]),
    ("evidence.diff.files", &[]),
    ("evidence.review.issues", &[]),
];

/// Conditions that ask for one fact each.
pub(super) fn atoms() -> Vec<Value> {
    let var = |name: &str| json!({"var": format!("facts.{name}")});
    let mut atoms = vec![
        json!({"==": [{"var": "input.workflow_id"}, "release"]}),
        json!({"==": [{"var": "input.evidence.validation.exit_codes.unit"}, 1]}),
        json!({"==": [{"var": "input.evidence.x-team"}, "core"]}),
        json!({"==": [{"var": ["facts.intent", "none"]}, "none"]}),
        json!({"some": [{"var": "facts.diff.paths"}, {"glob": [{"var": ""}, "infra/**"]}]}),
        json!({"all": [{"var": "facts.diff.paths"}, {"ends_with": [{"var": ""}, ".rs"]}]}),
        json!({"some": [{"var": "facts.diff.files"}, {"==": [{"var": "change"}, "deleted"]}]}),
        json!({"none": [{"var": "facts.validators.failing"}, {"==": [{"var": ""}, "unit"]}]}),
        json!({"some": [{"var": "facts.events.violations"}, {"regex": [{"var": ""}, "^net"]}]}),
        json!({"<": [{"var": "facts.harness.failed"}, {"var": "facts.harness.passed"}]}),
        json!({"<": [0, {"var": "facts.failures"}, 3]}),
        json!({"between": [{"var": "facts.diff.count"}, 1, 2]}),
        json!({"==": [{"missing": ["facts.review.high"]}, []]}),
        json!({"==": [{"missing": ["facts.intent", "facts.diff.count"]}, ["facts.intent"]]}),
        json!({"==": [{"missing": ["facts.harness.failed", "input.evidence.review"]}, []]}),
        json!({"in": ["facts.claims", {"missing": ["facts.claims", "facts.diff.improved"]}]}),
        json!({"in": ["input.run_id", {"missing": ["facts.claims", "input.run_id"]}]}),
        json!({"in": ["facts.intent", {"missing": ["facts.claims"]}]}),
        json!({">=": [{"var": "facts.refinement.cap"}, {"var": "parameters.refinement_cap"}]}),
    ];
    for (path, values) in GIVEN {
        let part = json!({"var": format!("input.{path}")});
        atoms.extend(values.iter().map(|value| {
            let value: Value = serde_json::from_str(value).unwrap();
            json!({"==": [part, value]})
        }));
        atoms.push(json!({"!=": [part, 0]}));
    }
    for (path, items) in GIVEN_LISTS {
        let part = json!({"var": format!("input.{path}")});
        atoms.extend(items.iter().map(|item| json!({"in": [item, part]})));
        atoms.push(json!({"==": [{"length": [part]}, 0]}));
        atoms.push(json!({">": [{"length": [part]}, 0]}));
    }
    for text in
        ["a", "a.rs", "infra/", "/a", "./a", "..", "s", ".rs", "/", "b.tf", "", "info", ":x", "info:x"]
    {
        for (list, path) in
            [("diff.paths", ""), ("diff.files", "path"), ("events.classes", ""), ("diff.protected", "")]
        {
            for operator in ["starts_with", "ends_with", "=="] {
                let list = json!({"var": format!("facts.{list}")});
                atoms.push(json!({"some": [list, {operator: [{"var": path}, text]}]}));
            }
        }
    }
    for count in COUNTS {
        for (operator, number) in
            [("==", 0), ("==", 1), ("==", 2), (">", 0), (">", 1), ("<", 2), ("!=", 1), ("<=", 0)]
        {
            atoms.push(json!({operator: [var(count), number]}));
        }
    }
    atoms.extend(FLAGS.map(var));
    for list in LISTS {
        atoms.extend([0, 1, 2].map(|length| json!({"==": [{"length": var(list)}, length]})));
        atoms.push(json!({">": [{"length": [var(list)]}, 0]}));
        atoms.push(json!({"==": [var(list), []]}));
        atoms.extend(ITEMS.map(|item| json!({"in": [item, var(list)]})));
    }
    for (name, words) in WORDS {
        atoms.extend(words.iter().map(|word| json!({"==": [var(name), word]})));
        atoms.push(json!({"in": [var(name), words[..2]]}));
    }
    let negated: Vec<Value> = atoms.iter().map(|atom| json!({"!": [atom]})).collect();
    atoms.extend(negated);
    atoms
}
