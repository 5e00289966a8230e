//! The evaluator: envelope in, decision out (docs/reference/rules.md).
//!
//! ```text
//! envelope JSON -> Envelope -> Facts -> Judged  -> [Finding] -> Status -> Route -> Decision
//!                  envelope    facts    verdict    rules/       status    route    decision
//! ```

mod allowed;
mod approvals;
mod baseline;
mod checks;
mod collected;
mod compose;
mod contract;
mod contradictions;
mod decision;
mod diff;
mod events;
mod external_answer;
mod fact;
mod facts;
mod fault;
mod finding;
mod fix;
pub mod git;
mod item_variables;
mod matches;
mod module_fault;
mod next_step;
mod progress;
mod results;
mod roles;
mod route;
mod rules;
mod transcript;
mod variables;
mod verdict;

use alloc::string::String;

use adjudicate_lang::{
    Error,
    json::{self, ReadLimits},
};

use crate::{bounds, policy::Policy, words::is_one_of};

pub use crate::{
    codes::{FINDINGS_OMITTED, ResolutionKind, Severity, Status},
    documents::{
        envelope::{
            Entry, EntryBlocker, Envelope, Opcode, OwnedEntry, OwnedEntryBlocker, OwnedEnvelope,
            OwnedPromptReference, OwnedRefinement, OwnedStepInfo, PromptReference, Refinement, StepInfo,
        },
        evaluation::{
            Blocker, ClassifiedBy, ComposedEvaluation, CompositionMode, Decision, Escalation, Evaluation,
            KnownFailure, LoopState, OwnedBlocker, OwnedDecision, OwnedEscalation, OwnedEvaluation,
            OwnedKnownFailure, OwnedLoopState, OwnedPolicyName, OwnedRefinementState, OwnedRoute, PolicyName,
            RefinementState, Route,
        },
        evidence::{
            Approvals, Baseline, Case, CaseStatus, Change, Claim, Diff, DiffFile, Edit, Evidence, FileKind,
            HarnessReport, HarnessSummary, Intent, OwnedApprovals, OwnedBaseline, OwnedCase, OwnedDiff,
            OwnedDiffFile, OwnedEdit, OwnedEvidence, OwnedHarnessReport, OwnedHarnessSummary, OwnedReview,
            OwnedReviewIssue, OwnedUncollected, OwnedUxFlag, OwnedValidation, Review, ReviewIssue,
            Uncollected, UxFlag, Validation,
        },
        finding::{ComposedFinding, Finding, OwnedFinding, OwnedResolution, Resolution, Shown},
        fix::{FixEdit, FixInstructions, OwnedFixInstructions, OwnedVerification, Verification},
        outcome::Outcome,
        role::Role,
        tree::{OwnedTree, Tree},
    },
};
pub(crate) use baseline::ShrunkTests;
pub use compose::{AnswerText, ComposedCall, CompositionMember, ENGINE_ORIGIN, compose, evaluate_composed};
pub use contract::check_answer;
pub(crate) use contradictions::CONTRADICTIONS;
pub(crate) use diff::ChangedFile;
pub use external_answer::ExternalAnswer;
pub(crate) use fact::value as fact_value;
pub use facts::Facts;
pub use fault::{POLICY_MODULE_FAULT, Unanswered, fault};
pub(crate) use fix::{case_edit, passing_checks, rule_edit, tests_edit, validator_edit};
pub(crate) use module_fault::module_fault;
pub use module_fault::{MODULE_FAULT, ModuleFault};
pub(crate) use next_step::step_routes;
pub(crate) use results::ResultSource;
pub(crate) use rules::undecided;
pub(crate) use variables::Variables;
pub use verdict::Judged;
pub(crate) use verdict::candidates;

/// Decides on an envelope and gives the reasons.
///
/// ```
/// use adjudicate_core::{evaluate::{Envelope, Judged, Status, evaluate}, json};
/// # let text = br#"{"run_id": "r", "workflow_id": "w", "step_id": "s", "evaluate_prompt": "p.v1",
/// #   "allowed_next_steps": [], "provenance_window": [], "evidence": {"transcript_summary": "",
/// #   "workspace_diff_summary": "", "validation": {"mechanical_outcome": "killed_policy", "exit_codes": {},
/// #   "timeouts": []}, "artifacts": [], "policy_events": []}}"#;
/// let tape = json::read(text, json::ReadLimits::DOCUMENT)?;
/// let envelope = Envelope::from_tape(&tape)?;
/// let facts = Judged::new(&envelope, None)?;
/// assert_eq!(evaluate(&facts).decision.status, Status::Unsafe);
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[must_use]
pub fn evaluate<'a>(judged: &'a Judged<'a>) -> Evaluation<'a> {
    decision::decide(judged, rules::run(judged))
}

/// Decides without reasons: the decision of [`evaluate`], without findings and loop state.
///
/// The rules and the decision are the same, with the summaries of the blockers. Only keeping and writing the reasons is saved.
///
/// ```
/// use adjudicate_core::{evaluate::{Envelope, Judged, decide, evaluate}, json};
/// # let text = br#"{"run_id": "r", "workflow_id": "w", "step_id": "s", "evaluate_prompt": "p.v1",
/// #   "allowed_next_steps": [], "provenance_window": [], "evidence": {"transcript_summary": "",
/// #   "workspace_diff_summary": "", "validation": {"mechanical_outcome": "killed_policy", "exit_codes": {},
/// #   "timeouts": []}, "artifacts": [], "policy_events": []}}"#;
/// let tape = json::read(text, json::ReadLimits::DOCUMENT)?;
/// let envelope = Envelope::from_tape(&tape)?;
/// let facts = Judged::new(&envelope, None)?;
/// assert_eq!(decide(&facts), evaluate(&facts).decision);
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[must_use]
pub fn decide<'a>(judged: &'a Judged<'a>) -> Decision<'a> {
    decision::decision(judged, &rules::run(judged)).0
}

/// Evaluates one envelope, from text to text, with a parsed policy.
///
/// # Errors
///
/// Any error of the envelope, because no answer is better than a guess.
///
/// ```
/// let error = adjudicate_core::evaluate::evaluate_text(b"{}", None).unwrap_err();
/// assert_eq!(error.path(), "/run_id");
/// ```
pub fn evaluate_text(envelope: &[u8], policy: Option<&Policy>) -> Result<String, Error> {
    let tape = json::read(envelope, ReadLimits::DOCUMENT)?;
    let envelope = Envelope::from_tape(&tape)?;
    let facts = Judged::new(&envelope, policy)?;
    bounds::write(&evaluate(&facts))
}
