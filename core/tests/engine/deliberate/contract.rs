//! The contract of answers: the engine's own keep it, and whatever is malformed or contradicts itself does not.

use adjudicate_core::{
    codes,
    deliberate::check_deliberation,
    json::{self, ReadLimits},
};
use serde_json::{Value, json};

use crate::deliberate::{answered, put, session};

/// The path at which an answer breaks the contract, if it does.
fn breach(ledger: &Value, answer: &Value) -> Option<String> {
    let (ledger, answer) = (ledger.to_string(), answer.to_string());
    let ledger = json::read(ledger.as_bytes(), ReadLimits::DOCUMENT).unwrap();
    let answer = json::read(answer.as_bytes(), ReadLimits::ANSWER).unwrap();
    let error = check_deliberation(ledger.root(), answer.root()).err()?;
    assert_eq!(error.code(), codes::MODULE_INVALID_DECISION, "{error}");
    Some(error.path().to_owned())
}

/// A ledger that escalates, with a question.
fn asking() -> Value {
    let mut ledger = session();
    ledger["question"] = json!({"text": "Which?", "unblocks": "u"});
    ledger
}

#[test]
fn an_answer_that_contradicts_itself_is_refused_at_the_contradiction() {
    let good = answered(&asking());
    assert_eq!(breach(&asking(), &good), None);
    for (pointer, value, expected) in [
        ("/gate", json!("go"), "/gate"),
        ("/gate", json!("continue"), "/stop_report/stop_reason"),
        ("/gate", json!("stop"), "/stop_report/stop_reason"),
        (
            "/switch",
            json!({"trigger": "low_novelty", "current_strategy": null,
                           "new_budget": {"max_iterations": 2, "max_subagent_calls": 3}}),
            "/switch",
        ),
        ("/budgets_left/phase", json!({"iterations": 2, "subagent_calls": 3}), "/budgets_left/phase"),
        (
            "/stop_report/budget_consumed/wall_time/text",
            json!("1/2"),
            "/stop_report/budget_consumed/wall_time/text",
        ),
        (
            "/stop_report/recommendation",
            json!({"text": "r", "label": "ready"}),
            "/stop_report/recommendation",
        ),
        (
            "/stop_report/recommendation",
            json!({"text": "r", "label": "fine"}),
            "/stop_report/recommendation/label",
        ),
        ("/stop_report/recommendation", json!(7), "/stop_report/recommendation"),
        ("/stop_report/question", Value::Null, "/stop_report/question"),
        ("/stop_report/question/text", json!("Why?"), "/stop_report/question"),
        (
            "/stop_report/question/verdict/contextual",
            json!({"met": true, "reason": "context_given"}),
            "/stop_report/question",
        ),
        (
            "/stop_report/question/verdict/contextual/reason",
            json!("context_given"),
            "/stop_report/question/verdict/contextual/reason",
        ),
        ("/gate", json!("commit"), "/stop_report/stop_reason"),
        ("/gate", Value::Null, "/gate"),
        ("/reasons", json!([]), "/reasons"),
        ("/reasons/0/code", json!("because"), "/reasons/0/code"),
        ("/reasons/0/code", json!("best_effort"), "/reasons/0/code"),
        ("/reasons/0/code", json!("triad_due"), "/reasons"),
        ("/reasons/0/message", json!(""), "/reasons/0/message"),
        ("/reasons/0/path", json!("question"), "/reasons/0/path"),
        ("/triggers", json!(["boredom"]), "/triggers/0"),
        ("/triggers", json!(["no_new_files", "repeated_failure"]), "/triggers/1"),
        ("/triggers", json!(["no_new_files", "no_new_files"]), "/triggers/1"),
        ("/duties", json!([7]), "/duties/0"),
        ("/duties", json!("triad"), "/duties"),
        ("/duties", json!(["novelty_check"]), "/duties"),
        ("/budgets_left/iterations", json!(-1), "/budgets_left/iterations"),
        ("/budgets_left/iterations", json!(3), "/budgets_left"),
        ("/budgets_left/tokens", json!(1), "/budgets_left/tokens"),
        ("/stop_report/stop_reason", json!("done"), "/stop_report/stop_reason"),
        ("/stop_report/stop_reason", json!("human_required"), "/stop_report/stop_reason"),
        ("/stop_report/confidence", json!(0.9), "/stop_report/confidence"),
        ("/stop_report/confidence", json!(-0.55), "/stop_report/confidence"),
        ("/stop_report/next_actions", json!("ask"), "/stop_report/next_actions"),
        (
            "/stop_report/budget_consumed/iterations/used",
            json!(1.5),
            "/stop_report/budget_consumed/iterations/used",
        ),
        (
            "/stop_report/budget_consumed/iterations",
            json!({"used": 3, "max": 6, "text": "3/6"}),
            "/stop_report/budget_consumed",
        ),
        (
            "/stop_report/budget_consumed/iterations/max",
            json!(6),
            "/stop_report/budget_consumed/iterations/text",
        ),
        ("/question_verdict/singular/met", json!(false), "/question_verdict/singular/reason"),
        ("/question_verdict/singular/reason", json!("context_given"), "/question_verdict/singular/reason"),
        ("/more", json!(1), "/more"),
    ] {
        let mut answer = good.clone();
        put(&mut answer, pointer, Some(value));
        assert_eq!(breach(&asking(), &answer).as_deref(), Some(expected), "{pointer}");
    }
    for pointer in [
        "/gate",
        "/reasons",
        "/triggers",
        "/duties",
        "/budgets_left",
        "/stop_report",
        "/question_verdict",
        "/budgets_left/wall_time_ms",
        "/stop_report/stop_reason",
        "/stop_report/evidence_summary",
        "/stop_report/budget_consumed/subagent_calls",
        "/stop_report/budget_consumed/subagent_calls/max",
        "/stop_report/budget_consumed/subagent_calls/text",
        "/stop_report/recommendation",
        "/stop_report/question",
        "/stop_report/question/verdict",
        "/question_verdict/contextual",
        "/question_verdict/contextual/met",
    ] {
        let mut answer = good.clone();
        put(&mut answer, pointer, None);
        assert_eq!(breach(&asking(), &answer).as_deref(), Some(pointer));
    }
}

