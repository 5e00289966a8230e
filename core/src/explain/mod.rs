//! Why a decision is what it is, and what would have to change for `success` (SPEC section 12).
//!
//! ```text
//! Facts, Evaluation -> reasons, overruled   what each finding met, and which findings lost       reason, condition
//!                   -> counterfactual       a smallest set of changes that leads to `success`    counterfactual/
//!                   -> trace                every rule, its verdict, its inputs                  trace, inputs
//! ```
//!
//! Nothing is decided here: the evaluation has decided. A counterfactual is no forecast and no fix either. It is an
//! envelope that differs in few places and was evaluated; what it takes to come by such evidence honestly is the run's.

mod built_in;
mod condition;
mod contract;
mod counterfactual;
mod inputs;
mod reason;
mod shown;
mod trace;

use alloc::{string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    json::{self, Limits},
};
use serde::Serialize;

use crate::{
    bounds,
    evaluate::{self, Envelope, Evaluation, Facts},
    policy::Policy,
};

pub use condition::{ConditionPart, Operand};
pub use contract::check_explanation;
pub use counterfactual::{
    ChangeOp, Counterfactual, EvidenceChange, Impossibility, MAX_CANDIDATES, NoCounterfactual,
};
pub use reason::{Overruled, Reason};
pub use shown::{Input, ShownState};
pub use trace::{RuleResult, Trace, TracedRule, trace};

/// The complete answer of `explain`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Explanation<'a> {
    /// The complete answer of `evaluate`.
    pub evaluation: &'a Evaluation<'a>,
    /// One for each finding, in their order.
    pub reasons: Vec<Reason<'a>>,
    /// What lost the precedence of statuses, in the order of findings, each rule and status once.
    pub overruled: Vec<Overruled<'a>>,
    /// A smallest set of changes to the evidence under which the decision is `success`, if there is one.
    pub counterfactual: Option<Counterfactual>,
    /// Why there is no counterfactual; null exactly when there is one.
    pub no_counterfactual: Option<NoCounterfactual<'a>>,
    /// Every rule, when it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace<'a>>,
}

/// Explains an evaluation, which must be that of the same facts; with every rule if a trace is wanted.
///
/// It cannot fail: where work or an answer would be without bound, values are left out and the search ends, and the
/// answer says so.
///
/// ```
/// use adjudicate_core::{evaluate::{Envelope, Facts, evaluate}, explain::explain, json};
/// # let text = br#"{"run_id": "r", "workflow_id": "w", "step_id": "judge", "evaluate_prompt": "p.v1",
/// #   "allowed_next_steps": ["publish"], "provenance_window": [], "evidence": {"transcript_summary": "",
/// #   "workspace_diff_summary": "", "validation": {"mechanical_outcome": "completed", "exit_codes": {"test": 3},
/// #   "timeouts": []}, "artifacts": [], "policy_events": []}}"#;
/// let tape = json::read(text, json::Limits::DOCUMENT)?;
/// let envelope = Envelope::from_tape(&tape)?;
/// let facts = Facts::new(&envelope, tape.root(), None)?;
/// let evaluation = evaluate(&facts);
/// let explanation = explain(&facts, &evaluation, false);
/// let counterfactual = explanation.counterfactual.unwrap();
/// assert_eq!(counterfactual.changes[0].path, "/evidence/validation/exit_codes/test");
/// assert_eq!(counterfactual.next_step.as_deref(), Some("publish"));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[must_use]
pub fn explain<'a>(
    facts: &'a Facts<'a>,
    evaluation: &'a Evaluation<'a>,
    with_trace: bool,
) -> Explanation<'a> {
    let (counterfactual, no_counterfactual) = match counterfactual::find(facts, evaluation) {
        Ok(found) => (Some(found), None),
        Err(none) => (None, Some(none)),
    };
    Explanation {
        evaluation,
        reasons: reason::reasons(facts, evaluation),
        overruled: reason::overruled(evaluation),
        counterfactual,
        no_counterfactual,
        trace: with_trace.then(|| trace(facts, evaluation)),
    }
}

/// Explains one envelope, from text to text, under a policy that was parsed before.
///
/// # Errors
///
/// Those of [`evaluate_text`](evaluate::evaluate_text): what has no decision has no explanation.
///
/// ```
/// let error = adjudicate_core::explain::explain_text(b"{}", None, false).unwrap_err();
/// assert_eq!(error.path(), "/run_id");
/// ```
pub fn explain_text(envelope: &[u8], policy: Option<&Policy>, with_trace: bool) -> Result<String, Error> {
    let tape = json::read(envelope, Limits::DOCUMENT)?;
    let envelope = Envelope::from_tape(&tape)?;
    let facts = Facts::new(&envelope, tape.root(), policy)?;
    let evaluation = evaluate::evaluate(&facts);
    bounds::write(&explain(&facts, &evaluation, with_trace))
}
