//! Stagnation and novelty.

use super::{FOURTH, MORE, NO_FILES, NONE_BEFORE, Row, SWITCHED, SWITCHED_EARLY};

pub(super) const STAGNATION: &[Row] = &[
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
        "stop stagnation | no_new_files blocking_question_owed | no_new_files",
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
            ("/strategy_switches", r#"[{"after_turn":2,"to":"d","hypothesis":"h"}]"#),
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
