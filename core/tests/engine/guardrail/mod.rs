//! Guardrails: every trigger and action, what cannot be decided, and the law that less evidence never quiets one.

mod corpus;

use adjudicate_core::{Operation, documents::EventKind, guardrail::apply_text};
use proptest::{option, prelude::*, sample::select};

/// The result of a call: the actions, each as `policy type terminal reason`, or the error.
#[expect(clippy::expect_used, clippy::indexing_slicing, reason = "the engine makes these answers")]
fn outcome(call: &str) -> String {
    let answer = match apply_text(call.as_bytes()) {
        Ok(answer) => answer,
        Err(error) => return format!("{} {}", error.code().as_str(), error.path()),
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
    for waits in EventKind::WORDS {
        let more = match *waits {
            "onTimeout" => r#","ms":5"#,
            "onMetricBelow" => r#","metric":"m","threshold":1"#,
            _ => "",
        };
        for happens in EventKind::WORDS {
            let event = format!(r#"{{"kind":"{happens}","elapsedMs":9,"metrics":{{"m":0}}}}"#);
            let expected = if waits == happens { "p emit goes on -" } else { "" };
            assert_eq!(
                one(&format!(r#"{{"kind":"{waits}"{more}}}"#), EMIT, &event, "{}"),
                expected,
                "{waits} {happens}"
            );
        }
    }
}

#[test]
fn thresholds_are_exact() {
    for (trigger, event, state, expected) in [
        (r#"{"kind":"onTimeout","ms":100}"#, r#"{"kind":"onTimeout","elapsedMs":99.9}"#, "{}", ""),
        (
            r#"{"kind":"onTimeout","ms":100}"#,
            r#"{"kind":"onTimeout","elapsedMs":1e2}"#,
            "{}",
            "p emit goes on -",
        ),
        (
            r#"{"kind":"onTimeout","ms":100}"#,
            r#"{"kind":"onTimeout"}"#,
            "{}",
            "p hitl terminal elapsed_missing",
        ),
        (METRIC, r#"{"kind":"onMetricBelow","metrics":{"m":0.1}}"#, "{}", ""),
        (METRIC, r#"{"kind":"onMetricBelow","metrics":{"m":0.09999999999999999}}"#, "{}", "p emit goes on -"),
        // The event's own metric comes before one that was measured earlier.
        (METRIC, r#"{"kind":"onMetricBelow"}"#, r#"{"metrics":{"m":0}}"#, "p emit goes on -"),
        (METRIC, r#"{"kind":"onMetricBelow","metrics":{"m":1}}"#, r#"{"metrics":{"m":0}}"#, ""),
        (METRIC, r#"{"kind":"onMetricBelow","metrics":{"n":1}}"#, "{}", "p hitl terminal metric_missing"),
    ] {
        assert_eq!(one(trigger, EMIT, event, state), expected, "{trigger} {event} {state}");
    }
}
const METRIC: &str = r#"{"kind":"onMetricBelow","metric":"m","threshold":0.1}"#;

#[test]
fn selectors_match_the_nodes_that_they_name() {
    for (selector, node, fires) in [
        (r#"{"nodeId":"a"}"#, r#","node":{"nodeId":"a","kind":"k"}"#, true),
        (r#"{"nodeId":"a"}"#, r#","node":{"nodeId":"b"}"#, false),
        (
            r#"{"kind":"k","capabilityId":"c"}"#,
            r#","node":{"nodeId":"a","kind":"k","capabilityId":"c"}"#,
            true,
        ),
        (r#"{"kind":"k","capabilityId":"c"}"#, r#","node":{"nodeId":"a","kind":"k"}"#, false),
        ("{}", r#","node":{}"#, true),
        // No selector is of an event without a node.
        ("{}", "", false),
        (r#"{"nodeId":"a"}"#, "", false),
    ] {
        let trigger = format!(r#"{{"kind":"manual","selector":{selector}}}"#);
        let found = one(&trigger, EMIT, &format!(r#"{{"kind":"manual"{node}}}"#), "{}");
        assert_eq!(!found.is_empty(), fires, "{selector} {node}");
    }
}

#[test]
fn an_undecided_condition_asks_a_human() {
    let score = r#"{">=":[{"var":"score"},0.5]}"#;
    for (condition, output, expected) in [
        (score, r#","output":{"score":0.5}"#, "p emit goes on -"),
        (score, r#","output":{"score":0.4}"#, ""),
        (score, r#","output":{}"#, "p hitl terminal condition_undecided"),
        (score, "", "p hitl terminal condition_undecided"),
        (score, r#","output":{"score":"high"}"#, "p hitl terminal condition_undecided"),
        (r#"{"var":"ok"}"#, r#","output":{"ok":1}"#, "p hitl terminal condition_undecided"),
        // One side decides.
        (r#"{"and":[{"var":"a"},{"var":"b"}]}"#, r#","output":{"b":false}"#, ""),
        (r#"{"or":[{"var":"a"},{"var":"b"}]}"#, r#","output":{"b":true}"#, "p emit goes on -"),
    ] {
        let trigger = format!(r#"{{"kind":"manual","condition":{condition}}}"#);
        let found = one(&trigger, EMIT, &format!(r#"{{"kind":"manual"{output}}}"#), "{}");
        assert_eq!(found, expected, "{condition} {output}");
    }
    // Two conditions are two verdicts, in whatever order: a false one decides.
    let split = |trigger: &str, outer: &str| {
        let policy = format!(
            r#"{{"id":"p","trigger":{{"kind":"manual","condition":{trigger}}},"condition":{outer},"action":{EMIT}}}"#
        );
        let event = r#"{"kind":"manual","output":{"a":"s","b":1}}"#;
        outcome(&format!(r#"{{"policies":[{policy}],"event":{event}}}"#))
    };
    let (misfit, fails) = (r#"{"<":[{"var":"a"},1]}"#, r#"{"==":[{"var":"b"},2]}"#);
    assert_eq!(split(misfit, fails), "");
    assert_eq!(split(fails, misfit), "");
    let holds = r#"{"==":[{"var":"b"},1]}"#;
    assert_eq!(split(misfit, holds), "p hitl terminal condition_undecided");
    assert_eq!(split(holds, misfit), "p hitl terminal condition_undecided");
    // A metric that is missing and a condition that is false: it does not fire.
    let trigger = r#"{"kind":"onMetricBelow","metric":"m","threshold":1,"condition":{"var":"a"}}"#;
    let event = r#"{"kind":"onMetricBelow","output":{"a":false}}"#;
    assert_eq!(one(trigger, EMIT, event, "{}"), "");
}

#[test]
fn retries_are_counted_and_end_with_a_human() {
    let retry = r#"{"type":"retry","maxAttempts":2}"#;
    for (state, expected) in [
        ("{}", "p retry goes on -"),
        (r#"{"retries":{"p":1,"q":9}}"#, "p retry goes on -"),
        (r#"{"retries":{"p":2}}"#, "p hitl terminal retries_exhausted"),
        (r#"{"retries":{"p":18446744073709551615}}"#, "p hitl terminal retries_exhausted"),
    ] {
        assert_eq!(one(r#"{"kind":"manual"}"#, retry, r#"{"kind":"manual"}"#, state), expected, "{state}");
    }
}

#[test]
fn all_that_match_are_listed_in_their_order() {
    let policies = r#"[
        {"id":"c","trigger":{"kind":"manual"},"action":{"type":"fail","message":"m"}},
        {"id":"off","enabled":false,"trigger":{"kind":"manual"},"action":{"type":"replan"}},
        {"id":"a","enabled":true,"trigger":{"kind":"manual"},"action":{"type":"pause","reason":"r"}},
        {"id":"b","trigger":{"kind":"onStart"},"action":{"type":"replan"}},
        {"id":"d","trigger":{"kind":"manual"},"action":{"type":"replan"}},
        {"id":"e","trigger":{"kind":"manual"},"action":{"type":"retry","maxAttempts":1}}
    ]"#;
    let call = format!(r#"{{"policies":{policies},"event":{{"kind":"manual"}}}}"#);
    let expected = "c fail terminal -; a pause terminal -; d replan terminal -; e retry goes on -";
    assert_eq!(outcome(&call), expected);
}

#[test]
fn the_printed_shape_is_put_in_its_place_and_nothing_is_lost() {
    let call = r#"{
        "policies": [{
            "x-owner": "qa", "id": "g",
            "condition": {"between": [{"var": "s"}, 0.60, 0.8]},
            "trigger": {"nodeId": "n", "x-note": 1, "kind": "onNodeComplete", "selector": {"x-why": null, "kind": "publish"},
                        "condition": {"var": "done"}},
            "action": {"rationale": "look", "type": "hitl", "x-team": ["qa"]}
        }],
        "event": {"kind": "onNodeComplete", "node": {"nodeId": "n", "kind": "publish"}, "output": {"s": 0.7, "done": true}}
    }"#;
    let action = r#"{"type":"hitl","rationale":"look","x-team":["qa"]}"#;
    let trigger = concat!(
        r#"{"kind":"onNodeComplete","selector":{"nodeId":"n","kind":"publish","x-why":null},"#,
        r#""condition":{"and":[{"var":"done"},{"between":[{"var":"s"},0.6,0.8]}]},"x-note":1}"#,
    );
    let diagnostic = concat!(
        r#"{"severity":"informational","status":"unknown","nodeId":"n","cause":"advisory","#,
        r#""details":{"action":"hitl","code":"policy_triggered","policyId":"g"}}"#,
    );
    assert_eq!(
        apply_text(call.as_bytes()).expect("a good call"),
        format!(
            r#"{{"actions":[{{"policyId":"g","action":{action},"terminal":true}}],"payloads":[{{"policyId":"g","trigger":{trigger},"action":{action},"diagnostic":{diagnostic},"x-owner":"qa"}}]}}"#
        )
    );
}

#[test]
fn an_invalid_call_is_refused_at_the_invalid_place() {
    let policy = r#"{"id":"p","trigger":{"kind":"manual"},"action":{"type":"replan"}}"#;
    let event = r#"{"kind":"manual"}"#;
    for (policies, event, more, expected) in [
        ("{}", event, "", "invalid_value /policies"),
        ("[1]", event, "", "invalid_value /policies/0"),
        ("[{}]", event, "", "missing_field /policies/0/id"),
        (&format!("[{policy},{policy},1]"), event, "", "invalid_value /policies/1/id"),
        (r#"[{"id":"p","trigger":{"kind":"onIdle"}}]"#, event, "", "invalid_value /policies/0/trigger/kind"),
        (r#"[{"id":"p","trigger":{}}]"#, event, "", "missing_field /policies/0/trigger/kind"),
        (r#"[{"id":"p","trigger":{"kind":"onTimeout"}}]"#, event, "", "missing_field /policies/0/trigger/ms"),
        (
            r#"[{"id":"p","trigger":{"kind":"manual","ms":1}}]"#,
            event,
            "",
            "unknown_field /policies/0/trigger/ms",
        ),
        (
            r#"[{"id":"p","trigger":{"kind":"manual","condition":{"is":[1]}}}]"#,
            event,
            "",
            "invalid_expression /policies/0/trigger/condition",
        ),
        (r#"[{"id":"p","condition":{"+":[1,2]}}]"#, event, "", "invalid_expression /policies/0/condition"),
        (
            r#"[{"id":"p","trigger":{"kind":"manual"},"action":{"type":"goto","nodeId":"n"}}]"#,
            event,
            "",
            "invalid_policy /policies/0/action/type",
        ),
        (
            r#"[{"id":"p","trigger":{"kind":"manual","nodeId":"a","selector":{"nodeId":"b"}},"action":{"type":"replan"}}]"#,
            event,
            "",
            "invalid_policy /policies/0/trigger/nodeId",
        ),
        ("[]", r#"{"kind":"manual","elapsedMs":-1}"#, "", "invalid_value /event/elapsedMs"),
        ("[]", r#"{"kind":"manual","metrics":{"m/n":"1"}}"#, "", "invalid_value /event/metrics/m~1n"),
        ("[]", r#"{"kind":"manual","node":{"id":"1"}}"#, "", "unknown_field /event/node/id"),
        ("[]", event, r#","state":{"retries":{"p":-1}}"#, "invalid_value /state/retries/p"),
        ("[]", event, r#","state":null"#, "invalid_value /state"),
        ("[]", event, r#","guardrails":[]"#, "unknown_field /guardrails"),
    ] {
        let call = format!(r#"{{"policies":{policies},"event":{event}{more}}}"#);
        assert_eq!(outcome(&call), expected, "{call}");
    }
    for (call, expected) in [
        ("", "malformed_json "),
        ("[]", "invalid_value "),
        ("{}", "missing_field /policies"),
        (r#"{"policies":[]}"#, "missing_field /event"),
    ] {
        assert_eq!(outcome(call), expected, "{call}");
    }
}

#[test]
fn one_answer_lists_all_errors_in_document_order() {
    let text = r#"{
        "policies": [
            {"id": "a", "trigger": {"kind": "onTimeout", "selector": {"nodeId": ""}}, "action": {"type": "goto"}},
            {"enabled": 1, "id": "a", "trigger": {"kind": "onTime"}, "action": {"type": "hitl", "rejectAction": {"type": "retry"}}}
        ],
        "event": {"elapsedMs": -1},
        "state": {"retries": {"a": 1.5}}
    }"#;
    let error = apply_text(text.as_bytes()).unwrap_err();
    let errors: Vec<_> = error.all().map(|error| (error.code().as_str(), error.path())).collect();
    assert_eq!(
        errors,
        [
            ("invalid_value", "/policies/0/trigger/selector/nodeId"),
            ("missing_field", "/policies/0/trigger/ms"),
            ("invalid_policy", "/policies/0/action/type"),
            ("invalid_value", "/policies/1/enabled"),
            ("invalid_value", "/policies/1/id"),
            ("invalid_value", "/policies/1/trigger/kind"),
            ("missing_field", "/policies/1/action/rejectAction/maxAttempts"),
            ("missing_field", "/policies/1/action/rationale"),
            ("invalid_value", "/event/elapsedMs"),
            ("missing_field", "/event/kind"),
        ]
    );
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
