//! Laws of rules, over random envelopes and rules.

use proptest::{prelude::*, test_runner::Config};
use serde_json::{Value, json};

use super::{answer, conditions, envelopes, policy, rules};

/// The statuses, least severe first.
const STATUSES: [&str; 5] = ["success", "partial", "blocked", "needs_human", "unsafe"];

proptest! {
    #![proptest_config(Config { cases: 300, failure_persistence: None, ..Config::default() })]

    #[test]
    fn rules_that_do_not_hold_change_nothing(envelope in envelopes(), rules in rules()) {
        let quiet: Vec<Value> = rules.into_iter().map(|rule| with(rule, "when", json!({"and": [false, {"var": "facts.diff.empty"}]}))).collect();
        prop_assert_eq!(answer(&envelope, &policy(&quiet)), answer(&envelope, &policy(&[])));
    }

    #[test]
    fn another_rule_never_improves_the_status(envelope in envelopes(), rules in rules(), at in any::<prop::sample::Index>()) {
        prop_assume!(!rules.is_empty());
        let Ok(more) = answer(&envelope, &policy(&rules)) else { return Ok(()) };
        let mut fewer = rules;
        fewer.remove(at.index(fewer.len()));
        let fewer = answer(&envelope, &policy(&fewer)).unwrap();
        prop_assert!(rank(&more) >= rank_of_others(&fewer), "{} after {}", more["decision"]["status"], fewer["decision"]["status"]);
    }

    #[test]
    fn monitored_rules_never_change_the_decision(envelope in envelopes(), rules in rules()) {
        let enforced = answer(&envelope, &policy(&rules));
        let (monitored, counted): (Vec<Value>, Vec<Value>) = rules.into_iter().partition(|rule| rule["mode"] == "monitor");
        let without = answer(&envelope, &policy(&counted));
        // Nor do they take the answer away.
        prop_assert_eq!(enforced.is_ok(), without.is_ok());
        let (Ok(enforced), Ok(without)) = (enforced, without) else { return Ok(()) };
        prop_assert_eq!(&enforced["decision"], &without["decision"]);
        prop_assert_eq!(&enforced["loop"], &without["loop"]);
        let findings = enforced["findings"].as_array().unwrap();
        let plain: Vec<&Value> = findings.iter().filter(|finding| finding.get("mode").is_none()).collect();
        prop_assert_eq!(plain, without["findings"].as_array().unwrap().iter().collect::<Vec<_>>());
        // And what they say is what they would say.
        let enforcing = monitored.into_iter().map(|rule| with(rule, "mode", json!("enforce")));
        let would = enforcing.filter_map(|rule| answer(&envelope, &policy(&[rule])).ok());
        let would: Vec<Value> = would.flat_map(|alone| alone["findings"].as_array().unwrap().clone()).collect();
        for finding in findings.iter().filter(|finding| finding.get("mode").is_some() && finding["rule"] != "unknown_evidence") {
            let mut plain = finding.clone();
            plain.as_object_mut().unwrap().remove("mode");
            prop_assert!(would.contains(&plain), "{}", finding);
        }
    }

    #[test]
    fn the_order_of_rules_is_only_an_order(envelope in envelopes(), rules in rules(), keys in proptest::collection::vec(any::<u32>(), 6)) {
        let mut shuffled: Vec<(u32, Value)> = keys.into_iter().zip(rules.clone()).collect();
        shuffled.sort_by_key(|(key, _)| *key);
        let shuffled: Vec<Value> = shuffled.into_iter().map(|(_, rule)| rule).collect();
        let (before, after) = (answer(&envelope, &policy(&rules)), answer(&envelope, &policy(&shuffled)));
        match (before, after) {
            (Ok(before), Ok(after)) => prop_assert_eq!(unordered(before), unordered(after)),
            (before, after) => prop_assert_eq!(before.is_err(), after.is_err()),
        }
    }

    #[test]
    fn rules_that_are_found_by_a_text_are_as_good_as_tried(envelope in envelopes(), rules in rules()) {
        // Behind `or` nothing is found by the text that it begins with.
        let tried: Vec<Value> = rules.iter().cloned().map(|rule| {
            let when = json!({"or": [rule["when"]]});
            with(rule, "when", when)
        }).collect();
        match (answer(&envelope, &policy(&rules)), answer(&envelope, &policy(&tried))) {
            (Err(left), Err(right)) => prop_assert_eq!(&left["error"]["code"], &right["error"]["code"]),
            (left, right) => prop_assert_eq!(left, right),
        }
    }

    #[test]
    fn an_unknown_condition_follows_on_unknown(envelope in envelopes(), when in conditions()) {
        let rule = |on_unknown: &str| {
            let then = json!({"status": "blocked", "summary": "s"});
            answer(&envelope, &policy(&[json!({"id": "r", "when": when, "then": then, "on_unknown": on_unknown})]))
        };
        let (Ok(escalate), Ok(fire), Ok(ignore)) = (rule("escalate"), rule("fire"), rule("ignore")) else { return Ok(()) };
        let fires = |answer: &Value, name: &str| answer["findings"].as_array().unwrap().iter().any(|finding| finding["rule"] == name);
        if escalate == ignore {
            prop_assert_eq!(&fire, &ignore);
        } else {
            prop_assert!(fires(&escalate, "unknown_evidence") && !fires(&escalate, "r"));
            prop_assert!(fires(&fire, "r") && !fires(&ignore, "r"));
            // An opaque diff with a claim of a change is unknown evidence, too.
            prop_assert_eq!(fires(&fire, "unknown_evidence"), fires(&ignore, "unknown_evidence"));
        }
    }
}

