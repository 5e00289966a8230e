//! Runs: a run that shortens its window and history gets the same decisions as a run that keeps everything.

use adjudicate_core::{
    Operation, Run,
    evaluate::{Opcode, Outcome, Status},
    join_documents,
    owned::{Entry, Envelope, Evaluation, Evidence, Finding, Revision},
};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};

use crate::mutation::config;

/// One step of a run.
#[derive(Clone, Debug)]
enum Step {
    Ran(Opcode, Outcome, Option<&'static str>),
    Evaluated(Box<Evidence>),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let opcodes = select(vec![Opcode::RunAgent, Opcode::RunValidation, Opcode::Gate, Opcode::Rollback]);
    let outcomes = select(vec![Outcome::Completed, Outcome::KilledTimeout, Outcome::KilledIdle]);
    let flags = select(vec![None, None, None, Some("missing_artifact"), Some("late")]);
    let ran = (opcodes, outcomes.clone(), flags)
        .prop_map(|(opcode, outcome, flag)| Step::Ran(opcode, outcome, flag));
    let failing = vec(select(vec!["lint", "unit", "e2e"]), 0..3);
    let diffs = select(vec![String::new(), " M a.rs\n".to_owned(), " M src/a-long-name.rs\n".repeat(60)]);
    let evaluated = (outcomes, failing, diffs, select(vec!["", "claims: implemented"]));
    let evaluated = evaluated.prop_map(|(outcome, failing, diff, transcript)| {
        let mut evidence = Evidence {
            transcript_summary: transcript.into(),
            workspace_diff_summary: diff,
            artifacts: failing.iter().map(|id| format!("{id}.log")).collect(),
            ..Evidence::default()
        };
        evidence.validation.mechanical_outcome = outcome;
        evidence.validation.exit_codes =
            ["lint", "unit", "e2e"].map(|id| (id.into(), i64::from(failing.contains(&id)))).into();
        Step::Evaluated(Box::new(evidence))
    });
    vec(prop_oneof![ran, evaluated], 1..24)
}

fn run() -> Run {
    Run::new(Envelope {
        evaluate_prompt: "judge.v1".into(),
        allowed_next_steps: ["publish", "fix", "gate", "rollback"].map(Into::into).into(),
        ..Envelope::default()
    })
}

/// The policies differ in the earlier steps that they read.
const POLICIES: [&str; 3] = [
    r#"{"policy":"plain","version":"1.0.0"}"#,
    r#"{"policy":"bounded","version":"1.0.0","profile":"oa06.1","parameters":{"refinement_cap":2},"review":"optional"}"#,
    r#"{"policy":"patient","version":"1.0.0","parameters":{"partial_threshold":9,"blocker_repeat":4}}"#,
];

/// Adds a step to a run; returns the decision of an evaluation.
fn advance(run: &mut Run, step: &Step, policy: &str) -> Option<(Envelope, Evaluation)> {
    match step {
        Step::Ran(opcode, outcome, flag) => {
            let mut entry = Entry::ran("step", *opcode, *outcome);
            entry.risk_flags.extend(flag.map(Into::into));
            run.record(entry);
            None
        }
        Step::Evaluated(evidence) => {
            let envelope = run.envelope(evidence.as_ref().clone());
            let text = envelope.to_json();
            let call = join_documents(&[("envelope", text.as_bytes()), ("policy", policy.as_bytes())])
                .expect("a call");
            let answer = |operation: Operation| operation.call(call.as_bytes()).expect("an answer");
            let evaluation =
                Evaluation::from_json(answer(Operation::Evaluate).as_bytes()).expect("an evaluation");
            let revision = Revision::from_json(answer(Operation::Refine).as_bytes()).expect("a revision");
            run.take(&evaluation, &revision);
            Some((envelope, evaluation))
        }
    }
}

/// A finding without its text, which may name another of several earlier flags.
fn reported(finding: &Finding) -> (&str, Status) {
    (&finding.rule, finding.status)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_window_that_is_cut_changes_no_decision(steps in steps(), window in 1..4usize, policy in select(POLICIES.to_vec())) {
        let (mut whole, mut cut) = (run().keeping(usize::MAX), run().keeping(window));
        for step in &steps {
            let both = (advance(&mut whole, step, policy), advance(&mut cut, step, policy));
            let (Some((_, of_whole)), Some((envelope, of_cut))) = both else { continue };
            // The latest steps, an evaluation, two attempts and two flags.
            prop_assert!(envelope.provenance_window.len() <= window + 5);
            prop_assert_eq!(of_whole.decision.status, of_cut.decision.status);
            prop_assert_eq!(&of_whole.decision.next_step, &of_cut.decision.next_step);
            prop_assert_eq!(&of_whole.loop_state, &of_cut.loop_state);
            let [of_whole, of_cut] = [&of_whole, &of_cut].map(|each| each.findings.iter().map(reported).collect::<Vec<_>>());
            prop_assert_eq!(of_whole, of_cut);
        }
    }

    #[test]
    fn every_evaluation_stays_in_the_history_with_its_blockers(steps in steps()) {
        let mut run = run();
        let mut expected = Vec::new();
        for step in &steps {
            let Some((envelope, evaluation)) = advance(&mut run, step, POLICIES[0]) else { continue };
            prop_assert_eq!(codes(&envelope), expected.clone());
            let mut blockers: Vec<_> = evaluation.decision.blockers.into_iter().map(|blocker| blocker.code).collect();
            blockers.sort_unstable();
            blockers.dedup();
            expected.push((Some(evaluation.decision.status), blockers));
        }
        prop_assert_eq!(codes(&run.envelope(Evidence::default())), expected);
    }
}

/// The statuses of the history, and the blocker codes in the order of their names.
fn codes(envelope: &Envelope) -> Vec<(Option<Status>, Vec<String>)> {
    let history = envelope.evaluate_history.iter().flatten();
    let codes = history.map(|entry| {
        let mut codes = entry.blocker_codes.clone();
        codes.sort_unstable();
        (entry.status, codes)
    });
    codes.collect()
}

#[test]
fn a_run_keeps_the_diff_of_the_latest_evaluation_only() {
    let mut run = run();
    let diff = " M src/a.rs\n".repeat(1000);
    for _ in 0..3 {
        let mut evidence = Evidence { workspace_diff_summary: diff.clone(), ..Evidence::default() };
        evidence.validation.mechanical_outcome = Outcome::Completed;
        advance(&mut run, &Step::Evaluated(Box::new(evidence)), POLICIES[0]);
    }
    let envelope = run.envelope(Evidence::default());
    let diffs =
        |entries: &[Entry]| entries.iter().map(|entry| entry.diff_summary.clone()).collect::<Vec<_>>();
    let left_out = format!("a summary of {} bytes is left out", diff.len());
    let [older, window] = [vec![left_out.clone(); 2], vec![left_out; 3]];
    assert_eq!(diffs(&envelope.evaluate_history.unwrap_or_default()), [older, vec![diff]].concat());
    assert_eq!(diffs(&envelope.provenance_window), window);
}

/// An override or a restriction decides without `refine`. So the history has the decision, and the codes of both
/// policies.
#[test]
fn the_history_has_the_composed_decision() {
    let mut run = run();
    let evidence = Evidence { required_validators: Some(Vec::new()), ..Evidence::default() };
    let envelope = run.envelope(evidence).to_json();
    let call = join_documents(&[("envelope", envelope.as_bytes())]).expect("a call");
    let answer = |operation: Operation| operation.call(call.as_bytes()).expect("an answer");
    let answer_text = answer(Operation::Evaluate).replace(r#""status":"blocked""#, r#""status":"unsafe""#);
    let mut evaluation = Evaluation::from_json(answer_text.as_bytes()).expect("an evaluation");
    let mut frozen = evaluation.decision.blockers[0].clone();
    frozen.code = "frozen".into();
    evaluation.decision.blockers.push(frozen);
    evaluation.decision.risk_flags = vec!["change_freeze".into()];
    let revision = Revision::from_json(answer(Operation::Refine).as_bytes()).expect("a revision");
    assert_eq!(revision.next.history_entry.status, Status::Blocked);
    run.take(&evaluation, &revision);
    let history = run.envelope(Evidence::default()).evaluate_history.unwrap_or_default();
    let [entry] = history.as_slice() else { panic!("{history:?}") };
    assert_eq!(
        (entry.status, entry.risk_flags.as_slice()),
        (Some(Status::Unsafe), &["change_freeze".to_owned()][..])
    );
    assert_eq!(entry.blocker_codes, ["hard_failure", "frozen"]);
}

/// A run continues from an envelope of another program.
#[test]
fn without_a_history_the_evaluations_of_the_window_are_the_history() {
    let mut evaluated = Entry::ran("judge", Opcode::Evaluate, Outcome::Completed);
    (evaluated.status, evaluated.outcome) = (Some(Status::Partial), None);
    let mut window = vec![evaluated.clone()];
    window.extend((0..9).map(|_| Entry::ran("build", Opcode::RunAgent, Outcome::Completed)));
    let run = Run::new(Envelope { provenance_window: window, ..Envelope::default() });
    let envelope = run.envelope(Evidence::default());
    assert_eq!(envelope.evaluate_history, Some(vec![evaluated]));
    assert_eq!(envelope.provenance_window.len(), 4);
}

/// The test `js/test/run.test.mjs` compares the runs of `adjudicate/run` in npm with the same file.
#[test]
fn the_envelopes_of_a_run_are_those_of_the_file() {
    let file: Value = serde_json::from_str(include_str!("runs/fold.json")).expect("JSON");
    let mut start = file["start"].clone();
    start["provenance_window"] = json!([]);
    start["evidence"] = json!(Evidence::default());
    let window = file["window"].as_u64().and_then(|window| usize::try_from(window).ok()).expect("a number");
    let mut run = Run::new(serde_json::from_value(start).expect("an envelope")).keeping(window);
    let mut envelopes = Vec::new();
    for step in file["steps"].as_array().expect("a list") {
        match step.get("record") {
            Some(entry) => run.record(serde_json::from_value(entry.clone()).expect("an entry")),
            None => {
                let evidence = serde_json::from_value(step["evaluate"].clone()).expect("evidence");
                let advanced = advance(&mut run, &Step::Evaluated(Box::new(evidence)), POLICIES[0]);
                envelopes.extend(advanced.map(|(envelope, _)| json!(envelope)));
            }
        }
    }
    assert_eq!(json!(envelopes), file["envelopes"], "{:#}", json!(envelopes));
}
