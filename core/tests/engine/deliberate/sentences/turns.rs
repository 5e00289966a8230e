//! Progress, theater, turn outputs, switches, stop reports and questions: the second edition's sentences.

use super::{
    ASKED, FOURTH, LOW, LOW_AGAIN, MORE, NO_FILES, NONE_BEFORE, READY, Row, SURE, SWITCHED, SWITCHED_EARLY,
};

/// The third turn brings nothing: no new file, no more confidence, no less uncertainty. Its uncertainty was zero before, so
/// novelty is not low.
const CERTAIN: (&str, &str) = ("/turns/1/uncertainty", "0");
const STILL_CERTAIN: (&str, &str) = ("/turns/2/uncertainty", "0");
const NO_SURER: (&str, &str) = ("/turns/2/confidence", "0.4");
const ASKING_2: (&str, &str) = ("/turns/1/synthesis", "");
const ASKING_3: (&str, &str) = ("/turns/2/synthesis", "");

pub(super) const TURNS: &[Row] = &[
    (
        "a turn without progress is fruitless, which decides nothing",
        &[CERTAIN, STILL_CERTAIN, NO_SURER, NO_FILES],
        "continue | no_progress",
        &[("/reasons/0/path", r#""/turns/2""#)],
    ),
    (
        "less confidence and more uncertainty are no progress",
        &[CERTAIN, ("/turns/2/evidence_ids", r#"["e"]"#), ("/turns/2/confidence", "0.3"), NO_FILES],
        "switch | low_novelty no_progress",
        &[],
    ),
    (
        "a new evidence id is progress",
        &[CERTAIN, STILL_CERTAIN, NO_SURER, NO_FILES, ("/turns/2/evidence_ids", r#"["e","new"]"#)],
        "continue",
        &[],
    ),
    (
        "a falsified hypothesis is progress",
        &[CERTAIN, STILL_CERTAIN, NO_SURER, NO_FILES, ("/turns/2/falsified", r#"["h"]"#)],
        "continue",
        &[],
    ),
    (
        "fewer open conflicts are progress",
        &[CERTAIN, STILL_CERTAIN, NO_SURER, NO_FILES, ("/turns/1/conflicts_open", r#"["a"]"#)],
        "continue",
        &[],
    ),
    (
        "a cleared blocker is progress",
        &[CERTAIN, STILL_CERTAIN, NO_SURER, NO_FILES, ("/turns/1/blocker", r#""b""#)],
        "continue",
        &[],
    ),
    (
        "no progress alone commits at 0.8",
        &[CERTAIN, STILL_CERTAIN, SURE, ("/turns/1/confidence", "0.8"), NO_FILES, READY],
        "commit recommendation_ready | recommendation_ready no_progress",
        &[],
    ),
    (
        "commit needs evidence, of a turn or initial",
        &[("/turns", r#"[{"n":1,"confidence":0.9,"uncertainty":0.1}]"#), ("/initial_evidence", ""), READY],
        "continue | triad_due",
        &[],
    ),
    (
        "evidence of a turn is enough",
        &[
            ("/turns", r#"[{"n":1,"confidence":0.9,"uncertainty":0.1,"evidence_ids":["e"]}]"#),
            ("/initial_evidence", ""),
            READY,
        ],
        "commit recommendation_ready | recommendation_ready triad_due",
        &[],
    ),
    (
        "low novelty counts only turns without new evidence",
        &[LOW, ("/turns/2/evidence_ids", r#"["new"]"#)],
        "continue",
        &[],
    ),
    (
        "a turn of low novelty between two others ends their row",
        &[LOW, LOW_AGAIN, ("/turns/2/falsified", r#"["h"]"#)],
        "switch | low_novelty",
        &[],
    ),
    (
        "two turns with calls and no synthesis are evidence theater",
        &[ASKING_2, ASKING_3],
        "continue | evidence_theater",
        &[],
    ),
    (
        "a synthesis of a query ends it",
        &[ASKING_2, ASKING_3, ("/turns/2/queries", r#"[{"key":"k","source":"s","synthesis":true}]"#)],
        "continue",
        &[],
    ),
    ("one turn is no theater", &[ASKING_3], "continue", &[]),
    (
        "a turn without calls and queries is no theater",
        &[ASKING_2, ASKING_3, ("/turns/1/consumed", "")],
        "continue",
        &[],
    ),
    (
        "theater with a fruitless last turn escalates",
        &[CERTAIN, STILL_CERTAIN, NO_SURER, NO_FILES, ASKING_2, ASKING_3],
        "escalate blocking_question | no_progress evidence_theater",
        &[("/stop_report/next_actions", r#"["ask one blocking question about the remaining uncertainty"]"#)],
    ),
    (
        "the row escalate comes after stagnation",
        &[CERTAIN, STILL_CERTAIN, NO_SURER, NO_FILES, NONE_BEFORE, ASKING_2, ASKING_3],
        "switch | no_new_files no_progress evidence_theater | no_new_files",
        &[],
    ),
    (
        "commit stands before it",
        &[CERTAIN, STILL_CERTAIN, SURE, ("/turns/1/confidence", "0.8"), NO_FILES, ASKING_2, ASKING_3, READY],
        "commit recommendation_ready | recommendation_ready no_progress evidence_theater",
        &[("/stop_report/next_actions", r#"["r"]"#)],
    ),
    (
        "investigated before the triad",
        &[("/turns/2", ""), ("/turns/1", ""), ("/constraints", "")],
        "continue | investigated_before_triad triad_due",
        &[("/reasons/0/path", r#""/turns/0""#)],
    ),
    (
        "an allocation over budget leaves the duty open",
        &[("/turns/1/budget_allocation/max_subagent_calls", "9")],
        "continue | allocation_over_budget | | budget_allocation",
        &[("/reasons/0/path", r#""/turns/1/budget_allocation/max_subagent_calls""#)],
    ),
    (
        "budgets with overrides",
        &[
            ("/turns/1/budget_allocation/max_subagent_calls", "9"),
            ("/overrides", r#"{"max_subagent_calls":9}"#),
        ],
        "continue",
        &[],
    ),
    (
        "the last allocation counts",
        &[
            ("/turns/1/budget_allocation/max_subagent_calls", "9"),
            ("/turns/2/budget_allocation", r#"{"estimated_wall_time":"5 minutes"}"#),
        ],
        "continue",
        &[],
    ),
    (
        "time is allocated in minutes",
        &[("/turns/1/budget_allocation/estimated_wall_time", "5.000000000000001")],
        "continue | allocation_over_budget | | budget_allocation",
        &[("/reasons/0/path", r#""/turns/1/budget_allocation/estimated_wall_time""#)],
    ),
    (
        "a bare string is an untyped step of a plan",
        &[("/turns/1/exploration_plan/1", r#""look""#)],
        "continue | untyped_plan",
        &[("/reasons/0/path", r#""/turns/1/exploration_plan/1""#)],
    ),
    (
        "a recommendation below 0.7 is premature",
        &[READY, ("/turns/2/confidence", "0.69")],
        "continue | premature_recommendation",
        &[],
    ),
    (
        "the decision of the turn disagrees",
        &[("/turns/2/continue_decision", r#""escalate""#)],
        "continue | decision_disagrees",
        &[("/reasons/0/path", r#""/turns/2/continue_decision""#)],
    ),
    (
        "the decision may stand in the check",
        &[("/turns/2/novelty_check/continue_decision", r#""switch""#)],
        "continue | decision_disagrees",
        &[("/reasons/0/path", r#""/turns/2/novelty_check/continue_decision""#)],
    ),
    (
        "at a stop every decision disagrees",
        &[("/turns/2/continue_decision", r#""continue""#), ("/checks", r#"{"tests_available":false}"#)],
        "stop human_required | tests_unavailable decision_disagrees",
        &[],
    ),
    (
        "a switch names its trigger, the strategy that failed and a new budget",
        &[NONE_BEFORE, NO_FILES, ("/turns/0/strategy", r#""grep""#)],
        "switch | no_new_files | no_new_files",
        &[(
            "/switch",
            r#"{"trigger":"no_new_files","current_strategy":"grep","new_budget":{"max_iterations":2,"max_subagent_calls":3}}"#,
        )],
    ),
    (
        "without a trigger it is low novelty",
        &[LOW],
        "switch | low_novelty",
        &[("/switch/trigger", r#""low_novelty""#), ("/switch/current_strategy", "null")],
    ),
    (
        "budgets_left has the phase after a switch",
        &[SWITCHED, MORE, FOURTH, ("/turns/3/consumed", r#"{"subagent_calls":2}"#)],
        "continue",
        &[("/budgets_left/phase", r#"{"iterations":1,"subagent_calls":1}"#)],
    ),
    (
        "the report has the recommendation with its label",
        &[READY, ("/turns/2/confidence", "0.7"), ("/checks", r#"{"tests_available":false}"#)],
        "stop human_required | tests_unavailable",
        &[
            ("/stop_report/recommendation", r#"{"text":"r","label":"provisional"}"#),
            ("/stop_report/question", "null"),
        ],
    ),
    (
        "after a failed switch the question is in next_actions",
        &[SWITCHED_EARLY, NONE_BEFORE, NO_FILES, ASKED],
        "stop stagnation | no_new_files | no_new_files",
        &[
            ("/stop_report/next_actions", r#"["name sources that were not read yet","Which?"]"#),
            ("/stop_report/question/text", r#""Which?""#),
            ("/stop_report/question/verdict/contextual", r#"{"met":false,"reason":"context_missing"}"#),
            ("/stop_report/recommendation", "null"),
        ],
    ),
    (
        "what tools could answer is not blocking",
        &[("/question", r#"{"text":"Which?","unblocks":"u","answerable_by":["grep"]}"#)],
        "continue",
        &[("/question_verdict/blocking", r#"{"met":false,"reason":"answerable_by_tools"}"#)],
    ),
    (
        "text as the type of an answer does not make a question answerable",
        &[("/question", r#"{"text":"Which?","answer_type":"text"}"#)],
        "continue",
        &[("/question_verdict/answerable", r#"{"met":false,"reason":"free_text"}"#)],
    ),
    (
        "singular refuses a second coordinated question",
        &[("/question", r#"{"text":"Is it JWT, or should it be OAuth?","unblocks":"u"}"#)],
        "continue",
        &[("/question_verdict/singular", r#"{"met":false,"reason":"coordinated_questions"}"#)],
    ),
    (
        "nouns that are joined are one question",
        &[("/question", r#"{"text":"Is it JWT, and OAuth, or isolation?","unblocks":"u"}"#)],
        "escalate blocking_question | question_open",
        &[],
    ),
];
