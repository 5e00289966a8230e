//! Laws: more budget never ends what went on, every answer keeps its contract, and neither the order of fields nor
//! extensions change anything.

use adjudicate_core::{
    deliberate::{Gate, Ledger, check_deliberation, deliberate},
    json::{self, ReadLimits},
};
use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::{Value, json};

/// A turn, of few values so that all gates are met.
fn turns() -> impl Strategy<Value = Vec<Value>> {
    let few = |names: [&'static str; 3]| vec(select(names.to_vec()), 0..3);
    let turn = (
        select(vec![0.1, 0.3, 0.4, 0.5, 0.6, 0.7, 0.79, 0.8, 0.9]),
        select(vec![0.0, 0.1, 0.2, 0.25, 0.32, 0.4, 0.5, 0.8, 1.0]),
        (0..3_u64, 0..4_u64, select(vec![0_u64, 20_000, 100_000])),
        vec(select(vec!["a", "b", "c", "d", "e", "f"]), 0..3),
        (option::of(select(vec!["E", "F"])), option::of(select(vec!["x", "y"]))),
        vec((select(vec!["k", "l"]), select(vec!["s", "t"]), any::<bool>()), 0..2),
        any::<(bool, bool, bool, bool)>(),
        (few(["e", "e1", "e2"]), few(["p", "q", "r"]), few(["h", "h", "i"])),
        (option::of(select(vec!["grep", "read"])), option::of(0..4_usize), 0..8_u64),
    );
    vec(turn, 0..9).prop_map(|turns| turns.into_iter().enumerate().map(|(index, turn)| {
        let (confidence, uncertainty, (iterations, calls, time), files, (failure, blocker), queries, papers, lists, rest) = turn;
        let queries: Vec<_> = queries
            .into_iter()
            .map(|(key, source, synthesis)| json!({"key": key, "source": source, "synthesis": synthesis}))
            .collect();
        let (evidence, conflicts, falsified) = lists;
        let (strategy, decision, allocated) = rest;
        let decision = decision.map(|at| ["continue", "switch", "escalate", "commit"][at]);
        let plan = if calls == 0 { json!(["p"]) } else { json!([{"agent": "explore", "action": "p"}]) };
        let mut turn = json!({
            "n": index + 1, "confidence": confidence, "uncertainty": uncertainty, "files": files, "queries": queries,
            "consumed": {"iterations": iterations, "subagent_calls": calls, "wall_time_ms": time},
            "evidence_ids": evidence, "conflicts_open": if conflicts.len() == 2 { conflicts } else { vec![] },
            "falsified": if falsified.len() == 2 { falsified } else { vec![] }, "synthesis": papers.3,
        });
        let minutes = json!({"max_iterations": allocated, "estimated_wall_time": format!("{allocated} minutes")});
        for (name, is_there, value) in [
            ("exploration_plan", papers.0 || index == 1, plan),
            ("budget_allocation", papers.1 || index == 1, minutes),
            ("novelty_check", papers.2, json!({"new_information": "yes"})),
            ("failure_signature", failure.is_some(), json!(failure)),
            ("blocker", blocker.is_some() && papers.0, json!(blocker)),
            ("strategy", strategy.is_some(), json!(strategy)),
            ("continue_decision", decision.is_some(), json!(decision)),
        ] {
            if is_there {
                turn[name] = value;
            }
        }
        turn
    }).collect())
}

pub(crate) fn ledgers() -> impl Strategy<Value = Value> {
    let after = || 0..9_u64;
    (
        turns(),
        (1..12_u64, 1..12_u64, select(vec![50_000_u64, 300_000, 900_000])),
        option::of(after()),
        vec(after(), 0..2),
        prop_oneof![9 => Just(true), 1 => Just(false)],
        option::of(select(vec!["Which?", "One? Two?", "Say.", "Which, and why?"])),
        any::<bool>(),
        prop_oneof![9 => Just(true), 1 => Just(false)],
    )
        .prop_map(|(turns, budgets, switch, answers, has_triad, question, is_recommended, has_tests)| {
            let (iterations, calls, time) = budgets;
            let mut ledger = json!({
                "turns": turns, "checks": {"tests_available": has_tests},
                "budgets": {"max_iterations": iterations, "max_subagent_calls": calls, "max_wall_time_ms": time},
                "answers": answers.into_iter().map(|turn| json!({"after_turn": turn})).collect::<Vec<_>>(),
            });
            if has_triad {
                ledger["goal"] = json!("g");
                ledger["constraints"] = json!(["c"]);
                ledger["initial_evidence"] = json!(["e"]);
            }
            if let Some(turn) = switch {
                ledger["strategy_switches"] = json!([{"after_turn": turn, "to": "docs", "hypothesis": "h"}]);
            }
            if let Some(text) = question {
                ledger["question"] = json!({"text": text, "unblocks": "u"});
            }
            if is_recommended {
                ledger["recommendation"] = json!({"text": "r", "path_clear": true, "risks_documented": true});
            }
            ledger
        })
}

/// The gate of a ledger, once its answer has kept the contract.
fn gate(ledger: &Value) -> (Gate, String) {
    let text = ledger.to_string();
    let tape = json::read(text.as_bytes(), ReadLimits::DOCUMENT).unwrap();
    let deliberation = deliberate(&Ledger::read(tape.root()).unwrap());
    let json = deliberation.to_json();
    let answer = json::read(json.as_bytes(), ReadLimits::ANSWER).unwrap();
    assert_eq!(check_deliberation(tape.root(), answer.root()), Ok(()), "{text} {json}");
    (deliberation.gate, json)
}

/// A text of the same document in which the fields of each object come in the reverse order.
fn reversed(value: &Value) -> String {
    match value {
        Value::Object(object) => {
            let members: Vec<_> = object
                .iter()
                .rev()
                .map(|(name, value)| format!("{}:{}", json!(name), reversed(value)))
                .collect();
            format!("{{{}}}", members.join(" , "))
        }
        Value::Array(list) => format!("[ {}]", list.iter().map(reversed).collect::<Vec<_>>().join(",")),
        other => other.to_string(),
    }
}

/// The same document with a field more in each object.
fn extended(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let members = object.iter().map(|(name, value)| (name.clone(), extended(value)));
            members.chain([("x-more".to_owned(), json!({"confidence": [1]}))]).collect()
        }
        Value::Array(list) => list.iter().map(extended).collect(),
        other => other.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn more_budget_never_stops_a_session_that_continued(ledger in ledgers(), more in (0..20_u64, 0..20_u64, 0..900_000_u64)) {
        let (before, plain) = gate(&ledger);
        let mut richer = ledger;
        for (name, more) in [("max_iterations", more.0), ("max_subagent_calls", more.1), ("max_wall_time_ms", more.2)] {
            let budget = richer["budgets"][name].as_u64().unwrap_or_default();
            richer["budgets"][name] = json!(budget + more);
        }
        let (after, _) = gate(&richer);
        // Stronger than the law: a budget that is not exhausted does nothing else, so all but a stop stays as it is.
        // An allocation that was over budget may do its duty now, which commit waited for.
        let commits = after == Gate::Commit && plain.contains("allocation_over_budget");
        prop_assert!(before == Gate::Stop || after == before || commits, "{before:?} {after:?}: {richer}");
    }

    #[test]
    fn the_order_of_members_and_white_space_are_nothing(ledger in ledgers()) {
        let (_, plain) = gate(&ledger);
        prop_assert_eq!(crate::deliberate::answer(reversed(&ledger).as_bytes()).unwrap(), plain);
    }

    #[test]
    fn extensions_change_nothing_anywhere(ledger in ledgers()) {
        prop_assert_eq!(gate(&extended(&ledger)), gate(&ledger));
    }

    #[test]
    fn a_failed_check_stops_whatever_else_is_so(ledger in ledgers()) {
        let mut ledger = ledger;
        ledger["checks"] = json!({"permission_denied": ["p"]});
        prop_assert_eq!(gate(&ledger).0, Gate::Stop);
    }

    #[test]
    fn any_text_has_an_answer_or_an_error(text in ".{0,80}") {
        if let Err(error) = crate::deliberate::answer(text.as_bytes()) {
            prop_assert!(!error.message().is_empty());
        }
    }
}
