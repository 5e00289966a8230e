//! The cases that the corpus must have: every rule firing and quiet, the eight vectors (docs/sources.md), and every result of `refine`.

use std::collections::BTreeSet;

use adjudicate_core::{Operation, RuleCode};
use adjudicate_tests::{
    Fixture,
    parity::{expected, is_error, read_of},
};

use crate::json::Json;

/// The vectors that docs/sources.md lists for the evaluator: name, status, and the flag that must be raised, if any.
const VECTORS: &[(&str, &str, Option<&str>)] = &[
    ("success-clean", "success", None),
    ("partial-fixable", "partial", None),
    ("blocked-missing-artifact", "blocked", Some("missing_artifact")),
    ("unsafe-policy-violation", "unsafe", Some("policy_violation")),
    ("needs-human-goldens", "needs_human", Some("proposed_goldens_present")),
    ("needs-human-repeat-partial", "needs_human", Some("repeated_partial_loop")),
    ("unsafe-report-mismatch", "unsafe", Some("report_execution_mismatch")),
    ("partial-transcript-mismatch", "partial", Some("transcript_workspace_mismatch")),
];

/// Each vector has a variant with untyped evidence only, and one with typed evidence.
const VARIANTS: [&str; 2] = ["minimal", "typed"];

/// The reasons why `refine` gives no package.
const REASONS: [&str; 6] = ["blocked", "needs_human", "no_fix_step", "refinement_spent", "success", "unsafe"];
/// The events of the revision loop.
const EVENTS: [&str; 5] =
    ["escalated", "evaluate_selected", "refinement_requested", "refinement_spent", "review_completed"];

#[test]
fn every_rule_has_a_case_in_which_it_fires_and_one_in_which_it_is_quiet() {
    let fixtures = cases();
    let mut missing = Vec::new();
    for name in RuleCode::ALL.iter().map(|rule| rule.row().name) {
        for (word, should_fire) in [("fires", true), ("quiet", false)] {
            let prefix = format!("rule-{}-{word}", name.replace('_', "-"));
            let cases: Vec<_> = fixtures.iter().filter(|fixture| fixture.name.starts_with(&prefix)).collect();
            if cases.is_empty() {
                missing.push(prefix);
            }
            for case in cases {
                assert_eq!(fires(case, name), should_fire, "`{}` claims that `{name}` {word}", case.name);
            }
        }
    }
    assert!(missing.is_empty(), "no fixture begins with any of {missing:?}");
}

#[test]
fn rule_cases_name_rules_that_exist() {
    for fixture in cases().iter().filter(|fixture| fixture.name.starts_with("rule-")) {
        let known = RuleCode::ALL.iter().any(|rule| {
            let prefix = format!("rule-{}-", rule.row().name.replace('_', "-"));
            let rest = fixture.name.strip_prefix(&prefix).unwrap_or_default();
            rest.starts_with("fires") || rest.starts_with("quiet")
        });
        assert!(known, "`{}` is a case of no rule", fixture.name);
    }
}

#[test]
fn the_vectors_of_oa06_are_decided_as_it_requires() {
    let fixtures = cases();
    for (vector, status, flag) in VECTORS {
        for variant in VARIANTS {
            let name = format!("vector-{vector}-{variant}");
            let fixture = fixtures.iter().find(|fixture| fixture.name == name);
            let fixture = fixture.unwrap_or_else(|| panic!("there is no fixture `{name}`"));
            let answer = answer(fixture);
            let decision = answer.member("decision").expect("a vector is decided");
            assert_eq!(decision.member("status").and_then(Json::as_text), Some(*status), "{name}");
            assert!(is_legal(decision, fixture), "{name}: a next step that is not allowed");
            let flags = decision.member("risk_flags").expect("a decision has flags").items();
            if let Some(flag) = flag {
                assert!(flags.iter().any(|raised| raised.as_text() == Some(flag)), "{name} lacks `{flag}`");
            }
        }
    }
}

#[test]
fn refine_has_a_case_for_every_reason_and_event_under_both_profiles() {
    let (mut reasons, mut events) = (BTreeSet::new(), BTreeSet::new());
    let mut packages = BTreeSet::new();
    for case in read_of(Operation::Refine).iter().filter(|case| !is_error(expected(case))) {
        let answer = answer(case);
        let call = Json::parse(&case.call);
        let profile = call.as_ref().and_then(|call| call.at(&["policy", "profile"])?.as_text());
        let is_bounded = profile == Some("oa06.1");
        let reason = answer.member("reason").and_then(Json::as_text);
        match reason {
            Some(reason) => drop(reasons.insert((is_bounded, reason.to_owned()))),
            None => drop(packages.insert(is_bounded)),
        }
        for event in answer.member("events").expect("there are events").items() {
            let name = event.member("event").and_then(Json::as_text).expect("an event has a name");
            events.insert((is_bounded, name.to_owned()));
        }
    }
    let pairs = |names: &[&str], only_bounded: &str| -> BTreeSet<(bool, String)> {
        let both = names.iter().flat_map(|name| [(false, (*name).to_owned()), (true, (*name).to_owned())]);
        both.filter(|(is_bounded, name)| *is_bounded || name != only_bounded).collect()
    };
    // Without a cap, refinements are never spent.
    assert_eq!(reasons, pairs(&REASONS, "refinement_spent"));
    assert_eq!(events, pairs(&EVENTS, "refinement_spent"));
    assert_eq!(packages.len(), 2, "a package under both profiles");
}

/// The cases of `evaluate`.
fn cases() -> Vec<Fixture> {
    read_of(Operation::Evaluate)
}

/// Returns whether the answer has a finding of a rule. An error has no findings, and is no case of a rule.
fn fires(case: &Fixture, rule: &str) -> bool {
    let answer = answer(case);
    let findings = answer.member("findings").unwrap_or_else(|| panic!("`{}` is not evaluated", case.name));
    findings.items().iter().any(|finding| finding.member("rule").and_then(Json::as_text) == Some(rule))
}

/// Returns whether the next step of a decision is null or one of the envelope's `allowed_next_steps`.
fn is_legal(decision: &Json, fixture: &Fixture) -> bool {
    let call = Json::parse(&fixture.call).expect("a vector is JSON");
    let envelope = call.member("envelope").unwrap_or(&call);
    let allowed = envelope.member("allowed_next_steps").expect("a vector allows steps").items();
    let step = decision.member("next_step").expect("a decision has a next step");
    *step == Json::Null || allowed.contains(step)
}

fn answer(fixture: &Fixture) -> Json {
    Json::parse(expected(fixture).as_bytes())
        .unwrap_or_else(|| panic!("the answer of `{}` is JSON", fixture.name))
}
