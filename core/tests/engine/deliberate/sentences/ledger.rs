//! Budgets, duties, answers and the report; and ledgers that are refused.

use super::{ASKED, LOW, LOW_AGAIN, NO_FILES, NONE_BEFORE, Row, SWITCHED_EARLY};

pub(super) const BUDGETS_DUTIES_ANSWERS: &[Row] = &[
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
        "continue | investigated_before_triad triad_due",
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
        &[
            ("/turns/1/exploration_plan", ""),
            ("/turns/2/exploration_plan", r#"[{"agent":"explore","action":"late"}]"#),
        ],
        "continue",
        &[],
    ),
    (
        "empty lists are no triad",
        &[("/constraints", "[]")],
        "escalate blocking_question | triad_missing investigated_before_triad | | triad",
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
        "stop budget_exhausted | iterations_exhausted blocking_question_owed best_effort",
        &[("/budgets_left/iterations", "0")],
    ),
    (
        "budget_consumed is used, max and the text of both",
        &[ASKED],
        "escalate blocking_question | question_open",
        &[("/stop_report/budget_consumed/wall_time", r#"{"used":60000,"max":300000,"text":"60000/300000"}"#)],
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
        "stop budget_exhausted | wall_time_exhausted blocking_question_owed best_effort",
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

pub(super) const REFUSED: &[Row] = &[
    (
        "iterations at most doubled, else invalid_value",
        &[("/overrides", r#"{"max_iterations":11}"#)],
        "invalid_value /overrides/max_iterations",
        &[],
    ),
    (
        "a second entry in strategy_switches is invalid_value",
        &[(
            "/strategy_switches",
            r#"[{"after_turn":1,"to":"a","hypothesis":"h"},{"after_turn":2,"to":"b","hypothesis":"h"}]"#,
        )],
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
