//! SPEC section 10, sentence by sentence: what each says, a ledger for it, and what becomes of it.
//!
//! Ledgers are the session of `main.rs`, which goes well for three turns, with changes.

use serde_json::Value;

use crate::{answered, put, session, words};

/// What a sentence says; what is changed (nothing: taken away); the outcome as `gate stop_reason | reasons | triggers | duties`,
/// each only where there is one; and what else the answer has.
type Row = (
    &'static str,
    &'static [(&'static str, &'static str)],
    &'static str,
    &'static [(&'static str, &'static str)],
);

const READY: (&str, &str) = ("/recommendation", r#"{"text":"r","path_clear":true,"risks_documented":true}"#);
const SURE: (&str, &str) = ("/turns/2/confidence", "0.8");
const ASKED: (&str, &str) = ("/question", r#"{"text":"Which?","unblocks":"u"}"#);
const SWITCHED: (&str, &str) = ("/strategy_switches", r#"[{"after_turn":3,"to":"docs"}]"#);
const SWITCHED_EARLY: (&str, &str) = ("/strategy_switches", r#"[{"after_turn":1,"to":"docs"}]"#);
const MORE: (&str, &str) = ("/budgets", r#"{"max_iterations":9}"#);
const NO_FILES: (&str, &str) = ("/turns/2/files", "[]");
const NONE_BEFORE: (&str, &str) = ("/turns/1/files", "[]");
const FOURTH: (&str, &str) = ("/turns/3", r#"{"n":4,"confidence":0.7,"uncertainty":0.3,"files":["f4"]}"#);
const LOW: (&str, &str) = ("/turns/2/uncertainty", "0.5");
const LOW_AGAIN: (&str, &str) = ("/turns/3", r#"{"n":4,"confidence":0.7,"uncertainty":0.45,"files":["f4"]}"#);

const GATES: &[Row] = &[
    ("without any condition the agent goes on", &[], "continue", &[("/budgets_left/iterations", "2")]),
    (
        "risk over threshold",
        &[("/risk", r#"{"level":0.71,"threshold":0.7}"#)],
        "stop human_required | risk_over_threshold",
        &[],
    ),
    ("risk is strictly over", &[("/risk", r#"{"level":0.7,"threshold":7e-1}"#)], "continue", &[]),
    (
        "missing file",
        &[("/checks", r#"{"required_files_missing":["f"]}"#)],
        "stop human_required | required_files_missing",
        &[],
    ),
    (
        "no tests",
        &[("/checks", r#"{"tests_available":false}"#)],
        "stop human_required | tests_unavailable",
        &[],
    ),
    ("absent tests_available is no failure", &[("/checks", "{}")], "continue", &[]),
    (
        "permission",
        &[("/checks", r#"{"permission_denied":["p"]}"#)],
        "stop human_required | permission_denied",
        &[],
    ),
    (
        "the cause comes before commit",
        &[READY, SURE, ("/checks", r#"{"tests_available":false}"#)],
        "stop human_required | tests_unavailable",
        &[("/stop_report/confidence", "0.8")],
    ),
    (
        "commit at confidence 0.8",
        &[READY, SURE],
        "commit recommendation_ready | recommendation_ready",
        &[("/stop_report/next_actions", r#"["r"]"#)],
    ),
    ("no commit below 0.8", &[READY, ("/turns/2/confidence", "0.79")], "continue", &[]),
    (
        "no commit when the path is not clear",
        &[SURE, ("/recommendation", r#"{"text":"r","risks_documented":true}"#)],
        "continue",
        &[],
    ),
    (
        "no commit when risks are not documented",
        &[SURE, ("/recommendation", r#"{"text":"r","path_clear":true}"#)],
        "continue",
        &[],
    ),
    (
        "no commit with an open conflict",
        &[READY, SURE, ("/turns/2/conflicts_open", r#"["c"]"#)],
        "continue",
        &[],
    ),
    ("no commit with a blocker", &[READY, SURE, ("/turns/2/blocker", r#""b""#)], "continue", &[]),
    (
        "only the last turn's conflicts and blocker count",
        &[
            READY,
            SURE,
            ("/turns/1/blocker", r#""b""#),
            ("/turns/1/conflicts_open", r#"["c"]"#),
            ("/turns/2/conflicts_open", "[]"),
        ],
        "commit recommendation_ready | recommendation_ready",
        &[],
    ),
    (
        "no commit with an open duty",
        &[READY, SURE, ("/turns/2/novelty_check", "")],
        "continue | | | novelty_check",
        &[],
    ),
    (
        "commit needs every question answered",
        &[READY, SURE, ("/question", r#"{"text":"Two? Three?"}"#)],
        "continue",
        &[("/question_verdict/singular", r#"{"met":false,"reason":"several_question_marks"}"#)],
    ),
    (
        "an answered question does not hinder commit",
        &[READY, SURE, ASKED, ("/answers", r#"[{"after_turn":3}]"#)],
        "commit recommendation_ready | recommendation_ready",
        &[("/question_verdict/answerable", r#"{"met":false,"reason":"answer_undeclared"}"#)],
    ),
    (
        "a budget is exhausted when as much is consumed as there is, and a question is owed",
        &[("/budgets", r#"{"max_iterations":3}"#)],
        "stop budget_exhausted | iterations_exhausted question_owed best_effort",
        &[("/budgets_left", r#"{"iterations":0,"subagent_calls":5,"wall_time_ms":240000}"#)],
    ),
    (
        "calls are a budget",
        &[("/budgets", r#"{"max_subagent_calls":3}"#)],
        "stop budget_exhausted | subagent_calls_exhausted question_owed best_effort",
        &[],
    ),
    (
        "time is a budget",
        &[("/budgets", r#"{"max_wall_time_ms":60000}"#)],
        "stop budget_exhausted | wall_time_exhausted question_owed best_effort",
        &[],
    ),
    (
        "provisional from 0.7",
        &[("/budgets", r#"{"max_iterations":3}"#), ("/turns/2/confidence", "0.7")],
        "stop budget_exhausted | iterations_exhausted question_owed provisional",
        &[],
    ),
    (
        "commit comes before an exhausted budget",
        &[READY, SURE, ("/budgets", r#"{"max_iterations":3}"#)],
        "commit recommendation_ready | recommendation_ready",
        &[],
    ),
    (
        "an exhausted budget comes before stagnation",
        &[NONE_BEFORE, NO_FILES, ("/budgets", r#"{"max_iterations":3}"#)],
        "stop budget_exhausted | iterations_exhausted question_owed best_effort | no_new_files",
        &[],
    ),
    ("stagnation, no switch yet", &[NONE_BEFORE, NO_FILES], "switch | no_new_files | no_new_files", &[]),
    (
        "stagnation after a switch",
        &[SWITCHED_EARLY, NONE_BEFORE, NO_FILES],
        "stop stagnation | no_new_files | no_new_files",
        &[],
    ),
    (
        "stagnation comes before a phase's cap and a question",
        &[SWITCHED_EARLY, ASKED, NONE_BEFORE, NO_FILES],
        "stop stagnation | no_new_files | no_new_files",
        &[],
    ),
    (
        "a switch gives a phase of two iterations",
        &[SWITCHED_EARLY],
        "escalate blocking_question | phase_iterations_exhausted",
        &[],
    ),
    (
        "a switch gives a phase of three calls",
        &[SWITCHED, MORE, FOURTH, ("/turns/3/consumed", r#"{"subagent_calls":3}"#)],
        "escalate blocking_question | phase_calls_exhausted",
        &[],
    ),
    (
        "a switch adds three calls and two minutes, iterations never",
        &[SWITCHED, MORE],
        "continue",
        &[("/budgets_left", r#"{"iterations":6,"subagent_calls":8,"wall_time_ms":360000}"#)],
    ),
    (
        "two low-novelty turns in a row",
        &[LOW, LOW_AGAIN],
        "escalate blocking_question | low_novelty_repeated",
        &[],
    ),
    (
        "no triad at turn 2",
        &[("/goal", ""), ("/turns/2", "")],
        "escalate blocking_question | triad_missing | | triad",
        &[],
    ),
    (
        "an unanswered singular blocking question",
        &[ASKED],
        "escalate blocking_question | question_open",
        &[
            ("/stop_report/next_actions", r#"["Which?"]"#),
            ("/stop_report/uncertainties_remaining", r#"["Which?"]"#),
        ],
    ),
    (
        "a question that is blank is as good as absent",
        &[LOW, LOW_AGAIN, ("/question", r#"{"text":" ","unblocks":"u"}"#)],
        "escalate blocking_question | low_novelty_repeated",
        &[("/stop_report/uncertainties_remaining", "[]")],
    ),
    (
        "a question that blocks nothing",
        &[("/question", r#"{"text":"Which?"}"#)],
        "continue",
        &[("/question_verdict/blocking", r#"{"met":false,"reason":"unblocks_undeclared"}"#)],
    ),
    (
        "a question that is several",
        &[("/question", r#"{"text":"Which? Why?","unblocks":"u"}"#)],
        "continue",
        &[("/question_verdict/blocking", r#"{"met":true,"reason":"unblocks_declared"}"#)],
    ),
    ("one low-novelty turn before any switch", &[LOW], "switch | low_novelty", &[]),
    (
        "one low-novelty turn after a switch",
        &[LOW, ("/strategy_switches", r#"[{"after_turn":2,"to":"docs"}]"#)],
        "continue",
        &[],
    ),
    ("escalation comes before low novelty", &[LOW, ASKED], "escalate blocking_question | question_open", &[]),
];

const STAGNATION: &[Row] = &[
    (
        "the same failure signature three times",
        &[
            ("/turns/0/failure_signature", r#""E""#),
            ("/turns/1/failure_signature", r#""E""#),
            ("/turns/2/failure_signature", r#""E""#),
        ],
        "switch | repeated_failure | repeated_failure",
        &[("/reasons/0/path", r#""/turns/2/failure_signature""#)],
    ),
    (
        "two failures of one signature",
        &[("/turns/0/failure_signature", r#""E""#), ("/turns/2/failure_signature", r#""E""#)],
        "continue",
        &[],
    ),
    (
        "no new files in two turns",
        &[("/turns/1/files", r#"["part1.rs"]"#), ("/turns/2/files", "")],
        "switch | no_new_files | no_new_files",
        &[],
    ),
    ("a new file in one of two turns", &[NO_FILES], "continue", &[]),
    (
        "new against the whole ledger",
        &[SWITCHED_EARLY, ("/turns/1/files", r#"["part1.rs"]"#), ("/turns/2/files", r#"["part1.rs"]"#)],
        "stop stagnation | no_new_files | no_new_files",
        &[],
    ),
    (
        "two gains each below 0.1",
        &[("/turns/1/confidence", "0.29"), ("/turns/2/confidence", "0.38")],
        "switch | confidence_plateau | confidence_plateau",
        &[],
    ),
    (
        "a gain of exactly 0.1, where floats have less",
        &[("/turns/0/confidence", "0.6"), ("/turns/1/confidence", "0.7"), ("/turns/2/confidence", "0.7")],
        "continue",
        &[],
    ),
    (
        "the plateau looks at gains inside the phase",
        &[
            ("/strategy_switches", r#"[{"after_turn":2,"to":"d"}]"#),
            MORE,
            ("/turns/1/confidence", "0.2"),
            ("/turns/2/confidence", "0.2"),
            FOURTH,
            ("/turns/3/confidence", "0.2"),
            ("/turns/3/consumed", r#"{"iterations":0}"#),
        ],
        "continue",
        &[],
    ),
    (
        "a redundant query: same key, other source",
        &[
            ("/turns/0/queries", r#"[{"key":"k","source":"a"}]"#),
            ("/turns/2/queries", r#"[{"key":"k","source":"b"}]"#),
        ],
        "switch | redundant_queries | redundant_queries",
        &[("/reasons/0/path", r#""/turns/2/queries/0""#)],
    ),
    (
        "the same source twice is not redundant",
        &[("/turns/0/queries", r#"[{"key":"k","source":"a"},{"key":"k","source":"a"}]"#)],
        "continue",
        &[],
    ),
    (
        "a synthesis between them",
        &[(
            "/turns/0/queries",
            r#"[{"key":"k","source":"a"},{"key":"l","source":"a","synthesis":true},{"key":"k","source":"b"}]"#,
        )],
        "continue",
        &[],
    ),
    (
        "a synthesis covers its own query",
        &[("/turns/0/queries", r#"[{"key":"k","source":"a","synthesis":true},{"key":"k","source":"b"}]"#)],
        "continue",
        &[],
    ),
    (
        "a synthesis on the second query is not between",
        &[("/turns/0/queries", r#"[{"key":"k","source":"a"},{"key":"k","source":"b","synthesis":true}]"#)],
        "switch | redundant_queries | redundant_queries",
        &[],
    ),
    (
        "judged from the end of turn 3",
        &[("/turns/2", ""), ("/turns/0/files", ""), ("/turns/1/files", "")],
        "continue",
        &[],
    ),
    ("judged over the turns since the switch", &[SWITCHED, NONE_BEFORE, NO_FILES], "continue", &[]),
    (
        "less than 20 % of the previous uncertainty",
        &[("/turns/2/uncertainty", "0.480000001")],
        "switch | low_novelty",
        &[],
    ),
    ("exactly 20 % is no low novelty", &[("/turns/2/uncertainty", "0.48")], "continue", &[]),
    (
        "low novelty is of turns 3 and up",
        &[("/turns/2", ""), ("/turns/1/uncertainty", "0.9")],
        "continue",
        &[],
    ),
];

const BUDGETS_DUTIES_ANSWERS: &[Row] = &[
    (
        "overrides replace budgets by name",
        &[("/budgets", r#"{"max_subagent_calls":3}"#), ("/overrides", r#"{"max_subagent_calls":4}"#)],
        "continue",
        &[("/budgets_left/subagent_calls", "1")],
    ),
    (
        "iterations at most doubled",
        &[("/overrides", r#"{"max_iterations":10}"#)],
        "continue",
        &[("/budgets_left/iterations", "7")],
    ),
    (
        "the triad by turn 2, a warning at turn 1",
        &[("/goal", r#""""#), ("/turns/2", ""), ("/turns/1", "")],
        "continue | triad_due",
        &[],
    ),
    (
        "exploration_plan and budget_allocation at turn 2",
        &[("/turns/2", ""), ("/turns/1/exploration_plan", ""), ("/turns/1/budget_allocation", "")],
        "continue | | | exploration_plan budget_allocation",
        &[],
    ),
    ("novelty_check at turn 3", &[("/turns/2/novelty_check", "")], "continue | | | novelty_check", &[]),
    (
        "late duties count",
        &[("/turns/1/exploration_plan", ""), ("/turns/2/exploration_plan", r#"["late"]"#)],
        "continue",
        &[],
    ),
    (
        "empty lists are no triad",
        &[("/constraints", "[]")],
        "escalate blocking_question | triad_missing | | triad",
        &[],
    ),
    (
        "an empty duty is not done",
        &[("/turns/1/budget_allocation", "{}")],
        "continue | | | budget_allocation",
        &[],
    ),
    (
        "an answer restarts the iterations, calls and time go on",
        &[("/answers", r#"[{"after_turn":2}]"#)],
        "continue",
        &[("/budgets_left", r#"{"iterations":4,"subagent_calls":5,"wall_time_ms":240000}"#)],
    ),
    (
        "an answer at the last turn answers the question",
        &[ASKED, ("/answers", r#"[{"after_turn":3}]"#)],
        "continue",
        &[],
    ),
    (
        "an answer before the last turn does not",
        &[ASKED, ("/answers", r#"[{"after_turn":2}]"#)],
        "escalate blocking_question | question_open",
        &[],
    ),
    (
        "an answer later than the switch lifts the phase's cap",
        &[SWITCHED_EARLY, ("/answers", r#"[{"after_turn":2}]"#)],
        "continue",
        &[],
    ),
    (
        "only one that is later",
        &[SWITCHED_EARLY, ("/answers", r#"[{"after_turn":1}]"#)],
        "escalate blocking_question | phase_iterations_exhausted",
        &[],
    ),
    (
        "low-novelty turns up to an answer no longer count",
        &[LOW, LOW_AGAIN, ("/answers", r#"[{"after_turn":3}]"#)],
        "switch | low_novelty",
        &[],
    ),
    (
        "what is left is told before a switch's bonus",
        &[NONE_BEFORE, NO_FILES],
        "switch | no_new_files | no_new_files",
        &[("/budgets_left", r#"{"iterations":2,"subagent_calls":5,"wall_time_ms":240000}"#)],
    ),
    (
        "left is never below zero",
        &[("/turns/2/consumed", r#"{"iterations":99}"#)],
        "stop budget_exhausted | iterations_exhausted question_owed best_effort",
        &[("/budgets_left/iterations", "0")],
    ),
    (
        "consumption is told as used and max",
        &[ASKED],
        "escalate blocking_question | question_open",
        &[("/stop_report/budget_consumed/wall_time_ms", r#"{"used":60000,"max":300000}"#)],
    ),
    (
        "the report has the evidence and the sources that were asked, each once",
        &[
            ASKED,
            ("/turns/0/evidence_ids", r#"["e2","e1"]"#),
            ("/turns/1/queries", r#"[{"key":"k","source":"docs"},{"key":"l","source":"e1"}]"#),
            ("/turns/2/evidence_ids", r#"["e2","e3"]"#),
        ],
        "escalate blocking_question | question_open",
        &[("/stop_report/evidence_summary", r#"["e2","e1","e3","docs"]"#)],
    ),
    (
        "the last turn's conflicts and blocker remain uncertain",
        &[ASKED, ("/turns/2/conflicts_open", r#"["c"]"#), ("/turns/2/blocker", r#""b""#)],
        "escalate blocking_question | question_open",
        &[("/stop_report/uncertainties_remaining", r#"["c","b","Which?"]"#)],
    ),
    (
        "after an answer calls and time still run out",
        &[
            ("/answers", r#"[{"after_turn":3}]"#),
            ("/budgets", r#"{"max_wall_time_ms":60000,"max_iterations":1}"#),
        ],
        "stop budget_exhausted | wall_time_exhausted question_owed best_effort",
        &[("/budgets_left/iterations", "1")],
    ),
    (
        "lists and objects may be absent",
        &[
            ("/goal", ""),
            ("/constraints", ""),
            ("/initial_evidence", ""),
            ("/turns", r#"[{"n":1,"confidence":0,"uncertainty":1}]"#),
        ],
        "continue | triad_due",
        &[("/budgets_left", r#"{"iterations":4,"subagent_calls":8,"wall_time_ms":300000}"#)],
    ),
    (
        "absent counters are zero, iterations one",
        &[("/turns/2/consumed", "")],
        "continue",
        &[("/budgets_left", r#"{"iterations":2,"subagent_calls":6,"wall_time_ms":260000}"#)],
    ),
    (
        "a question is judged by its fields and its marks",
        &[("/question", r#"{"text":"Say it.","options":["a"],"context":"c"}"#)],
        "continue",
        &[(
            "/question_verdict",
            r#"{"singular":{"met":false,"reason":"no_question_mark"},"answerable":{"met":true,"reason":"answer_declared"},"blocking":{"met":false,"reason":"unblocks_undeclared"},"contextual":{"met":true,"reason":"context_given"}}"#,
        )],
    ),
];

const REFUSED: &[Row] = &[
    (
        "iterations at most doubled, else invalid_value",
        &[("/overrides", r#"{"max_iterations":11}"#)],
        "invalid_value /overrides/max_iterations",
        &[],
    ),
    (
        "a second entry in strategy_switches is invalid_value",
        &[("/strategy_switches", r#"[{"after_turn":1,"to":"a"},{"after_turn":2,"to":"b"}]"#)],
        "invalid_value /strategy_switches/1",
        &[],
    ),
    (
        "overrides name budgets",
        &[("/overrides", r#"{"max_tokens":1}"#)],
        "unknown_field /overrides/max_tokens",
        &[],
    ),
    ("n is the place from 1", &[("/turns/0/n", "0")], "invalid_value /turns/0/n", &[]),
    ("n may not be absent", &[("/turns/2/n", "")], "missing_field /turns/2/n", &[]),
    (
        "confidence may not be absent",
        &[("/turns/1/confidence", "")],
        "missing_field /turns/1/confidence",
        &[],
    ),
    (
        "uncertainty may not be absent",
        &[("/turns/0/uncertainty", "")],
        "missing_field /turns/0/uncertainty",
        &[],
    ),
    ("risk is numeric", &[("/risk", r#"{"level":"high","threshold":1}"#)], "invalid_value /risk/level", &[]),
];

/// The outcome of an answer, in a line.
fn outcome(answer: &Value) -> String {
    if let Some(error) = answer.get("error") {
        return [&error["code"], &error["path"]].map(|part| part.as_str().unwrap_or_default()).join(" ");
    }
    let stop = answer["stop_report"]["stop_reason"].as_str();
    let gate: Vec<_> = answer["gate"].as_str().into_iter().chain(stop).collect();
    let lists =
        [words(&answer["reasons"], "/code"), words(&answer["triggers"], ""), words(&answer["duties"], "")];
    let mut line = gate.join(" ");
    for list in lists {
        line.push_str(" | ");
        line.push_str(&list.join(" "));
    }
    // What is empty is not written, unless something follows it.
    line.trim_end_matches([' ', '|']).replace("  ", " ")
}

#[test]
fn each_sentence_is_kept() {
    let rows = GATES.iter().chain(STAGNATION).chain(BUDGETS_DUTIES_ANSWERS).chain(REFUSED);
    for (sentence, changes, expected, more) in rows {
        let mut ledger = session();
        for (pointer, value) in *changes {
            let is_turn =
                value.is_empty() && pointer.strip_prefix("/turns/").is_some_and(|rest| !rest.contains('/'));
            if is_turn {
                // The last one.
                ledger["turns"].as_array_mut().unwrap().pop();
            } else {
                put(&mut ledger, pointer, (!value.is_empty()).then(|| serde_json::from_str(value).unwrap()));
            }
        }
        let answer = answered(&ledger);
        assert_eq!(outcome(&answer), *expected, "{sentence}: {answer}");
        for (pointer, value) in *more {
            let value: Value = serde_json::from_str(value).unwrap();
            assert_eq!(answer.pointer(pointer), Some(&value), "{sentence}: {pointer}");
        }
    }
}