/// Most of the laws hold trivially where there is no answer, and where no rule fires.
#[test]
fn enough_random_rules_fire() {
    use proptest::{strategy::ValueTree as _, test_runner::TestRunner};
    let mut runner = TestRunner::deterministic();
    let (mut answered, mut fired) = (0, 0);
    for _ in 0..200 {
        let (envelope, rules) = (envelopes(), rules()).new_tree(&mut runner).unwrap().current();
        if let Ok(answer) = answer(&envelope, &policy(&rules)) {
            let findings = answer["findings"].as_array().unwrap();
            answered += 1;
            fired += usize::from(
                findings.iter().any(|finding| finding["rule"].as_str().unwrap().starts_with("rule-")),
            );
        }
    }
    assert!(answered > 100 && fired > 50, "{answered} answered, {fired} fired");
}

fn with(mut object: Value, name: &str, value: Value) -> Value {
    object[name] = value;
    object
}

/// The rank of a status without the three rules that look at nothing else: they go where another finding comes.
fn rank_of_others(answer: &Value) -> usize {
    let last = ["unchecked", "unreviewed", "ambiguous_route"];
    let is_last = |finding: &Value| last.iter().any(|rule| finding["rule"] == *rule);
    if answer["findings"].as_array().unwrap().iter().any(is_last) { 0 } else { rank(answer) }
}

fn rank(answer: &Value) -> usize {
    STATUSES.iter().position(|status| answer["decision"]["status"] == *status).unwrap()
}

/// An answer whose lists that follow the order of the rules are sorted; the one finding that puts rules into a sentence
/// says only what it asks for.
fn unordered(mut answer: Value) -> Value {
    for finding in answer["findings"].as_array_mut().unwrap() {
        if finding["rule"] == "unknown_evidence" {
            finding["summary"] = Value::Null;
            finding["evidence_ref"] = Value::Null;
            if let Some(Value::Array(expected)) = finding.get_mut("expected") {
                expected.sort_by_key(Value::to_string);
            }
        }
    }
    for blocker in answer["decision"]["blockers"].as_array_mut().unwrap() {
        if blocker["code"] == "unknown_evidence" {
            blocker["summary"] = Value::Null;
            blocker["evidence_ref"] = Value::Null;
        }
    }
    for list in ["/findings", "/decision/blockers", "/decision/fix_instructions/edits"] {
        if let Some(Value::Array(items)) = answer.pointer_mut(list) {
            items.sort_by_key(Value::to_string);
        }
    }
    if let Some(Value::String(objective)) = answer.pointer_mut("/decision/fix_instructions/objective") {
        let mut words: Vec<&str> = objective.split([',', ';', ' ']).collect();
        words.sort_unstable();
        *objective = words.concat();
    }
    answer
}
