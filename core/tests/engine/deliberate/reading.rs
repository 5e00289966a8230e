//! Invalid ledgers are refused with the right pointer, also after garbage at every field.

use serde_json::{Value, json};

use crate::deliberate::{answer, put, session};

/// The error of a ledger, as `code path`.
fn fault(ledger: &Value) -> String {
    match answer(ledger.to_string().as_bytes()) {
        Ok(answer) => answer,
        Err(error) => format!("{} {}", error.code().as_str(), error.path()),
    }
}

/// A ledger with all fields.
fn whole() -> Value {
    let mut ledger = session();
    for (pointer, value) in [
        ("/budgets", json!({"max_iterations": 5, "max_subagent_calls": 8, "max_wall_time_ms": 300_000})),
        ("/overrides", json!({"max_iterations": 6, "max_subagent_calls": 8, "max_wall_time_ms": 300_000})),
        ("/turns/0/evidence_ids", json!(["e"])),
        ("/turns/0/consumed", json!({"iterations": 1, "subagent_calls": 1, "wall_time_ms": 1})),
        ("/turns/0/failure_signature", json!("E")),
        ("/turns/0/queries", json!([{"key": "k", "source": "s", "synthesis": true}])),
        ("/turns/0/conflicts_open", json!(["c"])),
        ("/turns/0/blocker", json!("b")),
        ("/turns/0/strategy", json!("grep")),
        ("/turns/0/falsified", json!(["f"])),
        ("/turns/0/synthesis", json!(true)),
        ("/turns/0/continue_decision", json!("continue")),
        ("/turns/0/exploration_plan", json!(["p", {"tool": "grep", "action": "a", "expects": "e"}])),
        (
            "/turns/0/budget_allocation",
            json!({"max_iterations": 5, "max_subagent_calls": 8, "max_wall_time_ms": 9, "estimated_wall_time": "2.5 min"}),
        ),
        (
            "/turns/0/novelty_check",
            json!({"new_information": "no", "uncertainty_reduction": "40%", "confidence_level": 1,
                   "continue_decision": "continue"}),
        ),
        ("/strategy_switches", json!([{"after_turn": 2, "to": "docs", "hypothesis": "h"}])),
        ("/answers", json!([{"after_turn": 2}])),
        (
            "/checks",
            json!({"required_files_missing": ["f"], "tests_available": true, "permission_denied": ["p"]}),
        ),
        ("/risk", json!({"level": 0.1, "threshold": 0.5})),
        (
            "/question",
            json!({"text": "Which?", "options": ["a"], "answer_type": "text", "unblocks": "u", "context": "c",
                   "answerable_by": ["grep"]}),
        ),
        ("/recommendation", json!({"text": "r", "path_clear": true, "risks_documented": true})),
    ] {
        put(&mut ledger, pointer, Some(value));
    }
    ledger
}

/// Pointers to all values of a document.
fn pointers(value: &Value, at: &str, out: &mut Vec<String>) {
    out.push(at.to_owned());
    match value {
        Value::Object(object) => {
            object.iter().for_each(|(name, value)| pointers(value, &format!("{at}/{name}"), out));
        }
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(index, value)| pointers(value, &format!("{at}/{index}"), out));
        }
        _ => {}
    }
}

