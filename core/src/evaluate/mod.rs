//! The evaluator: envelope in, decision out (OA06, SPEC section 3).
//!
//! ```text
//! envelope JSON -> Envelope -> Facts -> [Finding] -> Status -> Route -> Decision
//!                  envelope    facts    rules/       status    route    decision
//! ```

mod checks;
mod compose;
mod contract;
mod decision;
mod diff;
mod envelope;
mod events;
mod evidence;
mod external_answer;
mod fact;
mod facts;
mod fault;
mod finding;
mod fix;
mod found;
pub(crate) mod git;
mod matches;
mod module_fault;
mod pieces;
mod progress;
mod route;
mod rules;
mod transcript;
mod variables;
mod verdict;

use alloc::string::String;

use adjudicate_lang::{
    Error,
    json::{self, Limits},
};

use crate::{bounds, policy::Policy};

pub use crate::{
    codes::{Severity, Status},
    policy::Role,
};
pub use compose::{
    AnswerText, ComposedCall, ComposedEvaluation, CompositionMember, CompositionMode, ENGINE_ORIGIN, compose,
    evaluate_composed,
};
pub(crate) use contract::Answer;
pub use contract::check_answer;
pub use decision::{Blocker, Decision, Escalation, Evaluation, LoopState, PolicyName, RefinementState};
pub(crate) use diff::ChangedFile;
pub use envelope::{
    Entry, EntryBlocker, EntryResult, Envelope, Opcode, Outcome, PromptReference, Refinement, StepInfo,
};
pub use evidence::{
    Approvals, Case, CaseStatus, Change, Claim, Diff, DiffFile, Edit, Evidence, FileKind, HarnessReport,
    HarnessSummary, Intent, Notes, Review, ReviewIssue, Uncollected, UxFlag, Validation,
};
pub use external_answer::{ComposedFinding, ExternalAnswer};
pub(crate) use fact::value as fact_value;
pub use facts::Facts;
pub use fault::{POLICY_MODULE_FAULT, Unanswered, fault};
pub use finding::{FINDINGS_OMITTED, Finding, Resolution, ResolutionKind, Shown};
pub use fix::{FixEdit, FixInstructions, Verification};
pub(crate) use fix::{case_edit, rule_edit, validator_edit};
pub(crate) use module_fault::module_fault;
pub use module_fault::{MODULE_FAULT, ModuleFault};
pub use pieces::pieces;
pub use route::{ClassifiedBy, Route};
pub(crate) use rules::undecided;
pub(crate) use variables::Variables;
pub(crate) use verdict::candidates;

/// Decides: the pure heart of the engine.
///
/// ```
/// use adjudicate_core::{evaluate::{Envelope, Facts, Status, evaluate}, json};
/// # let text = br#"{"run_id": "r", "workflow_id": "w", "step_id": "s", "evaluate_prompt": "p.v1",
/// #   "allowed_next_steps": [], "provenance_window": [], "evidence": {"transcript_summary": "",
/// #   "workspace_diff_summary": "", "validation": {"mechanical_outcome": "killed_policy", "exit_codes": {},
/// #   "timeouts": []}, "artifacts": [], "policy_events": []}}"#;
/// let tape = json::read(text, json::Limits::DOCUMENT)?;
/// let envelope = Envelope::from_tape(&tape)?;
/// let facts = Facts::new(&envelope, tape.root(), None)?;
/// assert_eq!(evaluate(&facts).decision.status, Status::Unsafe);
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[must_use]
pub fn evaluate<'a>(facts: &'a Facts<'a>) -> Evaluation<'a> {
    decision::decide(facts, rules::run(facts))
}

/// Decides and gives no reasons: the decision of [`evaluate`], without findings and loop state.
///
/// The rules are the same and so is the decision, with the summaries that its blockers carry. What is saved is to keep
/// the reasons and to write them.
///
/// ```
/// use adjudicate_core::{evaluate::{Envelope, Facts, decide, evaluate}, json};
/// # let text = br#"{"run_id": "r", "workflow_id": "w", "step_id": "s", "evaluate_prompt": "p.v1",
/// #   "allowed_next_steps": [], "provenance_window": [], "evidence": {"transcript_summary": "",
/// #   "workspace_diff_summary": "", "validation": {"mechanical_outcome": "killed_policy", "exit_codes": {},
/// #   "timeouts": []}, "artifacts": [], "policy_events": []}}"#;
/// let tape = json::read(text, json::Limits::DOCUMENT)?;
/// let envelope = Envelope::from_tape(&tape)?;
/// let facts = Facts::new(&envelope, tape.root(), None)?;
/// assert_eq!(decide(&facts), evaluate(&facts).decision);
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[must_use]
pub fn decide<'a>(facts: &'a Facts<'a>) -> Decision<'a> {
    decision::decision(facts, &rules::run(facts)).0
}

/// Evaluates one envelope, from text to text, with a policy that was parsed before.
///
/// # Errors
///
/// Whatever is wrong with the envelope: no answer is better than a guess.
///
/// ```
/// let error = adjudicate_core::evaluate::evaluate_text(b"{}", None).unwrap_err();
/// assert_eq!(error.path(), "/run_id");
/// ```
pub fn evaluate_text(envelope: &[u8], policy: Option<&Policy>) -> Result<String, Error> {
    let tape = json::read(envelope, Limits::DOCUMENT)?;
    let envelope = Envelope::from_tape(&tape)?;
    let facts = Facts::new(&envelope, tape.root(), policy)?;
    bounds::write(&evaluate(&facts))
}
