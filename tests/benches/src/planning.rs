//! Plans in their canonical form, replays and ledgers: the growth of their times, and the time of a call of each.
//!
//! All calls are JSON text to JSON text, like those of every interface. Logs are read line by line, as a host reads
//! them.

use std::fmt::Write as _;

use adjudicate_core::{
    Operation,
    ir::{PlanIr, replay::Replay},
    json::{self, Limits},
};

use crate::{
    Failure, Values,
    contest::{Contest, Effort, timed},
    plans::{FEWER, Growth, answering, call, grow},
};

const STEPS: Growth = Growth {
    power: "steps_growth",
    sizes: [(100, "steps_100_us"), (1_000, "steps_1000_us"), (10_000, "steps_10000_us")],
};
const TURNS: Growth = Growth {
    power: "turns_growth",
    sizes: [(100, "turns_100_us"), (1_000, "turns_1000_us"), (10_000, "turns_10000_us")],
};
const EVENTS: Growth = Growth {
    power: "events_growth",
    sizes: [(1_000, "events_1000_us"), (10_000, "events_10000_us"), (100_000, "events_100000_us")],
};

/// One call of each operation, from the corpus.
const CALLS: [(&str, Operation, &str); 3] = [
    ("normalize_plan_us", Operation::NormalizePlan, "adjutant-bug-fix"),
    ("verify_replay_us", Operation::VerifyReplay, "session-in-the-timed-layout"),
    ("deliberate_us", Operation::Deliberate, "story-stagnation-6-stop"),
];

/// Returns the microseconds of each call, and the exponents by which the times grow with the number of steps, turns and
/// events. Also returns the size of the set of used ids after the longest log, because memory grows with it.
pub(crate) fn measure(effort: Effort) -> Result<Values, Failure> {
    let mut values = Values::new();
    let fewer = Effort { rounds: (effort.rounds / FEWER) | 1, ..effort };
    grow(fewer, &STEPS, &mut values, |count| {
        answering(Operation::NormalizePlan, subtasks(count), r#""format":"adjutant""#)
    })?;
    grow(fewer, &TURNS, &mut values, |count| {
        answering(Operation::Deliberate, turns(count), r#""triggers":[]"#)
    })?;
    let plan = json::read(PLAN.as_bytes(), Limits::DOCUMENT)?;
    let plan = PlanIr::read(plan.root())?;
    let verified = |log: &str| -> Result<(usize, usize), Failure> {
        let mut replay = Replay::new(&plan, None, None);
        for (number, line) in (1..).zip(log.lines()) {
            replay.event(number, json::read(line.as_bytes(), Limits::DOCUMENT)?.root())?;
        }
        let kept = replay.kept_ids();
        Ok((kept, replay.finish().findings().len()))
    };
    grow(fewer, &EVENTS, &mut values, |count| {
        let log = log(count);
        match verified(&log)? {
            (_, 0) => Ok(timed(move || Ok(verified(&log)?.1))),
            _ => Err("the log is made to be one of its plan".into()),
        }
    })?;
    let [.., (longest, _)] = EVENTS.sizes;
    values.insert("events_100000_kept_ids".into(), verified(&log(longest))?.0 as f64);
    calls(effort, &mut values)?;
    Ok(values)
}

fn calls(effort: Effort, values: &mut Values) -> Result<(), Failure> {
    let mut contest = Contest::new(effort);
    for (key, operation, name) in CALLS {
        let text = call(operation, name)?;
        contest.enter(key, timed(move || Ok(operation.call(text.as_bytes())?.len())))?;
    }
    let results = contest.hold()?;
    for (key, ..) in CALLS {
        values.insert(key.into(), results.micros(key));
    }
    Ok(())
}

/// A number of subtasks. Every seventh has no id of its own, and every fifth no file.
fn subtasks(count: usize) -> String {
    list(r#"{"plan":{"subtasks":["#, count, "]}}", |at, text| {
        let action = match at % 5 {
            0 => "read",
            4 => "bash",
            _ => "edit",
        };
        let id = if at % 7 == 0 { 0 } else { at };
        write!(
            text,
            r#"{{"id":"task-{id}","action":"{action}","target":"src/f{at}.rs","instruction":"do {at}"}}"#
        )
    })
}

/// A number of turns, each with something new, under budgets that are never spent.
fn turns(count: usize) -> String {
    let head = r#"{"goal":"g","constraints":["c"],"initial_evidence":["e"],"budgets":{"max_iterations":1000000,"max_subagent_calls":1000000},"turns":["#;
    list(head, count, "]}", |at, text| {
        let (number, confidence) = (at + 1, 20 + at % 3 * 15);
        write!(
            text,
            r#"{{"n":{number},"confidence":0.{confidence},"uncertainty":{},"files":["f{at}"],"exploration_plan":[{{"tool":"t","action":"a"}}],"budget_allocation":{{"max_iterations":1}},"novelty_check":{{"new_information":true}},"queries":[{{"key":"k{at}","source":"s"}}]}}"#,
            count - at
        )
    })
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

fn list(
    head: &str,
    count: usize,
    tail: &str,
    item: impl Fn(usize, &mut String) -> std::fmt::Result,
) -> String {
    let mut text = head.to_owned();
    for at in 0..count {
        if at > 0 {
            text.push(',');
        }
        // Writing to a string cannot fail.
        let _ = item(at, &mut text);
    }
    text + tail
}
