//! A run as a fold over its steps: collects the results of earlier steps in the form of the next envelope.
//!
//! It has no clock and creates no ids. To keep a run across restarts, store an envelope that it makes after [`Run::take`].

use alloc::{collections::BTreeSet, format, vec::Vec};

use crate::documents::{
    envelope::{Opcode, OwnedEntry, OwnedEnvelope, OwnedRefinement},
    evaluation::OwnedEvaluation,
    evidence::OwnedEvidence,
    revision::OwnedRevision,
};

/// The number of latest steps in the provenance window, unless the program sets another (docs/reference/envelope.md).
pub const WINDOW: usize = 3;

/// The most bytes of a diff summary that a run keeps of any evaluation but the latest.
const MAX_OLD_DIFF: usize = 1024;

/// The most blockers with items that a run keeps of any evaluation but the latest. Of more, it keeps the codes.
const MAX_OLD_BLOCKERS: usize = 100;

/// The state of a run between evaluations: its window, history, counters and blockers.
///
/// A program records each step that is no evaluation, evaluates the [`envelope`](Run::envelope) of its evidence, and lets the run
/// [`take`](Run::take) the answers of `evaluate` and `refine`.
///
/// ```
/// use adjudicate_core::{Operation, Run, evaluate::{Opcode, Outcome, Status}, join_documents,
///     owned::{Entry, Envelope, Evaluation, Evidence, Revision, Validation}};
///
/// let mut run = Run::new(Envelope {
///     run_id: "run-1".into(),
///     workflow_id: "release".into(),
///     step_id: "evaluate".into(),
///     evaluate_prompt: "release.v1".into(),
///     allowed_next_steps: vec!["publish".into(), "fix".into(), "gate".into()],
///     ..Envelope::default()
/// });
/// let mut decided = Vec::new();
/// for _ in 0..2 {
///     run.record(Entry::ran("implement", Opcode::RunAgent, Outcome::Completed));
///     let envelope = run.envelope(Evidence {
///         workspace_diff_summary: " M src/lib.rs\n".into(),
///         validation: Validation {
///             mechanical_outcome: Outcome::Completed,
///             exit_codes: [("cargo-test".into(), 101)].into(),
///             ..Validation::default()
///         },
///         artifacts: vec!["target/cargo-test.log".into()],
///         ..Evidence::default()
///     });
///     let envelope = envelope.to_json();
///     let answer = Operation::Evaluate.call(envelope.as_bytes())?;
///     let evaluation = Evaluation::from_json(answer.as_bytes())?;
///     let call = join_documents(&[("envelope", envelope.as_bytes())])?;
///     let revision = Revision::from_json(Operation::Refine.call(call.as_bytes())?.as_bytes())?;
///     run.take(&evaluation, &revision);
///     decided.push((evaluation.decision.status, evaluation.loop_state.escalation.map(|raised| raised.reason)));
/// }
/// // The same check fails again and the diff is the same, so a human has to look.
/// let escalated = (Status::NeedsHuman, Some("repeated_blocker".into()));
/// assert_eq!(decided, [(Status::Partial, None), escalated]);
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
///
/// # Limits
///
/// Every evaluation stays in `evaluate_history`, with its status, flags and blocker codes. Rules compare the evidence with the diff of the latest
/// evaluation only, so an earlier diff summary of more than 1,024 bytes becomes a line that says so. Of more than 100 blockers of an earlier evaluation,
/// the codes stay and the items go: the evaluator then compares by code, which escalates sooner.
///
/// The window has the latest steps, three unless [`keeping`](Run::keeping) sets another number. Before them, it has the steps
/// that rules read: the latest evaluation, the attempt before it, the latest attempt, and the latest step with each risk flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Everything but the evidence. The history is there.
    envelope: OwnedEnvelope,
    history: Vec<OwnedEntry>,
    window: usize,
}

impl Run {
    /// Starts a run, or continues the run of an earlier envelope. The evidence of `envelope` does not matter.
    ///
    /// Without `evaluate_history`, the evaluations in the window are the history.
    #[must_use]
    pub fn new(mut envelope: OwnedEnvelope) -> Self {
        let given = envelope.evaluate_history.take();
        let evaluations = || envelope.provenance_window.iter().filter(|entry| is_evaluation(entry));
        let history = given.unwrap_or_else(|| evaluations().cloned().collect());
        envelope.evidence = OwnedEvidence::default();
        let mut run = Self { envelope, history, window: WINDOW };
        run.cut();
        run
    }

