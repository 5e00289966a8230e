//! The cases of the corpus: each rule is explained in one, and each counterfactual leads to `success`.

use std::collections::BTreeSet;

use adjudicate_core::{Operation, RuleCode};
use adjudicate_tests::parity::{expected, is_error, read_of};
use serde_json::Value;

use crate::explain::{call, patch::patched};

#[test]
fn the_counterfactuals_of_the_corpus_lead_to_success() {
    let (mut found, mut denied) = (BTreeSet::new(), BTreeSet::new());
    for fixture in read_of(Operation::Explain).iter().filter(|fixture| !is_error(expected(fixture))) {
        let mut asked: Value = serde_json::from_slice(&fixture.call).unwrap();
        let answer: Value = serde_json::from_str(expected(fixture)).unwrap();
        let rules = answer["reasons"].as_array().unwrap().iter().map(|reason| &reason["rule"]);
        let rules = rules.filter_map(|rule| Some(rule.as_str()?.to_owned()));
        let Some(changes) = answer["counterfactual"]["changes"].as_array() else {
            assert!(answer["no_counterfactual"]["reason"].is_string(), "{}", fixture.name);
            denied.extend(rules);
            continue;
        };
        found.extend(rules);
        let policy = asked.as_object_mut().unwrap().remove("policy").unwrap_or_default();
        let envelope = if asked["envelope"].is_null() { asked } else { asked["envelope"].take() };
        let after = call(Operation::Evaluate, &patched(&envelope, changes), &policy).unwrap();
        assert_eq!(after["decision"]["status"], "success", "{}", fixture.name);
        assert_eq!(after["decision"]["next_step"], answer["counterfactual"]["next_step"], "{}", fixture.name);
    }
    // Only a human, or another run, resolves these.
    let never = ["policy_violation", "error_but_changed", "goldens", "approval"];
    for rule in RuleCode::ALL.iter().map(|code| code.row().name) {
        let cases = if never.contains(&rule) { &denied } else { &found };
        assert!(cases.contains(rule), "no case of `{rule}`");
    }
    assert!(never.iter().all(|rule| !found.contains(*rule)), "{found:?}");
}
