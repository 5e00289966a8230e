//! Envelopes and answers that own their values: to build, keep, change and write them in a program.
//!
//! Each type has the fields of its document, and `extra` for extensions: fields whose names begin with `x-`, which policies may read. `from_json`
//! reads a text by the strict reader of the engine, `to_json` writes one, and serde does both in any format. A field that may be absent is an
//! `Option`; in one that may also be null, `Some(None)` is null. So a text that is read and written again means the same to every policy.
//!
//! ```
//! use adjudicate_core::{Operation, owned::{Envelope, Evaluation, Evidence, Validation}, evaluate::{Outcome, Status}};
//!
//! let envelope = Envelope {
//!     run_id: "run-1".into(),
//!     workflow_id: "release".into(),
//!     step_id: "evaluate".into(),
//!     evaluate_prompt: "release.v1".into(),
//!     allowed_next_steps: vec!["publish".into(), "fix".into()],
//!     evidence: Evidence {
//!         workspace_diff_summary: " M src/lib.rs\n".into(),
//!         validation: Validation {
//!             mechanical_outcome: Outcome::Completed,
//!             exit_codes: [("cargo-test".into(), 101)].into(),
//!             ..Validation::default()
//!         },
//!         artifacts: vec!["target/cargo-test.log".into()],
//!         ..Evidence::default()
//!     },
//!     ..Envelope::default()
//! };
//! let answer = Operation::Evaluate.call(envelope.to_json().as_bytes())?;
//! let evaluation = Evaluation::from_json(answer.as_bytes())?;
//! assert_eq!(evaluation.decision.status, Status::Partial);
//! assert_eq!(evaluation.decision.next_step.as_deref(), Some("fix"));
//! # Ok::<(), adjudicate_core::Error>(())
//! ```
//!
//! Evidence of which nothing is known has the outcome `error`, so a forgotten outcome never leads to `success`.

pub use crate::{
    documents::{
        check_finding::{
            OwnedAnyWitness as AnyWitness, OwnedCheck as CheckAnswer, OwnedCheckFinding as CheckFinding,
            OwnedOutputWitness as OutputWitness, OwnedWitness as Witness, OwnedWitnessError as WitnessError,
        },
        counterfactual::{
            OwnedCounterfactual as Counterfactual, OwnedEvidenceChange as EvidenceChange,
            OwnedNoCounterfactual as NoCounterfactual,
        },
        explanation::{
            OwnedConditionPart as ConditionPart, OwnedExplanation as Explanation, OwnedInput as Input,
            OwnedKnownFacts as KnownFacts, OwnedOperand as Operand, OwnedOverruled as Overruled,
            OwnedReason as Reason, OwnedStepRoute as StepRoute, OwnedTrace as Trace,
            OwnedTracedRule as TracedRule,
        },
    },
    evaluate::{
        OwnedApprovals as Approvals, OwnedBaseline as Baseline, OwnedBlocker as Blocker, OwnedCase as Case,
        OwnedDecision as Decision, OwnedDiff as Diff, OwnedDiffFile as DiffFile, OwnedEdit as Edit,
        OwnedEntry as Entry, OwnedEntryBlocker as EntryBlocker, OwnedEnvelope as Envelope,
        OwnedEscalation as Escalation, OwnedEvaluation as Evaluation, OwnedEvidence as Evidence,
        OwnedFinding as Finding, OwnedFixInstructions as FixInstructions,
        OwnedHarnessReport as HarnessReport, OwnedHarnessSummary as HarnessSummary,
        OwnedKnownFailure as KnownFailure, OwnedLoopState as LoopState, OwnedPolicyName as PolicyName,
        OwnedPromptReference as PromptReference, OwnedRefinement as Refinement,
        OwnedRefinementState as RefinementState, OwnedResolution as Resolution, OwnedReview as Review,
        OwnedReviewIssue as ReviewIssue, OwnedRoute as Route, OwnedStepInfo as StepInfo,
        OwnedUncollected as Uncollected, OwnedUxFlag as UxFlag, OwnedValidation as Validation,
        OwnedVerification as Verification,
    },
    revision::{
        OwnedHistoryEntry as HistoryEntry, OwnedLoopEvent as LoopEvent, OwnedNextLoop as NextLoop,
        OwnedRefinementCount as RefinementCount, OwnedRefinementIssue as RefinementIssue,
        OwnedRefinementPackage as RefinementPackage, OwnedRevision as Revision,
        OwnedStatusPatch as StatusPatch,
    },
};
