//! Guardrails: each trigger and its event, the words of the corpus, and the law that less evidence never quiets one.

use std::collections::BTreeSet;

use adjudicate_core::{
    Operation,
    documents::{ActionReason, EventKind},
    guardrail::apply_text,
};
use adjudicate_tests::parity::{expected, is_error, read_of};
use proptest::{option, prelude::*, sample::select};
use serde_json::Value;

/// The result of a call: the actions, each as `policy type terminal reason`, or the error.
#[expect(clippy::expect_used, clippy::indexing_slicing, reason = "the engine makes these answers")]
fn outcome(call: &str) -> String {
    let answer = match apply_text(call.as_bytes()) {
        Ok(answer) => answer,
        Err(error) => return format!("{} {}", error.code(), error.path()),
    };
    let answer: serde_json::Value = serde_json::from_str(&answer).expect("an answer is JSON");
    let actions = answer["actions"].as_array().expect("a list");
    assert_eq!(actions.len(), answer["payloads"].as_array().map_or(0, Vec::len), "one payload each");
    let word = |value: &serde_json::Value| value.as_str().unwrap_or("-").to_owned();
    let shown: Vec<_> = actions
        .iter()
        .map(|action| {
            let terminal = if action["terminal"] == true { "terminal" } else { "goes on" };
            let kind = word(&action["action"]["type"]);
            format!("{} {kind} {terminal} {}", word(&action["policyId"]), word(&action["reason"]))
        })
        .collect();
    shown.join("; ")
}

