//! A generator of valid sessions: a plan, and events that are its replay, in one of the layouts.

use adjudicate_core::{
    ir::{HashMode, PlanIr},
    json::{self, ReadLimits},
};
use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::{Value, json};

/// A session whose replay is that of its plan.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) plan: Value,
    pub(crate) events: Vec<Value>,
    pub(crate) receipt: Option<Value>,
    pub(crate) tests: Option<Value>,
    /// The field with the kind of an event.
    pub(crate) tag: &'static str,
    /// The plan's hash in both modes.
    pub(crate) hashes: [String; 2],
}

impl Session {
    /// The text of its call.
    pub(crate) fn call(&self) -> String {
        let mut call = json!({"plan": self.plan, "events": self.events});
        if let Some(call) = call.as_object_mut() {
            let parts = [("receipt", &self.receipt), ("tests", &self.tests)];
            call.extend(parts.into_iter().filter_map(|(name, part)| Some((name.to_owned(), part.clone()?))));
        }
        call.to_string()
    }

    /// The places of the events of a kind.
    pub(crate) fn places(&self, kind: &str) -> Vec<usize> {
        self.events
            .iter()
            .enumerate()
            .filter(|(_, event)| event.get(self.tag).is_some_and(|tag| tag == kind))
            .map(|(at, _)| at)
            .collect()
    }

    /// The same session with other events.
    pub(crate) fn with(&self, change: impl FnOnce(&mut Vec<Value>)) -> Self {
        let mut other = self.clone();
        change(&mut other.events);
        other
    }
}

/// The layout of events.
#[derive(Clone, Copy, Debug)]
struct Written {
    tag: &'static str,
    time: Option<&'static str>,
}

/// The seeds of a random session.
#[derive(Clone, Debug)]
struct Seeds {
    /// The allowed tries of each step.
    steps: Vec<u8>,
    /// For each call its step, the number of calls before its result, and the sort of its id.
    calls: Vec<(usize, usize, u8)>,
    /// Completions: the step, how often it was tried, and before which call.
    completions: Vec<(usize, u8, usize)>,
    confidence: f64,
    mode: usize,
    start_claims: bool,
    /// `true` if there is a receipt, and whether it claims a hash, the delta in each of two places, and lists the calls.
    receipt: Option<[bool; 4]>,
    /// The numbers of tests that failed before and after, and the events that claim the delta.
    tests: Option<(u8, u8, Vec<prop::sample::Index>)>,
    layout: Written,
    carries_more: bool,
}

pub(crate) fn session() -> impl Strategy<Value = Session> {
    let layouts = vec![
        Written { tag: "event", time: None },
        Written { tag: "event", time: Some("t") },
        Written { tag: "type", time: Some("ts") },
    ];
    (
        (
            vec(1_u8.., 1..6),
            vec((0_usize..6, 0_usize..4, 0_u8..4), 0..9),
            vec((0_usize..6, any::<u8>(), 0_usize..10), 0..5),
        ),
        (
            select(vec![0.0, 0.5, 0.7, 0.123_456_789, 1.0]),
            0_usize..2,
            any::<bool>(),
            option::of(any::<[bool; 4]>()),
            option::of((any::<u8>(), any::<u8>(), vec(any::<prop::sample::Index>(), 0..3))),
        ),
        (select(layouts), any::<bool>()),
    )
        .prop_map(
            |(
                (steps, calls, completions),
                (confidence, mode, start_claims, receipt, tests),
                (layout, carries_more),
            )| {
                Seeds {
                    steps,
                    calls,
                    completions,
                    confidence,
                    mode,
                    start_claims,
                    receipt,
                    tests,
                    layout,
                    carries_more,
                }
                .grow()
            },
        )
}

