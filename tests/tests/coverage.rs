//! Which cases the corpus must have: every rule firing and quiet, and the vectors of OA06.

use adjudicate_core::RuleCode;
use adjudicate_tests::Fixture;

use crate::{
    corpus::{expected, read},
    json::Json,
};

/// The vectors that OA06 section 8 requires: name, status, and the flag that must be raised, if any.
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

/// Each vector is there with OA06's own fields only, and with typed evidence.
const VARIANTS: [&str; 2] = ["minimal", "typed"];

#[test]
fn every_rule_has_a_case_in_which_it_fires_and_one_in_which_it_is_quiet() {
    let fixtures = read();
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
    for fixture in read().iter().filter(|fixture| fixture.name.starts_with("rule-")) {
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
    let fixtures = read();
    for (vector, status, flag) in VECTORS {
        for variant in VARIANTS {
            let name = format!("vector-{vector}-{variant}");
            let fixture = fixtures.iter().find(|fixture| fixture.name == name);
            let answer = answer(fixture.unwrap_or_else(|| panic!("there is no fixture `{name}`")));
            let decision = answer.member("decision").expect("a vector is decided");
            assert_eq!(decision.member("status").and_then(Json::as_text), Some(*status), "{name}");
            let flags = decision.member("risk_flags").expect("a decision has flags").items();
            if let Some(flag) = flag {
                assert!(flags.iter().any(|raised| raised.as_text() == Some(flag)), "{name} lacks `{flag}`");
            }
        }
    }
}

/// Whether the answer has a finding of a rule. An answer that is an error has no findings, and is no case of a rule.
fn fires(case: &Fixture, rule: &str) -> bool {
    let answer = answer(case);
    let findings = answer.member("findings").unwrap_or_else(|| panic!("`{}` is not evaluated", case.name));
    findings.items().iter().any(|finding| finding.member("rule").and_then(Json::as_text) == Some(rule))
}

fn answer(fixture: &Fixture) -> Json {
    Json::parse(expected(fixture).as_bytes())
        .unwrap_or_else(|| panic!("the answer of `{}` is JSON", fixture.name))
}
