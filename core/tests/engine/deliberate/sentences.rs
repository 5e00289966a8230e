//! docs/reference/planning-gates.md, sentence by sentence: each sentence with a ledger and the expected answer.
//!
//! Ledgers are the session of `main.rs`, which goes well for three turns, with changes.

mod gates;
mod ledger;
mod stagnation;
mod turns;

use serde_json::Value;

use crate::deliberate::{answered, put, session, words};

/// A sentence of PAO, the changes to the ledger (an empty value removes a field), the outcome, and further parts of the answer.
/// The outcome is `gate stop_reason | reasons | triggers | duties`, each if present.
type Row = (
    &'static str,
    &'static [(&'static str, &'static str)],
    &'static str,
    &'static [(&'static str, &'static str)],
);

const READY: (&str, &str) = ("/recommendation", r#"{"text":"r","path_clear":true,"risks_documented":true}"#);
const SURE: (&str, &str) = ("/turns/2/confidence", "0.8");
const ASKED: (&str, &str) = ("/question", r#"{"text":"Which?","unblocks":"u"}"#);
const SWITCHED: (&str, &str) = ("/strategy_switches", r#"[{"after_turn":3,"to":"docs","hypothesis":"h"}]"#);
const SWITCHED_EARLY: (&str, &str) =
    ("/strategy_switches", r#"[{"after_turn":1,"to":"docs","hypothesis":"h"}]"#);
const MORE: (&str, &str) = ("/budgets", r#"{"max_iterations":9}"#);
const NO_FILES: (&str, &str) = ("/turns/2/files", "[]");
const NONE_BEFORE: (&str, &str) = ("/turns/1/files", "[]");
const FOURTH: (&str, &str) = ("/turns/3", r#"{"n":4,"confidence":0.7,"uncertainty":0.3,"files":["f4"]}"#);
const LOW: (&str, &str) = ("/turns/2/uncertainty", "0.5");
const LOW_AGAIN: (&str, &str) = ("/turns/3", r#"{"n":4,"confidence":0.7,"uncertainty":0.45,"files":["f4"]}"#);

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
    // Empty parts are written only before others.
    line.trim_end_matches([' ', '|']).replace("  ", " ")
}

#[test]
fn each_sentence_is_kept() {
    let rows = gates::GATES
        .iter()
        .chain(stagnation::STAGNATION)
        .chain(turns::TURNS)
        .chain(ledger::BUDGETS_DUTIES_ANSWERS)
        .chain(ledger::REFUSED);
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
