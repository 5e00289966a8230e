//! What is found of rules, and what is not.

use serde_json::{Value, json};

use crate::{found, policy, rule};

/// What one rule is found to be, by code; its witness must be there where `shown` says so.
fn codes_of(on_unknown: &str, when: &Value) -> Vec<String> {
    let mut rule = rule("it", "blocked", when.clone());
    rule["on_unknown"] = json!(on_unknown);
    found(&policy(&[rule])).into_iter().map(|(code, _)| code).collect()
}

fn var(path: &str) -> Value {
    json!({"var": path})
}

#[test]
fn conditions_that_never_hold_are_found() {
    let (failures, count) = (var("facts.failures"), var("facts.diff.count"));
    let opaque = var("facts.diff.opaque");
    for (when, with_escalate, with_ignore) in [
        (json!(false), "dead_rule", "dead_rule"),
        (json!({"<": [failures, 0]}), "dead_rule", "dead_rule"),
        (json!({"and": [{">": [failures, 3]}, {"<": [failures, 4]}]}), "dead_rule", "dead_rule"),
        (json!({"between": [failures, 5, 3]}), "dead_rule", "dead_rule"),
        (json!({"<": [3, failures, 4]}), "dead_rule", "dead_rule"),
        (json!({"!": [{"or": [{">": [failures, 3]}, {"<=": [failures, 3]}]}]}), "dead_rule", "dead_rule"),
        (json!({"and": [var("facts.diff.empty"), opaque]}), "dead_rule", "dead_rule"),
        (json!({"and": [var("facts.diff.empty"), {">": [count, 0]}]}), "dead_rule", "dead_rule"),
        (
            json!({"and": [{"==": [failures, 0]}, {"in": ["unit", var("facts.validators.failing")]}]}),
            "dead_rule",
            "dead_rule",
        ),
        (
            json!({"and": [{"==": [var("facts.outcome"), "error"]}, {"==": [var("facts.outcome"), "completed"]}]}),
            "dead_rule",
            "dead_rule",
        ),
        (
            json!({"and": [{"in": ["a", var("facts.validators.passing")]}, {"in": ["a", var("facts.validators.failing")]}]}),
            "dead_rule",
            "dead_rule",
        ),
        (
            json!({"and": [{"some": [var("facts.validators.failing"), {"starts_with": [var(""), "u"]}]},
            {"none": [var("facts.validators.failing"), true]}]}),
            "dead_rule",
            "dead_rule",
        ),
        (json!({">": [var("parameters.partial_threshold"), 5]}), "dead_rule", "dead_rule"),
        // What they need cannot be there.
        (json!({"and": [opaque, {">": [count, 3]}]}), "excluded_evidence", "excluded_evidence"),
        (json!({"and": [{">": [count, 3]}, opaque]}), "excluded_evidence", "excluded_evidence"),
        (
            json!({"and": [{"!": [var("facts.harness.present")]}, {"==": [var("facts.harness.failed"), 0]}]}),
            "excluded_evidence",
            "excluded_evidence",
        ),
        (
            json!({"and": [{"!": [var("facts.review.present")]}, {">": [var("facts.review.high"), 0]}]}),
            "excluded_evidence",
            "excluded_evidence",
        ),
        (
            json!({"and": [{"==": [var("facts.history.count"), 0]}, {"==": [var("facts.history.last"), "partial"]}]}),
            "excluded_evidence",
            "excluded_evidence",
        ),
        // What they need may be missing.
        (json!({"and": [{">": [count, 5]}, {"<": [count, 3]}]}), "never_holds", "dead_rule"),
        (
            json!({"and": [{"==": [var("facts.intent"), "fix"]}, {"==": [var("facts.intent"), "review"]}]}),
            "never_holds",
            "dead_rule",
        ),
        (
            json!({"and": [{">": [var("facts.review.high"), 1]}, {"!": [{">": [var("facts.review.high"), 0]}]}]}),
            "never_holds",
            "dead_rule",
        ),
    ] {
        assert_eq!(codes_of("escalate", &when), [with_escalate], "{when}");
        assert_eq!(codes_of("ignore", &when), [with_ignore], "{when}");
    }
}

#[test]
fn conditions_that_may_hold_are_left_alone() {
    let (failures, count) = (var("facts.failures"), var("facts.diff.count"));
    for when in [
        json!({">": [failures, 3]}),
        json!({"and": [{">": [failures, 3]}, {"<": [failures, 5]}]}),
        json!({"==": [failures, 0]}),
        json!({"and": [{"!": [var("facts.diff.empty")]}, {"!": [var("facts.diff.opaque")]}, {">": [count, 0]}]}),
        json!({"or": [false, {">": [count, 3]}]}),
        json!({"if": [var("facts.diff.opaque"), false, {">": [count, 3]}]}),
        json!({"<": [failures, {"var": ["facts.diff.count", 7]}]}),
        json!({"==": [{"var": ["facts.intent", "none"]}, "none"]}),
        json!({"some": [var("facts.diff.paths"), {"glob": [var(""), "infra/**"]}]}),
        json!({"all": [var("facts.diff.files"), {"==": [var("change"), "deleted"]}]}),
        json!({"==": [{"missing": ["facts.intent"]}, ["facts.intent"]]}),
        json!({"<": [{"length": [var("facts.diff.paths")]}, 2]}),
        json!({"==": [var("input.evidence.x-team"), "core"]}),
        json!({"==": [{"var": {"cat": ["facts.", "outcome"]}}, "error"]}),
        json!({"in": [var("facts.intent"), ["fix", "implement"]]}),
        json!({"==": [var("input.evidence.validation.exit_codes.lint"), 2]}),
        json!({"and": [{"==": [var("facts.history.last"), "partial"]}, {">": [var("facts.history.partials"), 1]}]}),
        json!({"and": [{"in": ["tests_passed", var("facts.claims")]}, {"==": [var("facts.validators.count"), 0]}]}),
    ] {
        let mut rule = rule("it", "unsafe", when.clone());
        rule["on_unknown"] = json!("ignore");
        assert_eq!(found(&policy(&[rule])), [], "{when}");
    }
}