#[test]
fn an_invalid_ledger_is_refused_at_the_invalid_place() {
    for (pointer, value, expected) in [
        ("/turns/1/n", json!(3), "invalid_value /turns/1/n"),
        ("/turns/0/n", json!(0), "invalid_value /turns/0/n"),
        ("/turns/0/confidence", json!(1.01), "invalid_value /turns/0/confidence"),
        ("/turns/0/confidence", json!(-0.5), "invalid_value /turns/0/confidence"),
        ("/turns/0/uncertainty", json!(-1e-9), "invalid_value /turns/0/uncertainty"),
        ("/turns/0/files/0", json!(""), "invalid_value /turns/0/files/0"),
        ("/turns/0/queries/0/kee", json!("k"), "unknown_field /turns/0/queries/0/kee"),
        ("/strategy_switches/0/hypothesis", json!(""), "missing_field /strategy_switches/0/hypothesis"),
        ("/strategy_switches/0/hypothesis", json!(["h"]), "invalid_value /strategy_switches/0/hypothesis"),
        ("/strategy_switches/0/to", json!("\tGREP "), "invalid_value /strategy_switches/0/to"),
        ("/turns/0/exploration_plan/1", json!(true), "invalid_value /turns/0/exploration_plan/1"),
        ("/turns/0/exploration_plan/1/agent", json!("a"), "invalid_value /turns/0/exploration_plan/1/agent"),
        ("/turns/0/exploration_plan/1/too", json!("a"), "unknown_field /turns/0/exploration_plan/1/too"),
        (
            "/turns/0/continue_decision",
            json!("switch"),
            "invalid_value /turns/0/novelty_check/continue_decision",
        ),
        ("/turns/0/continue_decision", json!("Continue"), "invalid_value /turns/0/continue_decision"),
        ("/turns/0/falsified", json!("f"), "invalid_value /turns/0/falsified"),
        ("/question/answerable_by/0", json!(""), "invalid_value /question/answerable_by/0"),
        ("/strategy_switches/1", json!({}), "invalid_value /strategy_switches/1"),
        ("/strategy_switches/0/after_turn", json!(-1), "invalid_value /strategy_switches/0/after_turn"),
        ("/answers/0/turn", json!(1), "unknown_field /answers/0/turn"),
        ("/overrides/max_iterations", json!(11), "invalid_value /overrides/max_iterations"),
        ("/budgets/max_iterations", json!(2), "invalid_value /overrides/max_iterations"),
        ("/budgets/max_calls", json!(2), "unknown_field /budgets/max_calls"),
        ("/risk/level", json!(true), "invalid_value /risk/level"),
        ("/gaol", json!("g"), "unknown_field /gaol"),
    ] {
        let mut ledger = whole();
        put(&mut ledger, pointer, Some(value));
        assert_eq!(fault(&ledger), expected, "{pointer}");
    }
    // The required fields; no other is required.
    let required = [
        "/turns/0/n",
        "/turns/0/confidence",
        "/turns/0/uncertainty",
        "/turns/0/queries/0/key",
        "/turns/0/queries/0/source",
        "/strategy_switches/0/after_turn",
        "/strategy_switches/0/to",
        "/strategy_switches/0/hypothesis",
        "/turns/0/exploration_plan/1/action",
        "/turns/1/exploration_plan/0/action",
        "/turns/1/exploration_plan/0/tool",
        "/turns/0/exploration_plan/1/tool",
        "/answers/0/after_turn",
        "/risk/level",
        "/risk/threshold",
        "/question/text",
        "/recommendation/text",
    ];
    let mut all = Vec::new();
    pointers(&whole(), "", &mut all);
    for pointer in all {
        let mut ledger = whole();
        // Fields can be taken away, and `put` leaves lists alone.
        put(&mut ledger, &pointer, None);
        match required.iter().find(|name| **name == pointer) {
            Some(name) => assert_eq!(fault(&ledger), format!("missing_field {name}")),
            None if pointer.starts_with("/turns/0/") || !pointer.ends_with(['n', 'e', 'y']) => {
                assert!(fault(&ledger).starts_with('{'), "{pointer}: {}", fault(&ledger));
            }
            None => {}
        }
    }
}

#[test]
fn garbage_at_every_member_is_refused_there_or_taken_as_data() {
    let mut all = Vec::new();
    pointers(&whole(), "", &mut all);
    let mut refused = 0;
    for pointer in all.iter().filter(|pointer| !pointer.is_empty()) {
        for garbage in [
            json!(null),
            json!(true),
            json!(-1),
            json!(1.5),
            json!(1e300),
            json!(u64::MAX),
            json!(""),
            json!("\u{0}?\u{1F600}"),
            json!([]),
            json!([[]]),
            json!({}),
            json!({"": 1}),
            json!({"x-y": {"x-z": null}}),
        ] {
            let mut ledger = whole();
            put(&mut ledger, pointer, Some(garbage.clone()));
            let found = fault(&ledger);
            if found.starts_with('{') {
                continue;
            }
            refused += 1;
            // The error is at the garbage, inside it, or at a field that no longer agrees with it.
            let (code, path) = found.split_once(' ').unwrap_or_default();
            let agrees = path.starts_with(pointer.as_str()) || path == "/overrides/max_iterations";
            assert!(agrees, "{garbage} at {pointer}: {found}");
            assert!(["invalid_value", "missing_field", "unknown_field"].contains(&code), "{found}");
        }
    }
    assert!(refused > 400, "{refused}");
}

#[test]
fn extensions_change_nothing_anywhere() {
    let plain = fault(&whole());
    let mut all = Vec::new();
    pointers(&whole(), "", &mut all);
    for pointer in all {
        let mut ledger = whole();
        put(&mut ledger, &format!("{pointer}/x-more"), Some(json!({"confidence": [1]})));
        if ledger.pointer(&pointer).is_some_and(Value::is_object) {
            assert_eq!(fault(&ledger), plain, "{pointer}");
        }
    }
}