#[test]
fn an_answer_that_the_ledger_does_not_allow_is_refused() {
    // A verdict without a question.
    let mut answer = answered(&session());
    answer["question_verdict"] = answered(&asking())["question_verdict"].clone();
    assert_eq!(breach(&session(), &answer).as_deref(), Some("/question_verdict"));
    // A switch that is not the ledger's.
    let mut ledger = session();
    ledger["turns"][2]["uncertainty"] = json!(0.55);
    ledger["turns"][1]["strategy"] = json!("grep");
    let switch = answered(&ledger);
    for (pointer, value, path) in [
        ("/switch/trigger", json!("no_new_files"), "/switch/trigger"),
        ("/switch/current_strategy", Value::Null, "/switch/current_strategy"),
        ("/switch/current_strategy", json!(7), "/switch/current_strategy"),
        ("/switch/new_budget/max_iterations", json!(3), "/switch/new_budget"),
        ("/switch/new_budget", json!({}), "/switch/new_budget/max_iterations"),
    ] {
        let mut other = switch.clone();
        put(&mut other, pointer, Some(value));
        assert_eq!(breach(&ledger, &other).as_deref(), Some(path), "{pointer}");
    }
    let mut other = switch.clone();
    put(&mut other, "/switch", None);
    assert_eq!(breach(&ledger, &other).as_deref(), Some("/switch"));
    // The rest of the phase.
    ledger["strategy_switches"] = json!([{"after_turn": 3, "to": "docs", "hypothesis": "h"}]);
    let mut other = answered(&ledger);
    assert_eq!(breach(&ledger, &other), None);
    other["budgets_left"]["phase"]["iterations"] = json!(1);
    assert_eq!(breach(&ledger, &other).as_deref(), Some("/budgets_left/phase"));
    put(&mut other, "/budgets_left/phase", None);
    assert_eq!(breach(&ledger, &other).as_deref(), Some("/budgets_left/phase"));
    // Warnings alone are no reason, except theater in a fruitless turn.
    let escalated = answered(&asking());
    let reason = |code: &str| json!({"code": code, "message": "m", "path": "/turns/2"});
    for (codes, expected) in [
        (vec!["no_progress", "evidence_theater"], None),
        (vec!["evidence_theater"], Some("/reasons")),
        (vec!["no_progress", "untyped_plan"], Some("/reasons")),
        (vec!["evidence_theater", "no_progress"], Some("/reasons/1/code")),
    ] {
        let mut other = escalated.clone();
        other["reasons"] = codes.iter().map(|code| reason(code)).collect();
        assert_eq!(breach(&asking(), &other).as_deref(), expected, "{codes:?}");
    }
    // A second switch.
    let mut ledger = session();
    ledger["turns"][2]["uncertainty"] = json!(0.55);
    let switch = answered(&ledger);
    assert_eq!((switch["gate"].as_str(), breach(&ledger, &switch)), (Some("switch"), None));
    ledger["strategy_switches"] = json!([{"after_turn": 2, "to": "docs", "hypothesis": "h"}]);
    assert_eq!(breach(&ledger, &switch).as_deref(), Some("/gate"));
    // Nothing to commit to.
    let mut ledger = session();
    ledger["turns"][2]["confidence"] = json!(0.9);
    ledger["recommendation"] = json!({"text": "r", "path_clear": true, "risks_documented": true});
    let commit = answered(&ledger);
    assert_eq!((commit["gate"].as_str(), breach(&ledger, &commit)), (Some("commit"), None));
    put(&mut ledger, "/recommendation", None);
    assert_eq!(breach(&ledger, &commit).as_deref(), Some("/gate"));
    // Stagnation without its trigger.
    let mut ledger = session();
    ledger["turns"][1]["files"] = json!([]);
    ledger["turns"][2]["files"] = json!([]);
    let mut switch = answered(&ledger);
    assert_eq!(breach(&ledger, &switch), None);
    switch["triggers"] = json!([]);
    assert_eq!(breach(&ledger, &switch).as_deref(), Some("/reasons/0/code"));
    // An input to which there is no answer.
    assert_eq!(breach(&json!({"turns": 7}), &answered(&session())).as_deref(), Some(""));
}

