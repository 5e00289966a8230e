//! Explains a decision, and finds changes that would lead to `success` (docs/reference/policies.md).
//!
//! ```text
//! Facts              -> known_facts          the values that conditions see                       facts, shown
//! Judged, Evaluation -> reasons, overruled   the values behind each finding, and overruled ones   reason, condition
//!                    -> counterfactual       a smallest set of changes that leads to `success`    counterfactual/
//!                    -> trace                every rule with its result and inputs                trace, inputs
//! ```
//!
//! This module never changes the decision. A counterfactual is an envelope that differs in few places and was evaluated, but
//! neither a forecast nor a fix. Producing such evidence honestly is up to the run.

mod condition;
mod contract;
mod counterfactual;
mod facts;
mod inputs;
mod reason;
mod shown;
mod trace;

use alloc::string::String;

use adjudicate_lang::{
    Error,
    json::{self, ReadLimits},
};

use crate::{
    bounds,
    documents::{envelope::Envelope, evaluation::Evaluation},
    evaluate::{self, Judged},
    policy::Policy,
};

pub use crate::documents::{
    counterfactual::{ChangeOp, Counterfactual, EvidenceChange, Impossibility, NoCounterfactual},
    explanation::{
        ConditionPart, Explanation, Input, KnownFacts, Operand, Overruled, Reason, RuleResult, ShownState,
        StepRoute, Trace, TracedRule,
    },
};
pub use contract::check_explanation;
pub use counterfactual::MAX_CANDIDATES;
pub use facts::{check_facts, known_facts};
pub use trace::trace;

/// Explains an evaluation, which must be that of the same facts; with every rule if a trace is wanted.
///
/// It cannot fail. Beyond its limits, values are left out and the search ends, and the answer says so.
///
/// ```
/// use adjudicate_core::{evaluate::{Envelope, Judged, evaluate}, explain::explain, json};
/// # let text = br#"{"run_id": "r", "workflow_id": "w", "step_id": "judge", "evaluate_prompt": "p.v1",
/// #   "allowed_next_steps": ["publish"], "provenance_window": [], "evidence": {"transcript_summary": "",
/// #   "workspace_diff_summary": "", "validation": {"mechanical_outcome": "completed", "exit_codes": {"test": 3},
/// #   "timeouts": []}, "artifacts": [], "policy_events": []}}"#;
/// let tape = json::read(text, json::ReadLimits::DOCUMENT)?;
/// let envelope = Envelope::from_tape(&tape)?;
/// let facts = Judged::new(&envelope, None)?;
/// let evaluation = evaluate(&facts);
/// let explanation = explain(&facts, &evaluation, false);
/// let counterfactual = explanation.counterfactual.unwrap();
/// assert_eq!(counterfactual.changes[0].path, "/evidence/validation/exit_codes/test");
/// assert_eq!(counterfactual.next_step.as_deref(), Some("publish"));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[must_use]
pub fn explain<'a>(
    facts: &'a Judged<'a>,
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
        routes: evaluate::step_routes(facts),
        trace: with_trace.then(|| trace(facts, evaluation)),
    }
}

/// Explains one envelope, from text to text, under a parsed policy.
///
/// # Errors
///
/// Those of [`evaluate_text`](evaluate::evaluate_text), because only a decision has an explanation.
///
/// ```
/// let error = adjudicate_core::explain::explain_text(b"{}", None, false).unwrap_err();
/// assert_eq!(error.path(), "/run_id");
/// ```
pub fn explain_text(envelope: &[u8], policy: Option<&Policy>, with_trace: bool) -> Result<String, Error> {
    let tape = json::read(envelope, ReadLimits::DOCUMENT)?;
    let envelope = Envelope::from_tape(&tape)?;
    let facts = Judged::new(&envelope, policy)?;
    let evaluation = evaluate::evaluate(&facts);
    bounds::write(&explain(&facts, &evaluation, with_trace))
}