#[test]
fn errors_come_in_document_order_and_those_across_fields_last() {
    for (ledger, expected) in [
        (r#"{"turns":[{"n":2}],"gaol":1}"#, "/turns/0/n"),
        (r#"{"gaol":1,"turns":[{"n":2}]}"#, "/gaol"),
        (r#"{"overrides":{"max_iterations":99},"turns":7}"#, "/turns"),
        (
            r#"{"strategy_switches":[{"after_turn":1,"to":"a","hypothesis":"h"},7],"overrides":{"max_iterations":99}}"#,
            "/strategy_switches/1",
        ),
        (r#"{"overrides":{"max_iterations":99}}"#, "/overrides/max_iterations"),
        (
            r#"{"strategy_switches":[{"after_turn":1,"to":"a","hypothesis":"h"}],"turns":[{"n":1,"confidence":0,"uncertainty":1,"strategy":"A"}]}"#,
            "/strategy_switches/0/to",
        ),
        (
            r#"{"strategy_switches":[{"after_turn":1,"to":"a","hypothesis":"h"}],"turns":[{"n":1,"confidence":0,"uncertainty":1,"strategy":"A"}],
                "overrides":{"max_iterations":99}}"#,
            "/overrides/max_iterations",
        ),
        ("[]", ""),
        ("7", ""),
    ] {
        assert_eq!(answer(ledger.as_bytes()).unwrap_err().path(), expected, "{ledger}");
    }
}

#[test]
fn errors_of_one_ledger_are_reported_together() {
    let ledger = br#"{"gaol":"g","turns":[{"n":2,"queries":[{"key":"k"},{"source":""}],"continue_decision":"stop","uncertainty":-1},{"n":2}],
        "strategy_switches":[{"after_turn":0,"to":"a","hypothesis":" "},1],"risk":{"level":true}}"#;
    let error = answer(ledger).unwrap_err();
    let paths: Vec<_> = error.all().map(adjudicate_core::Error::path).collect();
    let expected = [
        "/gaol",
        "/turns/0/n",
        "/turns/0/queries/0/source",
        "/turns/0/queries/1/source",
        "/turns/0/queries/1/key",
        "/turns/0/continue_decision",
        "/turns/0/uncertainty",
        "/turns/0/confidence",
        "/turns/1/confidence",
        "/turns/1/uncertainty",
    ];
    assert_eq!(paths, expected);
}

#[test]
fn of_two_equal_decisions_the_first_one_is_pointed_at() {
    let decided = |first: &str, second: &str| {
        let ledger = format!(r#"{{"turns":[{{"n":1,"confidence":0,"uncertainty":0,{first},{second}}}]}}"#);
        answer(ledger.as_bytes())
    };
    let (own, inside) =
        (r#""continue_decision":"commit""#, r#""novelty_check":{"continue_decision":"commit"}"#);
    let path = |answer: Result<String, _>| {
        let answer: Value = serde_json::from_str(&answer.unwrap()).unwrap();
        let reasons = answer["reasons"].as_array().unwrap().clone();
        reasons.iter().find(|reason| reason["code"] == "decision_disagrees").unwrap()["path"].clone()
    };
    assert_eq!(path(decided(own, inside)), "/turns/0/continue_decision");
    assert_eq!(path(decided(inside, own)), "/turns/0/novelty_check/continue_decision");
    let other = own.replace("commit", "switch");
    let fault = |first, second| decided(first, second).unwrap_err().path().to_owned();
    assert_eq!(fault(&other, inside), "/turns/0/novelty_check/continue_decision");
    assert_eq!(fault(inside, &other), "/turns/0/continue_decision");
}

#[test]
fn durations_percentages_and_answers_have_their_forms() {
    let at = |pointer: &str, value: Value| {
        let mut ledger = session();
        put(&mut ledger, pointer, Some(value));
        fault(&ledger)
    };
    let durations = "/turns/1/budget_allocation/estimated_wall_time";
    for good in
        ["3 minutes", "1 minute", "4min", "2.5 min", "90 seconds", "1 second", "0.5s", "7   ms", "00.10 ms"]
    {
        assert!(at(durations, json!(good)).starts_with('{'), "{good}");
    }
    for good in [json!(0), json!(3), json!(2.5), json!(1e-300), json!(1e300), json!(-0.0)] {
        assert!(at(durations, good.clone()).starts_with('{'), "{good}");
    }
    let long = format!("{} ms", "9".repeat(30));
    for bad in [
        "",
        "3",
        "minutes",
        "-1 min",
        "1.5.2 min",
        ".5 min",
        "1. min",
        "1e3 ms",
        "3 MIN",
        "3 minutes ",
        "3 h",
        &long,
    ] {
        assert_eq!(at(durations, json!(bad)), format!("invalid_value {durations}"), "{bad}");
    }
    let reduction = "/turns/2/novelty_check/uncertainty_reduction";
    for good in [json!("40%"), json!("-5%"), json!("33.3%"), json!(0.4), json!(-40), json!("100%")] {
        assert!(at(reduction, good.clone()).starts_with('{'), "{good}");
    }
    for bad in [json!("40"), json!("%"), json!("40 %"), json!("+4%"), json!("4.%"), json!("4%%"), json!(true)]
    {
        assert_eq!(at(reduction, bad.clone()), format!("invalid_value {reduction}"), "{bad}");
    }
    let information = "/turns/2/novelty_check/new_information";
    for good in [json!("yes"), json!("no"), json!(true), json!(false)] {
        assert!(at(information, good.clone()).starts_with('{'), "{good}");
    }
    for bad in [json!("YES"), json!("true"), json!(1), json!("")] {
        assert_eq!(at(information, bad.clone()), format!("invalid_value {information}"), "{bad}");
    }
}