#[test]
fn reasons_come_once_and_in_the_order_of_the_table() {
    let mut ledger = session();
    ledger["checks"] = json!({"tests_available": false, "permission_denied": ["secrets"]});
    let good = answered(&ledger);
    assert_eq!((good["gate"].as_str(), breach(&ledger, &good)), (Some("stop"), None));
    for order in [[1, 0], [0, 0]] {
        let mut other = good.clone();
        other["reasons"] = order.iter().map(|at: &usize| good["reasons"][*at].clone()).collect();
        assert_eq!(breach(&ledger, &other).as_deref(), Some("/reasons/1/code"), "{order:?}");
    }
}

#[test]
fn garbage_is_no_answer() {
    let good = answered(&asking());
    for garbage in [json!(null), json!([]), json!("stop"), json!({}), json!({"error": {}})] {
        assert!(breach(&asking(), &garbage).is_some(), "{garbage}");
    }
    for name in ["gate", "reasons", "triggers", "duties", "budgets_left", "stop_report", "question_verdict"] {
        for garbage in [json!(null), json!(7), json!("x"), json!([null]), json!([{}]), json!({"a": 1})] {
            let mut answer = good.clone();
            answer[name] = garbage.clone();
            let path = breach(&asking(), &answer).unwrap_or_default();
            assert!(path.starts_with(&format!("/{name}")), "{garbage} as {name}: {path}");
        }
    }
}