    /// Sets the number of latest steps in the window. With 0, the envelopes have no window at all, and the evaluator does not notice that a
    /// second attempt is interrupted like the first.
    #[must_use]
    pub fn keeping(mut self, steps: usize) -> Self {
        self.window = steps;
        self.cut();
        self
    }

    /// Adds a step that has ended. An evaluation also becomes part of the history.
    pub fn record(&mut self, entry: OwnedEntry) {
        if is_evaluation(&entry) {
            if let Some(latest) = self.history.last_mut() {
                abridge(latest);
            }
            self.history.push(entry.clone());
        }
        self.envelope.provenance_window.push(entry);
        self.cut();
    }

    /// Returns the envelope of an evaluation of this evidence. A program may set other fields, for example `step_id` and
    /// `allowed_next_steps`, where they differ from step to step.
    #[must_use]
    pub fn envelope(&self, evidence: OwnedEvidence) -> OwnedEnvelope {
        OwnedEnvelope { evidence, evaluate_history: Some(self.history.clone()), ..self.envelope.clone() }
    }

    /// Takes the answers of `evaluate` and `refine` to the same envelope.
    ///
    /// The decision is that of `evaluation`, because a composition's override and restrictions decide there and not in `refine`. So the status,
    /// the flags and the refinements come from `evaluation`, and blocker codes from both answers.
    pub fn take(&mut self, evaluation: &OwnedEvaluation, revision: &OwnedRevision) {
        let mut entry = OwnedEntry::from(revision.next.history_entry.clone());
        let decision = &evaluation.decision;
        entry.status = Some(decision.status);
        entry.risk_flags.clone_from(&decision.risk_flags);
        for blocker in &decision.blockers {
            if !entry.blocker_codes.contains(&blocker.code) {
                entry.blocker_codes.push(blocker.code.clone());
            }
        }
        let refinement = &evaluation.loop_state.refinement;
        let extra = self.envelope.refinement.take().map(|earlier| earlier.extra);
        self.envelope.refinement = Some(OwnedRefinement {
            cap: Some(refinement.cap),
            spent: refinement.spent.saturating_add(u64::from(refinement.requested)),
            extra: extra.unwrap_or_default(),
        });
        self.record(entry);
    }

    /// Removes the entries of the window that are older than the latest steps and that no rule looks at.
    fn cut(&mut self) {
        let window = &mut self.envelope.provenance_window;
        window.iter_mut().for_each(abridge);
        let mut kept = kept(window, self.window).into_iter();
        window.retain(|_| kept.next().unwrap_or_default());
    }
}

/// Returns for each entry of a window whether it stays.
///
/// The latest `steps` entries stay, and of the older ones those that rules look at: the latest evaluation, the attempt before it, and the
/// latest entry with each risk flag. With 0 `steps`, no entry stays.
fn kept(window: &[OwnedEntry], steps: usize) -> Vec<bool> {
    let is_attempt = |entry: &OwnedEntry| {
        matches!(entry.opcode, Opcode::RunAgent | Opcode::RunValidation) && entry.outcome.is_some()
    };
    let mut flags = BTreeSet::new();
    let (mut evaluations, mut is_attempt_owed, mut kept) = (0, true, Vec::new());
    for (age, entry) in window.iter().rev().enumerate() {
        let mut stays = age < steps;
        if is_evaluation(entry) {
            stays |= evaluations == 0;
            // The attempt before the latest evaluation.
            is_attempt_owed |= evaluations == 0;
            evaluations += 1;
        } else {
            for flag in &entry.risk_flags {
                stays |= flags.insert(flag);
            }
        }
        if is_attempt_owed && is_attempt(entry) {
            (stays, is_attempt_owed) = (true, false);
        }
        kept.push(stays && steps > 0);
    }
    kept.reverse();
    kept
}

fn is_evaluation(entry: &OwnedEntry) -> bool {
    entry.opcode == Opcode::Evaluate
}

/// Shortens an entry whose diff and items no rule compares anything with.
fn abridge(entry: &mut OwnedEntry) {
    let bytes = entry.diff_summary.len();
    if bytes > MAX_OLD_DIFF {
        entry.diff_summary = format!("a summary of {bytes} bytes is left out");
    }
    entry.blockers = entry.blockers.take().filter(|blockers| blockers.len() <= MAX_OLD_BLOCKERS);
}