impl Seeds {
    #[expect(
        clippy::expect_used,
        clippy::indexing_slicing,
        reason = "a generator that fails is to be mended"
    )]
    fn grow(&self) -> Session {
        let steps: Vec<Value> = self
            .steps
            .iter()
            .enumerate()
            .map(|(at, most)| {
                let before: Vec<String> = (at > 0).then(|| format!("step-{at}")).into_iter().collect();
                json!({"id": format!("step-{}", at + 1), "description": "do it", "intent": "modify",
                    "target_files": ["a.rs"], "depends_on": before, "max_iterations": most})
            })
            .collect();
        let plan = json!({"analysis": "it is so", "steps": steps, "complexity": "high", "confidence": self.confidence,
            "verification_strategy": {"commands": ["test"], "success_criteria": "", "max_retries": 2}});
        let text = plan.to_string();
        let tape = json::read(text.as_bytes(), ReadLimits::DOCUMENT).expect("what was written is JSON");
        let read = PlanIr::read(tape.root()).expect("the plan is one");
        let hashes = [HashMode::Canonical, HashMode::SerdeF32Compat].map(|mode| read.plan_hash(mode));
        let claimed = &hashes[self.mode];

        let mut events = Vec::new();
        let has_header = self.layout.time.is_some() && self.carries_more;
        if has_header {
            events.push(json!({self.layout.tag: "ReplayHeader", "replay_version": 1}));
        }
        let mut start = self.event(0, "PlanStart", json!({"step_count": steps.len()}));
        if self.start_claims {
            start["plan_hash"] = json!(claimed);
        }
        events.push(start);
        self.fill(&mut events);
        if has_header {
            // Logs that begin with a header may hold events of any kind.
            events.push(self.event(events.len(), "Thought", json!({"id": [], "step_id": 1})));
            events.push(self.event(events.len(), "SessionEnd", json!({"status": "Success"})));
        }
        let delta = self.tests.as_ref().map(|(before, after, _)| i64::from(*before) - i64::from(*after));
        for place in self.tests.iter().flat_map(|(.., places)| places) {
            let place = place.index(events.len());
            events[place]["verification_delta"] = json!(delta);
        }
        let receipt = self.receipt.map(|claims| self.receipt(claims, claimed, delta, &events));
        let tests = self.tests.as_ref();
        let tests = tests.map(|(before, after, _)| json!({"failing_before": before, "failing_after": after}));
        Session { plan, events, receipt, tests, tag: self.layout.tag, hashes }
    }

    #[expect(clippy::indexing_slicing, reason = "places of objects")]
    fn receipt(&self, claims: [bool; 4], hash: &str, delta: Option<i64>, events: &[Value]) -> Value {
        let [hash_claimed, delta_claimed, verification_claimed, lists_calls] = claims;
        let mut receipt = json!({"session_id": "s"});
        if hash_claimed {
            receipt["plan_hash"] = json!(hash);
        }
        // Without tests a claim is held against nothing.
        if delta_claimed {
            receipt["verification_delta"] = json!(delta.unwrap_or(7));
        }
        receipt["verification"] = match verification_claimed {
            true => json!({"verification_delta": delta.unwrap_or(-7), "commands": []}),
            false => json!(null),
        };
        if lists_calls {
            let calls = events.iter().rev().filter(|event| event[self.layout.tag] == "ToolCall");
            let call =
                |event: &Value| json!({"id": event["id"], "step_id": event["step_id"], "tool": "edit"});
            receipt["tool_calls"] = calls.map(call).collect();
        }
        receipt
    }

    /// Adds calls, their results some calls later, and completions.
    fn fill(&self, events: &mut Vec<Value>) {
        let count = self.steps.len();
        let step = |step: usize| format!("step-{}", step % count + 1);
        let mut open: Vec<(usize, String)> = Vec::new();
        for (at, (of, delay, sort)) in self.calls.iter().enumerate() {
            self.complete(at, events);
            let id = match sort {
                0 => format!("{at}"),
                1 => format!("tc_{at:03}"),
                2 => format!("{at}-4f1c"),
                _ => format!("call/\u{e9}~{at}"),
            };
            events.push(self.event(events.len(), "ToolCall", json!({"id": id, "step_id": step(*of)})));
            open.push((at + delay, id));
            let (due, later) = open.into_iter().partition(|(due, _)| *due <= at);
            open = later;
            self.answer(due, events);
        }
        self.answer(open, events);
        for at in self.calls.len()..10 {
            self.complete(at, events);
        }
    }

    fn answer(&self, calls: Vec<(usize, String)>, events: &mut Vec<Value>) {
        for (_, id) in calls.into_iter().rev() {
            events.push(self.event(events.len(), "ToolResult", json!({"id": id})));
        }
    }

    fn complete(&self, before: usize, events: &mut Vec<Value>) {
        for (of, tried, _) in self.completions.iter().filter(|(_, _, at)| *at == before) {
            let of = of % self.steps.len();
            let most = self.steps.get(of).copied().unwrap_or_default();
            let iterations = tried.min(&most);
            let step = format!("step-{}", of + 1);
            events.push(self.event(
                events.len(),
                "StepComplete",
                json!({"step_id": step, "iterations": iterations}),
            ));
        }
    }

    fn event(&self, at: usize, kind: &str, mut event: Value) -> Value {
        if let Some(members) = event.as_object_mut() {
            members.insert(self.layout.tag.into(), kind.into());
            if let Some(time) = self.layout.time {
                members.insert(time.into(), json!(1_768_298_402 + at));
            }
            if self.carries_more {
                members.insert("tool".into(), json!({"id": 7, "step_id": null}));
            }
        }
        event
    }
}
