//! A kernel that does what `refine` tells it to, and the evidence that its steps leave.

use adjudicate_core::Operation;
use serde_json::{Value, json};

/// Where the kernel keeps its history of evaluations.
#[derive(Clone, Copy, Debug)]
enum Keeps {
    /// In the provenance window, with all other steps.
    Window,
    /// There, and in `evaluate_history`.
    History,
}

/// Both ways to keep a history, which must lead to the same course.
const WAYS: [Keeps; 2] = [Keeps::Window, Keeps::History];

/// A kernel in the middle of a run.
pub(super) struct Kernel {
    keeps: Keeps,
    policy: Value,
    pub(super) envelope: Value,
    /// One line for each evaluation.
    course: Vec<String>,
    /// The latest package.
    pub(super) package: Value,
}

impl Kernel {
    fn new(keeps: Keeps, policy: Value) -> Self {
        let mut envelope = json!({
            "run_id": "run-7", "workflow_id": "service", "step_id": "judge", "evaluate_prompt": "judge.v1",
            "allowed_next_steps": ["publish", "refine_change", "human_gate", "rollback", "STOP"],
            "provenance_window": [], "evidence": null,
        });
        if matches!(keeps, Keeps::History) {
            envelope["evaluate_history"] = json!([]);
        }
        Self { keeps, policy, envelope, course: Vec::new(), package: Value::Null }
    }

    /// A step that is no evaluation ends.
    pub(super) fn ran(&mut self, step: &str, opcode: &str, outcome: &str) {
        self.remember(json!({
            "step_id": step, "opcode": opcode, "outcome": outcome, "diff_summary": "", "risk_flags": [],
            "blocker_codes": [],
        }));
    }

    /// Evaluates, refines, and feeds what is next into the next envelope.
    pub(super) fn evaluate(&mut self, evidence: Value) {
        self.envelope["evidence"] = evidence;
        let mut call = json!({"envelope": self.envelope, "policy": self.policy});
        let evaluation = answer(Operation::Evaluate, &call);
        call["evaluation"] = evaluation;
        let revision = answer(Operation::Refine, &call);
        self.course.push(line(&revision));
        self.package = revision["package"].clone();
        self.envelope["refinement"] = revision["next"]["refinement"].clone();
        self.remember(revision["next"]["history_entry"].clone());
        if matches!(self.keeps, Keeps::History) {
            list(&mut self.envelope["evaluate_history"]).push(revision["next"]["history_entry"].clone());
        }
    }

    fn remember(&mut self, entry: Value) {
        list(&mut self.envelope["provenance_window"]).push(entry);
    }
}

fn list(value: &mut Value) -> &mut Vec<Value> {
    value.as_array_mut().expect("a list")
}

fn answer(operation: Operation, call: &Value) -> Value {
    let answer =
        operation.call(call.to_string().as_bytes()).unwrap_or_else(|error| panic!("{error}: {call}"));
    serde_json::from_str(&answer).expect("an answer is JSON")
}

/// What one evaluation came to: status, step, events, why there is no package, refinements.
fn line(revision: &Value) -> String {
    let patch = &revision["status_patch"];
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let events = revision["events"].as_array().expect("a list").iter();
    let events: Vec<_> = events
        .filter(|event| event["event"] != "evaluate_selected")
        .map(|event| match &event["reason"] {
            Value::Null => text(&event["event"]),
            reason => format!("{}: {}", text(&event["event"]), text(reason)),
        })
        .collect();
    let refinement = &revision["next"]["refinement"];
    format!(
        "{} {} [{}] {} {}/{}",
        text(&patch["last_decision_status"]),
        text(&patch["selected_step"]),
        events.join(", "),
        text(&revision["reason"]),
        refinement["spent"],
        refinement["cap"],
    )
}

/// Runs a scenario under both ways to keep a history, and asserts its course.
pub(super) fn assert_course(policy: &Value, scenario: impl Fn(&mut Kernel), expected: &[&str]) {
    for keeps in WAYS {
        let mut kernel = Kernel::new(keeps, policy.clone());
        scenario(&mut kernel);
        assert_eq!(kernel.course, expected, "{keeps:?}");
    }
}

/// No policy: profile `oa06`.
pub(super) fn unbounded() -> Value {
    Value::Null
}

/// Profile `oa06.1` as it is by default.
pub(super) fn bounded() -> Value {
    json!({"policy": "revision-loop", "version": "1.0.0", "profile": "oa06.1"})
}

/// Evidence of validators that ended so, each failing one with a log.
pub(super) fn validated(exits: &[(&str, i64)]) -> Value {
    let failing = exits.iter().filter(|(_, exit)| *exit != 0);
    let artifacts: Vec<_> = failing.map(|(id, _)| format!("artifacts/{id}.log")).collect();
    let exits: serde_json::Map<_, _> =
        exits.iter().map(|(id, exit)| ((*id).to_owned(), json!(exit))).collect();
    json!({
        "transcript_summary": "", "workspace_diff_summary": " M src/queue.rs\n",
        "validation": {"mechanical_outcome": "completed", "exit_codes": exits, "timeouts": []},
        "artifacts": artifacts, "policy_events": [],
    })
}

pub(super) fn reviewed(mut evidence: Value, issues: &[Value]) -> Value {
    evidence["review"] = json!({"artifact_ref": "artifacts/review.md", "issues": issues});
    list(&mut evidence["artifacts"]).push(json!("artifacts/review.md"));
    evidence
}

pub(super) fn issue(id: &str) -> Value {
    json!({
        "id": id, "summary": "the lock is held across a callback", "severity": "high",
        "edit": {"target": "src/queue.rs", "action": "release the lock first", "rationale": "callbacks enqueue"},
    })
}
