//! Findings about rules, and their absence.

use serde_json::{Value, json};

use crate::check::{found, policy, rule};

/// The codes of the findings about one rule.
fn codes_of(on_unknown: &str, when: &Value) -> Vec<String> {
    let mut rule = rule("it", "blocked", when.clone());
    rule["on_unknown"] = json!(on_unknown);
    found(&policy(&[rule])).into_iter().map(|(code, _)| code).collect()
}

fn var(path: &str) -> Value {
    json!({"var": path})
}

fn missing(paths: &[&str]) -> Value {
    json!({"missing": paths})
}

#[test]
fn conditions_that_never_hold_are_found() {
    let (failures, count) = (var("facts.failures"), var("facts.diff.count"));
    let opaque = var("facts.diff.opaque");
    let paths = json!({"length": [var("facts.diff.paths")]});
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
        // The evidence that they need is excluded.
        (json!({"and": [opaque, {">": [paths, 3]}]}), "excluded_evidence", "excluded_evidence"),
        (json!({"and": [{">": [paths, 3]}, opaque]}), "excluded_evidence", "excluded_evidence"),
        // Totals count at least one file.
        (json!({"and": [opaque, {"==": [count, 0]}]}), "never_holds", "dead_rule"),
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
        // The evidence that they need may be missing.
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
        // Of totals alone.
        json!({"and": [var("facts.diff.opaque"), {">": [count, 3]}]}),
        json!({"and": [{">": [count, 3]}, {"==": [missing(&["facts.diff.paths"]), ["facts.diff.paths"]]}]}),
        // Git says that nothing changed, of what it looked at.
        json!({"and": [var("facts.diff.opaque"), {"in": ["transcript_mismatch", var("facts.contradictions")]}]}),
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

#[test]
fn facts_and_the_envelope_as_given_contradict_each_other() {
    let given = |path: &str| var(&format!("input.evidence.{path}"));
    let outcome = given("validation.mechanical_outcome");
    let unit = given("validation.exit_codes.unit");
    let is_in = |text: &str, list: Value| json!({"in": [text, list]});
    let passing = is_in("unit", var("facts.validators.passing"));
    let failing = is_in("unit", var("facts.validators.failing"));
    for (when, with_ignore) in [
        (
            json!({"and": [{"==": [outcome, "error"]}, {"==": [var("facts.outcome"), "completed"]}]}),
            "dead_rule",
        ),
        (json!({"and": [{"!=": [outcome, "error"]}, {"==": [var("facts.outcome"), "error"]}]}), "dead_rule"),
        (json!({"and": [{"==": [unit, 1]}, passing]}), "dead_rule"),
        (json!({"and": [passing, {">": [unit, 0]}]}), "dead_rule"),
        (json!({"and": [{"!=": [unit, 0]}, {"==": [var("facts.failures"), 0]}]}), "dead_rule"),
        (
            json!({"and": [{"==": [given("step_intent"), "fix"]}, {"==": [var("facts.intent"), "review"]}]}),
            "dead_rule",
        ),
        (
            json!({"and": [is_in("fixed", given("claims")), {"!": [is_in("fixed", var("facts.claims"))]}]}),
            "dead_rule",
        ),
        (json!({"and": [is_in("unit", given("validation.timeouts")), passing]}), "dead_rule"),
        (
            json!({"and": [var("facts.diff.opaque"), {">": [{"length": [given("diff.files")]}, 0]}]}),
            "excluded_evidence",
        ),
        (
            json!({"and": [{"==": [var("input.refinement.spent"), 3]}, {"<": [var("facts.refinement.spent"), 3]}]}),
            "dead_rule",
        ),
    ] {
        assert_eq!(codes_of("ignore", &when), [with_ignore], "{when}");
    }
    for when in [
        // A stale result is in the envelope and in no fact.
        json!({"and": [{"==": [unit, 0]}, {"!": [passing]}, {"!": [failing]}]}),
        json!({"and": [{"<": [unit, 0]}, {"!": [failing]}]}),
        json!({"and": [{"==": [unit, 0]}, {"==": [var("facts.validators.count"), 0]}]}),
        json!({"and": [{"!": [var("facts.review.present")]}, {"==": [given("review.artifact_ref"), "r"]}]}),
        json!({"and": [{"!": [var("facts.harness.present")]}, {">": [given("harness_report.summary.failed"), 0]}]}),
        json!({"and": [{"==": [outcome, "error"]}, {"==": [var("facts.outcome"), "error"]}]}),
        json!({"and": [{"==": [unit, 0]}, passing]}),
        // It may have timed out.
        json!({"and": [{"==": [unit, 0]}, failing]}),
        json!({"and": [{"==": [unit, 0]}, {"==": [var("facts.failures"), 1]}]}),
        json!({"and": [{"==": [given("harness_report"), null]}, {"!": [var("facts.harness.present")]}]}),
        json!({"and": [{"==": [{"var": ["input.evidence.step_intent", "none"]}, "none"]}, {"==": [var("facts.intent"), "fix"]}]}),
        json!({"and": [is_in("fixed", given("claims")), is_in("fixed", var("facts.claims"))]}),
        json!({"and": [{"==": [{"var": ["input.refinement.spent", 3]}, 3]}, {"<": [var("facts.refinement.spent"), 3]}]}),
    ] {
        assert!(codes_of("ignore", &when).is_empty(), "{when}");
    }
}

#[test]
fn texts_that_no_path_and_no_class_has_are_found() {
    let (paths, classes) = (var("facts.diff.paths"), var("facts.events.classes"));
    let some = |list: &Value, body: Value| json!({"some": [list, body]});
    for (when, found) in [
        (json!({"in": ["info:x", classes]}), ["dead_rule", "never_equal"]),
        (some(&classes, json!({"==": [var(""), "warning:x"]})), ["dead_rule", "never_equal"]),
        (
            some(&classes, json!({"starts_with": [var(""), "approval_required:"]})),
            ["dead_rule", "never_equal"],
        ),
        (some(&paths, json!({"starts_with": [var(""), "/src"]})), ["dead_rule", "never_equal"]),
        (some(&paths, json!({"starts_with": [var(""), "./src"]})), ["dead_rule", "never_equal"]),
        (some(&paths, json!({"starts_with": [var(""), "src//"]})), ["dead_rule", "never_equal"]),
        (some(&paths, json!({"ends_with": [var(""), "/"]})), ["dead_rule", "never_equal"]),
        (json!({"in": ["./src/lib.rs", paths]}), ["dead_rule", "never_equal"]),
        (
            some(&var("facts.diff.files"), json!({"==": [var("path"), "/src/lib.rs"]})),
            ["dead_rule", "never_equal"],
        ),
        (json!({"in": ["test_passed", var("facts.claims")]}), ["dead_rule", "never_equal"]),
        (json!({"in": ["transcript_missmatch", var("facts.contradictions")]}), ["dead_rule", "never_equal"]),
    ] {
        assert_eq!(codes_of("ignore", &when), found, "{when}");
    }
    for when in [
        some(&classes, json!({"starts_with": [var(""), "approval_required"]})),
        some(&paths, json!({"starts_with": [var(""), "src/"]})),
        some(&paths, json!({"starts_with": [var(""), ".github"]})),
        some(&paths, json!({"starts_with": [var(""), ".."]})),
        some(&paths, json!({"starts_with": [var(""), ""]})),
        some(&paths, json!({"ends_with": [var(""), "/lib.rs"]})),
        some(&paths, json!({"ends_with": [var(""), "./lib.rs"]})),
        some(&paths, json!({"ends_with": [var(""), ".."]})),
        some(&var("input.evidence.diff.files"), json!({"starts_with": [var("path"), "./src"]})),
        some(&var("input.evidence.policy_events"), json!({"==": [var(""), "info:x"]})),
    ] {
        assert!(codes_of("ignore", &when).is_empty(), "{when}");
    }
}

#[test]
fn checks_know_the_results_of_missing() {
    for (when, found) in [
        (json!({"in": ["input.run_id", missing(&["input.run_id", "facts.intent"])]}), &["dead_rule"][..]),
        (json!({"in": ["facts.claims", missing(&["facts.intent"])]}), &["dead_rule"]),
        (json!({"==": [missing(&["facts.outcome"]), ["facts.outcome"]]}), &["dead_rule"]),
        (json!({"==": [["facts.claims"], missing(&["facts.intent"])]}), &["dead_rule"]),
        (
            json!({"and": [{"in": ["facts.diff.count", missing(&["facts.diff.count"])]}, {">": [var("facts.diff.count"), 1]}]}),
            &["excluded_evidence"],
        ),
        (
            json!({"and": [{"==": [missing(&["facts.diff.paths"]), []]}, var("facts.diff.opaque")]}),
            &["dead_rule"],
        ),
        (json!({"!=": [missing(&["facts.outcome"]), []]}), &["dead_rule"]),
        (
            json!({"==": [missing(&["facts.outcome"]), []]}),
            &["always_fires", "unreachable_status", "unreachable_status"],
        ),
        (json!({"in": ["facts.intent", missing(&["facts.intent", "facts.claims"])]}), &[]),
        (json!({"==": [missing(&["facts.intent", "facts.claims"]), ["facts.claims"]]}), &[]),
        (json!({"!": [{"==": [missing(&["facts.intent", "facts.claims"]), []]}]}), &[]),
        (json!({"==": [missing(&["facts.intent", "facts.intent"]), ["facts.intent", "facts.intent"]]}), &[]),
    ] {
        assert_eq!(codes_of("ignore", &when), found, "{when}");
    }
}
