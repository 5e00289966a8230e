//! The table of facts: the values that the conditions of a policy see in one envelope.

use alloc::vec::Vec;

use adjudicate_lang::{Error, Steps, json::Node};

use super::shown::VariableLookup;
use crate::{
    contract::decode,
    documents::explanation::{AnswerKnownFacts, Input, KnownFacts},
    evaluate::Facts,
    policy::{Fact, Parameter, Root},
};

/// Returns the values of all variables. No rule runs and no condition is evaluated, so an answer exists even without a decision.
///
/// ```
/// use adjudicate_core::{evaluate::{Envelope, Facts}, explain::{ShownState, known_facts}, json};
/// # let text = br#"{"run_id": "r", "workflow_id": "w", "step_id": "judge", "evaluate_prompt": "p.v1",
/// #   "allowed_next_steps": [], "provenance_window": [], "evidence": {"transcript_summary": "",
/// #   "workspace_diff_summary": "", "validation": {"mechanical_outcome": "completed", "exit_codes": {"test": 3},
/// #   "timeouts": []}, "artifacts": [], "policy_events": []}}"#;
/// let tape = json::read(text, json::ReadLimits::DOCUMENT)?;
/// let envelope = Envelope::from_tape(&tape)?;
/// let facts = Facts::new(&envelope, None)?;
/// let known = known_facts(&facts);
/// assert_eq!((&*known.variables[0].variable, known.variables[0].state), ("facts.intent", ShownState::Unknown));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[must_use]
pub fn known_facts<'a>(facts: &'a Facts<'a>) -> KnownFacts<'a> {
    let inputs = VariableLookup::new(facts);
    let steps = &mut Steps::default();
    let whole = Fact::ALL.iter().map(|fact| Root::Fact(*fact));
    let whole = whole.chain(Parameter::ALL.into_iter().map(Root::Parameter));
    let mut variables: Vec<Input<'a>> = whole.map(|root| inputs.whole(root, steps)).collect();
    let policy = facts.policy();
    for (number, variable) in (0..).zip(policy.variables()) {
        // Whole facts and thresholds are already listed.
        if variable.root() == Root::Input || !variable.rest().is_empty() {
            variables.push(inputs.numbered(number, variable, steps));
        }
    }
    KnownFacts { variables, policy: facts.policy_name() }
}

/// Checks the shape and the closed lists of words of a foreign answer.
///
/// # Errors
///
/// [`module_invalid_decision`](crate::codes::MODULE_INVALID_DECISION) with the path of the field in the answer.
///
/// ```
/// use adjudicate_core::{explain::check_facts, json};
/// let answer = json::read(br#"{"variables": [{}], "policy": null}"#, json::ReadLimits::DOCUMENT)?;
/// assert_eq!(check_facts(answer.root()).unwrap_err().path(), "/variables/0/variable");
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn check_facts(answer: Node<'_>) -> Result<(), Error> {
    decode::<AnswerKnownFacts<'_>>(answer).map(drop)
}
