//! Long logs, and such as are made to be a burden: what is kept stays small, and every one ends.

use adjudicate_core::{
    codes,
    ir::{
        PlanIr,
        replay::{Receipt, Replay, ReplayCode},
    },
    json::{self, ReadLimits},
};

use crate::replay::verify;

const PLAN: &str = r#"{"analysis":"","steps":[{"id":"s","description":"","intent":"verify","target_files":[],"depends_on":[],
    "max_iterations":1}],"verification_strategy":{"commands":[],"success_criteria":"","max_retries":0},
    "complexity":"low","confidence":1}"#;

/// Runs `run` on a replay that has started.
#[expect(clippy::unwrap_used, reason = "the plan is one")]
fn replay<T>(run: impl FnOnce(Replay<'_>) -> T) -> T {
    let plan = json::read(PLAN.as_bytes(), ReadLimits::DOCUMENT).unwrap();
    let plan = PlanIr::read(plan.root()).unwrap();
    let mut replay = Replay::new(&plan, None, None);
    take(&mut replay, r#"{"event":"PlanStart","step_count":1}"#).unwrap();
    run(replay)
}

#[expect(clippy::unwrap_used, reason = "events are JSON here")]
fn take(replay: &mut Replay<'_>, event: &str) -> Result<(), adjudicate_core::Error> {
    let line = replay.events() + 1;
    replay.event(line, json::read(event.as_bytes(), ReadLimits::DOCUMENT).unwrap().root())
}

fn call(id: &str) -> String {
    format!(r#"{{"event":"ToolCall","id":"{id}","step_id":"s"}}"#)
}

fn result(id: &str) -> String {
    format!(r#"{{"event":"ToolResult","id":"{id}"}}"#)
}

#[test]
fn a_long_log_of_counted_ids_keeps_as_much_as_is_open() {
    replay(|mut replay| {
        let open = 7;
        for number in 0..100_000_u32 {
            take(&mut replay, &call(&format!("tc_{number:04}"))).unwrap();
            if number >= open {
                take(&mut replay, &result(&format!("tc_{:04}", number - open))).unwrap();
            }
            // One for those below 1,000, which begin with a zero, and one for those above.
            assert!(replay.kept_ids() <= open as usize + 3, "{number}: {}", replay.kept_ids());
        }
        for number in 100_000 - open..100_000 {
            take(&mut replay, &result(&format!("tc_{number}"))).unwrap();
        }
        assert_eq!((replay.events(), replay.kept_ids()), (200_001, 2));
        // None of them was forgotten.
        for id in ["tc_0000", "tc_0999", "tc_1000", "tc_54321", "tc_99999"] {
            take(&mut replay, &call(id)).unwrap();
        }
        let report = replay.finish();
        let found: Vec<_> = report.findings().iter().map(|found| (found.code(), found.line())).collect();
        let expected: Vec<_> =
            (200_002..200_007).map(|line| (ReplayCode::RepeatedCall, Some(line))).collect();
        assert_eq!(found, expected);
    });
}

#[test]
fn ids_without_numbers_are_distinguished() {
    replay(|mut replay| {
        let id = |number: u32| format!("{:08x}-{number:x}z", number.wrapping_mul(2_654_435_761));
        for number in 0..40_000 {
            take(&mut replay, &call(&id(number))).unwrap();
            take(&mut replay, &result(&id(number))).unwrap();
        }
        assert_eq!(replay.kept_ids(), 40_000);
        take(&mut replay, &result(&id(17))).unwrap();
        let report = replay.finish();
        assert_eq!(report.findings().iter().map(|found| found.line()).collect::<Vec<_>>(), [Some(80_002)]);
    });
}

#[test]
fn too_many_ids_are_an_error_and_not_a_guess() {
    replay(|mut replay| {
        let mut number = 0;
        let error = loop {
            // Every other one, so that none lie side by side.
            match take(&mut replay, &call(&format!("{number}"))) {
                Ok(()) => number += 2,
                Err(error) => break error,
            }
        };
        assert_eq!((error.code(), number), (codes::LIMIT_EXCEEDED, 2 * 524_288));
    });
}

#[test]
fn of_many_findings_the_first_are_listed_and_all_are_counted() {
    let events: Vec<String> = (0..60_000).map(|number| call(&format!("{number}"))).collect();
    let text = format!(r#"{{"plan":{PLAN},"events":[{}]}}"#, events.join(","));
    let answer = verify(&text).unwrap();
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    let findings = answer["findings"].as_array().unwrap();
    // One for each call, and one for the start.
    assert_eq!(findings.len(), 1_001);
    assert_eq!(findings[0]["message"], "59001 more findings are not listed");
    assert_eq!(
        (&findings[1]["code"], &findings[2]["path"]),
        (&"no_plan_start".into(), &"/events/0/id".into())
    );
    assert_eq!(findings[1_000]["path"], "/events/998/id");
}

#[test]
fn a_long_receipt_grows_nothing_that_is_kept_of_the_log() {
    let count = 10_000;
    let listed = |number: u32| format!(r#"{{"id":"{number}","step_id":"s"}}"#);
    let receipt: Vec<String> = (0..count).rev().map(listed).collect();
    let receipt = format!(r#"{{"tool_calls":[{}]}}"#, receipt.join(","));
    let receipt = json::read(receipt.as_bytes(), ReadLimits::DOCUMENT).unwrap();
    let plan = json::read(PLAN.as_bytes(), ReadLimits::DOCUMENT).unwrap();
    let plan = PlanIr::read(plan.root()).unwrap();
    for (shift, expected) in [(0, 0), (1, 2), (count, 1_001)] {
        let mut replay = Replay::new(&plan, Some(Receipt::read(receipt.root()).unwrap()), None);
        take(&mut replay, r#"{"event":"PlanStart","step_count":1}"#).unwrap();
        for number in shift..count + shift {
            take(&mut replay, &call(&number.to_string())).unwrap();
            take(&mut replay, &result(&number.to_string())).unwrap();
            assert!(replay.kept_ids() <= 2, "{number}");
        }
        assert_eq!(replay.finish().findings().len(), expected, "{shift}");
    }
}

#[test]
fn long_names_are_shown_in_short() {
    replay(|mut replay| {
        let long = "\u{e9}".repeat(300_000);
        take(&mut replay, &format!(r#"{{"event":"ToolCall","id":"{long}","step_id":"{long}"}}"#)).unwrap();
        take(&mut replay, &format!(r#"{{"event":"PlanStart","step_count":1,"plan_hash":"{long}"}}"#))
            .unwrap();
        let report = replay.finish();
        assert_eq!(report.findings().len(), 4);
        assert!(report.to_json().len() < 2_000);
    });
}

#[test]
fn an_event_that_is_refused_changes_nothing() {
    replay(|mut replay| {
        for event in
            [r#"{"event":"ToolCall","id":"1"}"#, r#"{"event":"ToolCall","step_id":"s","id":1}"#, "[]", "{}"]
        {
            take(&mut replay, event).unwrap_err();
        }
        assert_eq!((replay.events(), replay.kept_ids()), (1, 0));
        assert!(replay.finish().is_linked());
    });
}
