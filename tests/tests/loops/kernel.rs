//! A program that follows the answers of `refine`, and the evidence of its steps.

use adjudicate_core::{
    Operation, Run,
    evaluate::{Opcode, Outcome},
    owned::{Entry, Envelope, Evaluation, Evidence, RefinementPackage, Revision},
};
use serde_json::{Value, json};

/// The place of the history of evaluations.
#[derive(Clone, Copy, Debug)]
enum Keeps {
    /// In the provenance window, with all other steps.
    Window,
    /// In `evaluate_history`, as a `Run` keeps it.
    History,
    /// As `History`, and the run is read from its text after each step.
    Text,
}

/// All places of a history. The course must be the same in each.
const WAYS: [Keeps; 3] = [Keeps::Window, Keeps::History, Keeps::Text];

/// A program in the middle of a run.
pub(super) struct Kernel {
    keeps: Keeps,
    policy: Value,
    run: Run,
    /// False if the entries of the history have no counts of failures.
    pub(super) counts_failures: bool,
    /// One line for each evaluation.
    course: Vec<String>,
    /// The latest package.
    pub(super) package: Option<RefinementPackage>,
}

impl Kernel {
    fn new(keeps: Keeps, policy: Value) -> Self {
        let steps = ["publish", "refine_change", "human_gate", "rollback", "STOP"];
        let run = Run::new(Envelope {
            run_id: "run-7".into(),
            workflow_id: "service".into(),
            step_id: "judge".into(),
            evaluate_prompt: "judge.v1".into(),
            allowed_next_steps: steps.map(Into::into).into(),
            ..Envelope::default()
        });
        let run = if matches!(keeps, Keeps::Window) { run.keeping(usize::MAX) } else { run };
        Self { keeps, policy, run, counts_failures: true, course: Vec::new(), package: None }
    }

    /// Adds a step that is no evaluation.
    pub(super) fn ran(&mut self, step: &str, opcode: Opcode, outcome: Outcome) {
        self.run.record(Entry::ran(step, opcode, outcome));
        self.restart();
    }

    /// Evaluates, refines, and adds both answers to the run.
    pub(super) fn evaluate(&mut self, evidence: Value) {
        let mut envelope = self.run.envelope(serde_json::from_value(evidence).expect("evidence"));
        if matches!(self.keeps, Keeps::Window) {
            envelope.evaluate_history = None;
        }
        if !self.counts_failures {
            let entries =
                envelope.provenance_window.iter_mut().chain(envelope.evaluate_history.iter_mut().flatten());
            entries.for_each(|entry| entry.failures = None);
        }
        let mut call = json!({"envelope": envelope, "policy": self.policy});
        let evaluation = answer(Operation::Evaluate, &call);
        let read = Evaluation::from_json(evaluation.as_bytes()).expect("an evaluation");
        assert_eq!(read.to_json(), evaluation);
        call["evaluation"] = json!(read);
        let revision = answer(Operation::Refine, &call);
        self.course.push(line(&serde_json::from_str(&revision).expect("an answer is JSON")));
        let read_revision = Revision::from_json(revision.as_bytes()).expect("a revision");
        assert_eq!(read_revision.to_json(), revision);
        self.run.take(&read, &read_revision);
        self.package = read_revision.package;
        self.restart();
    }

    fn restart(&mut self) {
        if matches!(self.keeps, Keeps::Text) {
            let text = self.run.envelope(Evidence::default()).to_json();
            self.run = Run::new(Envelope::from_json(text.as_bytes()).expect("an envelope"));
        }
    }
}

fn list(value: &mut Value) -> &mut Vec<Value> {
    value.as_array_mut().expect("a list")
}

fn answer(operation: Operation, call: &Value) -> String {
    operation.call(call.to_string().as_bytes()).unwrap_or_else(|error| panic!("{error}: {call}"))
}

/// One evaluation as a line: status, step, events, the reason without a package, refinements.
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

/// Runs a scenario with each place of the history, and asserts its course.
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

/// Profile `oa06.1` with its defaults.
pub(super) fn bounded() -> Value {
    json!({"policy": "revision-loop", "version": "1.0.0", "profile": "oa06.1"})
}

/// Evidence of validators with these exit codes; each failing one has a log.
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
