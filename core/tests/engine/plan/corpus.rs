//! The cases of the corpus: every code is found in one and not found in another, and so with whatever a diagnostic may say.

use std::collections::BTreeSet;

use adjudicate_core::{Operation, plan::PlanCode};
use adjudicate_tests::parity::{expected, read_of};
use serde_json::Value;

/// The codes of outputs, which plans never have.
const OBSERVED: [PlanCode; 4] = [
    PlanCode::SchemaViolation,
    PlanCode::ConstraintHolds,
    PlanCode::ConstraintBroken,
    PlanCode::UndecidedConstraint,
];

/// The answers of an operation's cases, those that are errors aside, by the names of the cases.
#[expect(clippy::unwrap_used, reason = "an answer is JSON")]
fn answers(operation: &str) -> Vec<(String, Value)> {
    let fixtures = read_of(Operation::from_name(operation).unwrap()).into_iter();
    fixtures
        .filter_map(|fixture| {
            let answer: Value = serde_json::from_str(expected(&fixture)).unwrap();
            let name = fixture.name;
            assert_eq!(
                answer.get("error").is_some(),
                name.starts_with("bad-") || name.starts_with("garbage-"),
                "{name}"
            );
            answer.get("error").is_none().then_some((name, answer))
        })
        .collect()
}

/// The diagnostics in the buckets of a bundle or a payload.
#[expect(clippy::unwrap_used, reason = "an answer has all buckets")]
fn diagnostics(answer: &Value) -> Vec<&Value> {
    let bundle = answer.get("payload").unwrap_or(answer);
    let buckets = ["failures", "warnings", "infos"].map(|bucket| &bundle[bucket]);
    buckets.into_iter().flat_map(|bucket| bucket.as_array().unwrap()).collect()
}

#[expect(clippy::indexing_slicing, reason = "a `Value` indexes to null")]
fn has(answer: &Value, code: PlanCode) -> bool {
    diagnostics(answer).iter().any(|one| one["details"]["code"] == code.as_str())
}

#[test]
fn every_code_is_found_in_a_case_and_not_found_in_another() {
    let answers = answers("validate_plan");
    // Satisfied diagnostics are not shown, and those of guardrails are in their payloads.
    let elsewhere = [PlanCode::ConstraintMet, PlanCode::PolicyTriggered];
    let of_plans = |code: &&PlanCode| !OBSERVED.contains(code) && !elsewhere.contains(code);
    for code in PlanCode::ALL.iter().filter(of_plans) {
        let prefix = format!("{}-", code.as_str().replace('_', "-"));
        let of_code = || answers.iter().filter(|(name, _)| format!("{name}-").starts_with(&prefix));
        for (name, answer) in of_code() {
            assert_eq!(has(answer, *code), !name.starts_with(&format!("{prefix}quiet-")), "{name}");
        }
        let quiet = of_code().filter(|(name, _)| name.contains("-quiet-")).count();
        assert!(quiet > 0 && of_code().count() > quiet, "{prefix} {quiet}");
    }
    // Satisfied constraints show only in the score.
    assert!(!answers.iter().any(|(_, answer)| has(answer, PlanCode::ConstraintMet)));
    let met = answers.iter().filter(|(name, _)| name.starts_with("constraint-met-"));
    assert!(met.map(|(_, answer)| assert_eq!(answer["payload"]["satisfactionScore"], 1.0)).count() > 0);
}

#[test]
fn every_code_of_outputs_is_in_an_answer() {
    let answers = answers("observe_output");
    for code in OBSERVED.into_iter().chain([PlanCode::InvalidSchema]) {
        assert!(answers.iter().any(|(_, answer)| has(answer, code)), "{}", code.as_str());
    }
}

#[test]
fn every_word_of_a_diagnostic_occurs_in_each_operation() {
    let words = |member: &str, answers: &[(String, Value)]| -> BTreeSet<String> {
        let reported = answers.iter().flat_map(|(_, answer)| diagnostics(answer));
        reported.map(|one| one[member].as_str().unwrap().to_owned()).collect()
    };
    let all = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<BTreeSet<_>>();
    let causes =
        ["missing_producer", "missing_enforcer", "schema_incompatible", "unsatisfied_soft", "advisory"];
    let levels = ["hard", "soft", "informational"];
    let outcomes = ["unsatisfied", "unknown", "satisfied"];
    for operation in ["validate_plan", "merge_diagnostics", "observe_output"] {
        let answers = answers(operation);
        assert_eq!(words("severity", &answers), all(&levels), "{operation}");
        match operation {
            // A payload does not list satisfied constraints, and a diagnostic of an output names no node.
            "validate_plan" => assert_eq!(words("status", &answers), all(&["unsatisfied", "unknown"])),
            _ => assert_eq!(words("status", &answers), all(&outcomes), "{operation}"),
        }
        let mut expected = all(&causes);
        if operation == "observe_output" {
            expected.remove("missing_enforcer");
        }
        assert_eq!(words("cause", &answers), expected, "{operation}");
        let statuses: BTreeSet<&str> = answers
            .iter()
            .map(|(_, answer)| answer.get("payload").unwrap_or(answer)["status"].as_str().unwrap())
            .collect();
        assert_eq!(statuses.len(), 3, "{operation}");
    }
}

/// The story of the loop: rejected, still rejected, accepted with advice, accepted.
#[test]
fn the_story_ends_in_acceptance() {
    let answers = answers("validate_plan");
    let story = answers.iter().filter(|(name, _)| name.starts_with("story-"));
    let observed: Vec<&str> =
        story.map(|(_, answer)| answer["payload"]["status"].as_str().unwrap()).collect();
    assert_eq!(observed, ["rejected", "rejected", "accepted_with_findings", "accepted"]);
}

#[test]
fn plans_with_nothing_against_them_have_no_findings() {
    for (name, answer) in answers("validate_plan").iter().filter(|(name, _)| name.starts_with("clean-")) {
        assert!(diagnostics(answer).is_empty(), "{name}");
    }
}