/// One guardrail `p` under an event.
fn one(trigger: &str, action: &str, event: &str, state: &str) -> String {
    let policy = format!(r#"{{"id":"p","trigger":{trigger},"action":{action}}}"#);
    outcome(&format!(r#"{{"policies":[{policy}],"event":{event},"state":{state}}}"#))
}

const EMIT: &str = r#"{"type":"emit","event":"e"}"#;

#[test]
fn each_trigger_waits_for_its_own_event() {
    for fixture in read_of(Operation::ApplyGuardrails) {
        let Ok(mut call) = serde_json::from_slice::<serde_json::Value>(&fixture.call) else { continue };
        if is_error(expected(&fixture)) {
            continue;
        }
        for happens in EventKind::WORDS {
            call["event"]["kind"] = (*happens).into();
            let answer = apply_text(call.to_string().as_bytes()).expect(&fixture.name);
            let answer: serde_json::Value = serde_json::from_str(&answer).expect("an answer is JSON");
            for payload in answer["payloads"].as_array().expect("a list") {
                assert_eq!(payload["trigger"]["kind"], *happens, "{}", fixture.name);
            }
        }
    }
}

#[test]
fn a_check_refuses_guardrails_that_are_no_list() {
    let error = Operation::CheckPolicy.call(br#"{"policies": {"id": "a"}}"#).unwrap_err();
    assert_eq!((error.code().as_str(), error.path()), ("invalid_value", "/policies"));
}

#[test]
fn a_condition_beyond_the_budget_is_no_answer() {
    let many = vec!["1"; 4_000].join(",");
    let body = format!(r#"{{"some":[{{"var":"n"}},{{"in":[7,[{many}]]}}]}}"#);
    let policies: Vec<_> = (0..20)
        .map(|id| {
            format!(
                r#"{{"id":"p{id}","trigger":{{"kind":"manual","condition":{body}}},"action":{{"type":"replan"}}}}"#
            )
        })
        .collect();
    let call = format!(
        r#"{{"policies":[{}],"event":{{"kind":"manual","output":{{"n":[{many}]}}}}}}"#,
        policies.join(",")
    );
    assert!(outcome(&call).starts_with("limit_exceeded /policies/"), "{}", outcome(&call));
}

/// Conditions without defaults and `missing`: what they say can only be lost with their evidence.
fn condition() -> impl Strategy<Value = String> {
    let leaf = select(vec![r#"{"var":"a"}"#, r#"{"<":[{"var":"n"},3]}"#, r#"{"!":[{"var":"b"}]}"#])
        .prop_map(String::from);
    leaf.prop_recursive(3, 12, 3, |inner| {
        (select(vec!["and", "or"]), prop::collection::vec(inner, 1..3))
            .prop_map(|(operator, operands)| format!(r#"{{"{operator}":[{}]}}"#, operands.join(",")))
    })
}

/// The verdicts of a condition, each with an expression that has it, by an independent table.
const VERDICTS: [(&str, Option<bool>); 5] = [
    (r#"{"==":[{"var":"n"},1]}"#, Some(true)),
    (r#"{"==":[{"var":"n"},2]}"#, Some(false)),
    (r#"{"==":[{"var":"gone"},1]}"#, None),
    (r#"{"<":[{"var":"text"},1]}"#, None),
    (r#"{"var":"n"}"#, None),
];

/// All pairs of verdicts against the sentence of the specification, under a trigger that may or may not be reached.
#[test]
fn two_conditions_are_two_verdicts() {
    for (inner, one) in VERDICTS {
        for (outer, other) in VERDICTS {
            for (more, metrics, reached) in [
                (r#""kind":"manual""#, "", Some(true)),
                (r#""kind":"onMetricBelow","metric":"m","threshold":1"#, r#","metrics":{"m":0}"#, Some(true)),
                (
                    r#""kind":"onMetricBelow","metric":"m","threshold":1"#,
                    r#","metrics":{"m":1}"#,
                    Some(false),
                ),
                (r#""kind":"onMetricBelow","metric":"m","threshold":1"#, "", None),
            ] {
                let kind = if more.contains("metric") { "onMetricBelow" } else { "manual" };
                let policy = format!(
                    r#"{{"id":"p","trigger":{{{more},"condition":{inner}}},"condition":{outer},"action":{EMIT}}}"#
                );
                let event = format!(r#"{{"kind":"{kind}","output":{{"n":1,"text":"0.7"}}{metrics}}}"#);
                let found = outcome(&format!(r#"{{"policies":[{policy}],"event":{event}}}"#));
                let verdicts = [reached, one, other];
                let expected = if verdicts.contains(&Some(false)) {
                    ""
                } else if reached.is_none() {
                    "p hitl terminal metric_missing"
                } else if verdicts.contains(&None) {
                    "p hitl terminal condition_undecided"
                } else {
                    "p emit goes on -"
                };
                assert_eq!(found, expected, "{inner} {outer} {more} {metrics}");
            }
        }
    }
}

#[test]
fn payloads_carry_advice_that_names_the_node() {
    for (node, named) in [
        ("", ""),
        (r#","node":{}"#, ""),
        (r#","node":{"kind":"k"}"#, ""),
        (r#","node":{"nodeId":"n","kind":"k"}"#, r#""nodeId":"n","#),
        (r#","node":{"capabilityId":"c","nodeId":"n"}"#, r#""nodeId":"n","capabilityId":"c","#),
    ] {
        let policies = r#"[{"id":"p","trigger":{"kind":"manual"},"action":{"type":"replan"}},
            {"id":"q","trigger":{"kind":"manual","condition":{"var":"gone"}},"action":{"type":"replan"}}]"#;
        let call = format!(r#"{{"policies":{policies},"event":{{"kind":"manual"{node}}}}}"#);
        let answer = apply_text(call.as_bytes()).expect("a good call");
        for details in [
            r#"{"action":"replan","code":"policy_triggered","policyId":"p"}"#,
            r#"{"action":"hitl","code":"policy_triggered","policyId":"q","reason":"condition_undecided"}"#,
        ] {
            let expected = format!(
                r#""diagnostic":{{"severity":"informational","status":"unknown",{named}"cause":"advisory","details":{details}}}"#
            );
            assert!(answer.contains(&expected), "{answer} has no {expected}");
        }
    }
}

proptest! {
    #[test]
    fn less_evidence_never_quiets_a_guardrail(
        condition in condition(),
        a in option::of(any::<bool>()), b in option::of(any::<bool>()), n in option::of(0_u8..6),
        lost in 0_usize..3,
    ) {
        let members = |lost: Option<usize>| {
            let all = [a.map(|a| format!(r#""a":{a}"#)), b.map(|b| format!(r#""b":{b}"#)), n.map(|n| format!(r#""n":{n}"#))];
            let kept = all.into_iter().enumerate().filter(|(index, _)| Some(*index) != lost);
            kept.filter_map(|(_, member)| member).collect::<Vec<_>>().join(",")
        };
        let under = |lost| {
            let event = format!(r#"{{"kind":"manual","output":{{{}}}}}"#, members(lost));
            one(&format!(r#"{{"kind":"manual","condition":{condition}}}"#), EMIT, &event, "{}")
        };
        let (before, after) = (under(None), under(Some(lost)));
        prop_assert!(before.is_empty() || !after.is_empty(), "{condition}: {before} then {after}");
    }

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,80}") {
        let _ = apply_text(text.as_bytes());
    }
}

/// The actions and the payloads of all answers.
#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "the corpus has these files")]
fn answered() -> (Vec<Value>, Vec<Value>) {
    let (mut actions, mut payloads) = (Vec::new(), Vec::new());
    for fixture in read_of(Operation::ApplyGuardrails) {
        let answer: Value = serde_json::from_str(expected(&fixture)).unwrap();
        let list = |name: &str| answer[name].as_array().cloned().unwrap_or_default();
        actions.extend(list("actions"));
        payloads.extend(list("payloads"));
    }
    (actions, payloads)
}

#[test]
fn every_event_action_and_reason_is_in_an_answer() {
    let (actions, payloads) = answered();
    let texts = |values: &[Value], pointer: &str| -> BTreeSet<String> {
        values.iter().filter_map(|value| Some(value.pointer(pointer)?.as_str()?.to_owned())).collect()
    };
    let all = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(texts(&payloads, "/trigger/kind"), all(EventKind::WORDS));
    let kinds = ["retry", "pause", "hitl", "replan", "fail", "emit"];
    assert_eq!(texts(&actions, "/action/type"), all(&kinds));
    assert_eq!(texts(&actions, "/reason"), all(ActionReason::WORDS));
}
