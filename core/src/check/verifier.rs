//! Verifies witnesses: evaluates envelopes and checks that they show the finding.

use alloc::{string::String, vec::Vec};

use adjudicate_lang::{
    Error, Steps,
    json::{self, Node, OwnedValue, ReadLimits},
    order,
};

use super::{abstract_state::AbstractState, envelope_model, inputs::Checked, scope::VariableScope};
use crate::{
    codes,
    documents::{check_finding::Witness, envelope::Envelope},
    evaluate::{Judged, evaluate},
};

/// The cost of a rule that may have a finding in an envelope.
const STEPS_OF_FINDING: usize = 256;
/// The cost of each byte of a witness, because all of them are held until the answer is written.
const STEPS_OF_SHOWN_BYTE: usize = 16;
/// The most bytes of a witness. Evaluating it takes memory in addition to the policy's.
const MOST_SHOWN: usize = 1 << 20;
/// The budget for generating one envelope.
const STEPS_OF_MODEL: u64 = 1_000_000;

/// Evaluates envelopes under a policy, all under one budget: nothing unverified is reported.
pub(super) struct Verifier<'p> {
    checked: Checked<'p>,
    /// The declared inputs that every envelope must have, if some can be made.
    inputs: Option<OwnedValue>,
    steps: Steps,
    /// A separate budget for witnesses, so that they run out before the tests do.
    witnesses: Steps,
}

impl<'p> Verifier<'p> {
    pub(super) fn new(checked: Checked<'p>) -> Self {
        let state = AbstractState::new(VariableScope::Policy(checked));
        let inputs = checked.inputs.and_then(|inputs| inputs.sample(&state, &mut Steps::new(STEPS_OF_MODEL)));
        let (steps, witnesses) = (Steps::new(2 * Steps::DEFAULT), Steps::new(Steps::DEFAULT));
        Self { checked, inputs, steps, witnesses }
    }

    /// The witness of an envelope generated from an abstract state; `None` if none can be generated.
    pub(super) fn drafted(&mut self, state: &AbstractState<'p>) -> Option<Witness> {
        let envelope = envelope_model::envelope(self.checked, state, &mut Steps::new(STEPS_OF_MODEL))?;
        self.witness(envelope)
    }

    /// The witness of an envelope; `None` if it shows nothing, or if the budget has run out.
    pub(super) fn witness(&mut self, mut envelope: OwnedValue) -> Option<Witness> {
        // Each rule may have a finding, which is work that the evaluation does not count.
        let rules = self.checked.policy.rules().len().max(1);
        self.witnesses.spend(rules.saturating_mul(STEPS_OF_FINDING)).ok()?;
        self.add_inputs(&mut envelope);
        let text = json::write(&envelope);
        drop(envelope);
        if text.len() > MOST_SHOWN {
            return None;
        }
        self.witnesses.spend(text.len() * STEPS_OF_SHOWN_BYTE).ok()?;
        if self.checked.inputs.is_some_and(|inputs| !inputs.admit(&text, &mut self.witnesses)) {
            return None;
        }
        let witness = self.trial(&text)?.witness;
        // Any other error comes from the generated envelope, not from the policy.
        let error = witness.error.as_ref();
        error.is_none_or(|error| error.code == codes::INVALID_EXPRESSION.as_str()).then_some(witness)
    }

    /// Adds the declared inputs that every envelope must have, unless it has any.
    fn add_inputs(&self, envelope: &mut OwnedValue) {
        let (Some(OwnedValue::Object(inputs)), OwnedValue::Object(fields)) = (&self.inputs, envelope) else {
            return;
        };
        if !fields.iter().any(|(name, _)| name.starts_with("x-")) {
            fields.extend(inputs.iter().cloned());
        }
    }

    /// The answer to an envelope, an error included, and the same as a witness; `None` if the budget has run out.
    pub(super) fn trial(&mut self, text: &str) -> Option<Trial> {
        // Reading and writing cost steps, whatever the policy does.
        self.steps.spend(text.len().saturating_mul(8)).ok()?;
        let given = self.steps.left().min(Steps::DEFAULT);
        let mut steps = Steps::new(given);
        let tape = json::read(text.as_bytes(), ReadLimits::DOCUMENT).ok()?;
        let evaluated = self.evaluated(tape.root(), &mut steps);
        // Uncounted work of the evaluation is charged afterwards: findings, and the bytes of the answer.
        let found = evaluated
            .as_ref()
            .map_or(0, |(trial, findings)| findings * STEPS_OF_FINDING + trial.answer.len() * 8);
        let spent = usize::try_from(given - steps.left()).unwrap_or(usize::MAX);
        self.steps.spend(spent.saturating_add(found)).ok()?;
        let mut trial = match evaluated {
            Ok((trial, _)) => trial,
            // With a full budget, the evaluation might have succeeded.
            Err(error) if error.code() == codes::LIMIT_EXCEEDED && given < Steps::DEFAULT => return None,
            Err(error) => {
                let witness = Witness {
                    envelope: OwnedValue::Null,
                    status: None,
                    rules: Vec::new(),
                    error: Some((&error).into()),
                    undecided: Vec::new(),
                    next_step: None,
                };
                Trial { answer: error.to_json(), witness }
            }
        };
        trial.witness.envelope = tape.root().into();
        Some(trial)
    }

    /// Evaluates an envelope, and counts its findings. The witness has no envelope yet: the copy is made after the memory of the
    /// evaluation is freed.
    fn evaluated(&self, input: Node<'_>, steps: &mut Steps) -> Result<(Trial, usize), Error> {
        let envelope: Envelope<'_> = adjudicate_lang::document::read(input)?;
        let facts = Judged::within(&envelope, Some(self.checked.policy), steps)?;
        let evaluation = evaluate(&facts);
        let rules = evaluation.findings.iter().map(|finding| finding.rule).collect();
        let undecided = facts.verdicts().iter().filter(|verdict| verdict.unknown.is_some());
        let witness = Witness {
            envelope: OwnedValue::Null,
            status: Some(evaluation.decision.status),
            rules: order::without_repeats(rules, Ord::cmp).into_iter().map(String::from).collect(),
            error: None,
            undecided: undecided.map(|verdict| verdict.rule as usize).collect(),
            next_step: evaluation.decision.next_step.map(String::from),
        };
        Ok((Trial { answer: json::write(&evaluation), witness }, evaluation.findings.len()))
    }
}

/// An evaluated envelope.
pub(super) struct Trial {
    /// The answer of `evaluate`, or the error in the form that every interface prints.
    pub answer: String,
    /// The same as a witness.
    pub witness: Witness,
}
