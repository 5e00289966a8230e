//! Every code, in the cases of the corpus: where it is found and where not, and what its witnesses show.

use adjudicate_core::{
    Operation,
    check::{CheckCode, CheckFinding, CheckWitness},
};
use adjudicate_tests::parity::read_of;
use serde_json::{Value, json};

use crate::check::{answer, check, rules_of};

/// The calls of the corpus that can be answered, by the names of their cases.
fn calls() -> Vec<(String, Value)> {
    let fixtures = read_of(Operation::CheckPolicy).into_iter();
    let answered =
        fixtures.filter(|fixture| !fixture.name.starts_with("bad-") && !fixture.name.starts_with("garbage-"));
    answered.map(|fixture| (fixture.name, serde_json::from_slice(&fixture.call).unwrap())).collect()
}

/// The policies among them.
fn cases() -> Vec<(String, Value)> {
    let policies = calls().into_iter().filter_map(|(name, call)| Some((name, call.get("policy")?.clone())));
    policies.collect()
}

#[test]
fn every_code_is_found_in_a_case_and_not_found_in_another() {
    let cases = calls();
    // No fixture is that large: `bounds.rs` has its test.
    for code in CheckCode::ALL.iter().filter(|code| **code != CheckCode::FindingsOmitted) {
        let prefix = code.as_str().replace('_', "-");
        let of_code = || cases.iter().filter(|(name, _)| name.starts_with(&prefix));
        let has = |call: &Value| {
            let answer = Operation::CheckPolicy.call(call.to_string().as_bytes()).unwrap();
            let answer: Value = serde_json::from_str(&answer).unwrap();
            answer["findings"].as_array().unwrap().iter().any(|finding| finding["code"] == code.as_str())
        };
        for (name, call) in of_code() {
            assert_eq!(has(call), !name.contains("-quiet"), "{name}");
        }
        let quiet = of_code().filter(|(name, _)| name.contains("-quiet")).count();
        assert!(quiet > 0 && of_code().count() > quiet, "{prefix} {quiet}");
    }
}

#[test]
fn policies_with_nothing_wrong_have_no_findings() {
    for (name, policy) in cases().into_iter().filter(|(name, _)| name.starts_with("clean-")) {
        assert!(check(&policy).is_empty(), "{name}");
    }
}

#[test]
fn every_witness_shows_its_finding() {
    let mut shown = 0;
    for (name, policy) in cases() {
        for finding in check(&policy) {
            let Some(witness) = finding.witness.as_ref().and_then(CheckWitness::envelope) else { continue };
            shown += 1;
            let envelope = witness.envelope_text();
            match answer(&envelope, &policy) {
                Ok(answer) => {
                    assert_eq!(json!(witness.status), answer["decision"]["status"], "{name}");
                    let mut rules = rules_of(&answer);
                    rules.dedup();
                    assert_eq!(witness.rules, rules, "{name}");
                    assert!(witness.error.is_none(), "{name}");
                    assert!(
                        is_shown(&finding, &answer, &policy),
                        "{name} {} {answer}",
                        finding.code.as_str()
                    );
                }
                Err(error) => {
                    // A wrapped envelope is named in the message.
                    let own = json!(witness.error);
                    assert_eq!(
                        (&own["code"], &own["path"]),
                        (&error["error"]["code"], &error["error"]["path"]),
                        "{name}"
                    );
                    assert_eq!((witness.status, witness.rules.len()), (None, 0), "{name}");
                    let about = [CheckCode::TypeError, CheckCode::FailingTest, CheckCode::UnreachableStatus];
                    assert!(about.contains(&finding.code), "{name}");
                }
            }
        }
    }
    assert!(shown > 60, "{shown}");
}

fn is_missing(part: &Value) -> bool {
    ["missing", "missing_some"].iter().any(|operator| part.get(operator).is_some())
}

/// Returns true if the answer to a witness shows its finding.
fn is_shown(finding: &CheckFinding, answer: &Value, policy: &Value) -> bool {
    let rules = rules_of(answer);
    let fires = |rule: &str| rules.contains(&rule);
    let rule = finding.rule.as_deref().unwrap_or_default();
    let status = answer["decision"]["status"].as_str().unwrap();
    let own = policy["rules"].as_array().into_iter().flatten().find(|one| one["id"] == rule);
    let on_unknown = own.and_then(|own| own["on_unknown"].as_str()).unwrap_or("escalate");
    match finding.code {
        CheckCode::DeadRule => !fires(rule),
        // `missing` is always known, with the same result for any envelope.
        CheckCode::UnknownVariable if policy.pointer(&finding.path).is_some_and(is_missing) => true,
        CheckCode::ExcludedEvidence | CheckCode::NeverHolds | CheckCode::UnknownVariable => {
            match on_unknown {
                "escalate" => {
                    let findings = answer["findings"].as_array().unwrap();
                    let unknown = findings.iter().find(|one| one["rule"] == "unknown_evidence").unwrap();
                    !fires(rule) && unknown["summary"].as_str().unwrap().contains(&format!("`{rule}`"))
                }
                "fire" => fires(rule),
                _ => !fires(rule),
            }
        }
        CheckCode::ShadowedRule => {
            let over = finding.message.split('`').nth(3).unwrap();
            fires(rule) && fires(over) && own.unwrap()["then"]["status"] != status
        }
        CheckCode::AlwaysFires | CheckCode::UnusedFix | CheckCode::UnusedBlocker => fires(rule),
        CheckCode::DuplicateCondition => fires(rule) && fires(finding.message.split('`').nth(3).unwrap()),
        CheckCode::UnreachableStatus => !finding.message.contains(&format!("`{status}`:")),
        CheckCode::IllegalRoutePattern => answer["decision"]["next_step"].is_string(),
        CheckCode::AmbiguousRoutes => fires("ambiguous_route"),
        CheckCode::ShadowedPattern => fires("policy_violation") || fires("approval"),
        CheckCode::UnmatchablePattern => !fires("policy_violation") && !fires("approval"),
        CheckCode::FailingTest => true,
        _ => false,
    }
}
