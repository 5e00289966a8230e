//! Plans in their canonical form, replays and ledgers: the growth of their times.
//!
//! All calls are JSON text to JSON text, like those of every interface. Logs are read line by line, as a host reads
//! them.

use std::fmt::Write as _;

use adjudicate_core::{
    Operation,
    ir::{PlanIr, replay::Replay},
    json::{self, ReadLimits},
};
use serde_json::json;

use crate::{
    Failure, Values,
    contest::{Effort, timed},
    plans::{answering, grow},
};

/// The length of the longest log.
const LONGEST: usize = 100_000;

/// Returns the times of each size, and the exponents by which the times grow with the number of steps, turns and
/// events. Also returns the size of the set of used ids after the longest log, because memory grows with it.
pub(crate) fn measure(effort: Effort) -> Result<Values, Failure> {
    let mut values = Values::new();
    grow(effort, ["steps_growth", "steps"], 100, &mut values, |count| {
        answering(Operation::NormalizePlan, subtasks(count), r#""format":"adjutant""#)
    })?;
    grow(effort, ["turns_growth", "turns"], 100, &mut values, |count| {
        answering(Operation::Deliberate, turns(count), r#""triggers":[]"#)
    })?;
    let plan = json::read(PLAN.as_bytes(), ReadLimits::DOCUMENT)?;
    let plan = PlanIr::read(plan.root())?;
    let verified = |log: &str| -> Result<(usize, usize), Failure> {
        let mut replay = Replay::new(&plan, None, None);
        for (number, line) in (1..).zip(log.lines()) {
            replay.event(number, json::read(line.as_bytes(), ReadLimits::DOCUMENT)?.root())?;
        }
        let kept = replay.kept_ids();
        Ok((kept, replay.finish().findings().len()))
    };
    grow(effort, ["events_growth", "events"], LONGEST / 100, &mut values, |count| {
        let log = log(count);
        match verified(&log)? {
            (_, 0) => Ok(timed(move || Ok(verified(&log)?.1))),
            _ => Err("the log is made to be one of its plan".into()),
        }
    })?;
    values.insert("events_100000_kept_ids".into(), verified(&log(LONGEST))?.0 as f64);
    Ok(values)
}

/// A number of subtasks. Every seventh has no id of its own, and every fifth no file.
fn subtasks(count: usize) -> String {
    let subtask = |at: usize| {
        let action = match at % 5 {
            0 => "read",
            4 => "bash",
            _ => "edit",
        };
        let id = format!("task-{}", if at.is_multiple_of(7) { 0 } else { at });
        json!({"id": id, "action": action, "target": format!("src/f{at}.rs"), "instruction": format!("do {at}")})
    };
    json!({"plan": {"subtasks": (0..count).map(subtask).collect::<Vec<_>>()}}).to_string()
}

/// A number of turns, each with something new, under budgets that are never spent.
fn turns(count: usize) -> String {
    let turn = |at: usize| {
        let confidence = [0.2, 0.35, 0.5].get(at % 3);
        json!({
            "n": at + 1, "confidence": confidence, "uncertainty": count - at, "files": [format!("f{at}")],
            "exploration_plan": [{"tool": "t", "action": "a"}], "budget_allocation": {"max_iterations": 1},
            "novelty_check": {"new_information": true}, "queries": [{"key": format!("k{at}"), "source": "s"}],
        })
    };
    json!({
        "goal": "g", "constraints": ["c"], "initial_evidence": ["e"],
        "budgets": {"max_iterations": 1_000_000, "max_subagent_calls": 1_000_000},
        "turns": (0..count).map(turn).collect::<Vec<_>>(),
    })
    .to_string()
}

const PLAN: &str = r#"{"analysis":"","steps":[
    {"id":"look","description":"","intent":"investigate","target_files":[],"depends_on":[],"max_iterations":3},
    {"id":"mend","description":"","intent":"modify","target_files":[],"depends_on":["look"],"max_iterations":3}],
    "verification_strategy":{"commands":[],"success_criteria":"","max_retries":0},"complexity":"low","confidence":0.5}"#;

/// A log of a number of events, one a line: calls of two steps with their results.
fn log(events: usize) -> String {
    let mut log = String::from("{\"event\":\"PlanStart\",\"t\":\"2026-01-13T10:00:00Z\",\"step_count\":2}\n");
    for at in 1..events {
        let (call, step) = (at.div_ceil(2), if at < events / 2 { "look" } else { "mend" });
        let event = match at % 2 {
            1 => format!(r#""event":"ToolCall","step_id":"{step}","tool":"edit""#),
            _ => r#""event":"ToolResult","ok":true"#.to_owned(),
        };
        // The last call has its result at once.
        let is_open = at % 2 == 1 && at + 1 == events;
        if !is_open {
            // Writing to a string cannot fail.
            let _ = writeln!(log, r#"{{{event},"t":"2026-01-13T10:00:00Z","id":"tc_{call}"}}"#);
        }
    }
    log
}
