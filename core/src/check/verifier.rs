//! Evaluating envelopes to see that they show what they are to show.

use alloc::{collections::BTreeSet, string::String, vec::Vec};

use adjudicate_lang::{
    Error, Steps,
    json::{self, Limits, Node, OwnedValue},
};

use super::{draft, env::Env, finding::Witness};
use crate::{
    codes::{self, Status},
    evaluate::{Envelope, Facts, evaluate},
    policy::Policy,
};

/// What a rule costs that may find something in an envelope.
const STEPS_OF_FINDING: usize = 256;
/// The cost of each byte of an envelope that is shown: all of them are held until the answer is written.
const STEPS_OF_SHOWN_BYTE: usize = 16;
/// How many bytes an envelope that is shown may have. Evaluating it takes memory beside that of the policy.
const MOST_SHOWN: usize = 1 << 20;
/// The budget for making one envelope.
const STEPS_OF_DRAFT: u64 = 1_000_000;

/// Evaluates envelopes under a policy, all under one budget: what is shown is verified first.
pub(super) struct Verifier<'p> {
    policy: &'p Policy,
    steps: Steps,
    /// The same for witnesses alone: what runs out first are they, and not the tests.
    witnesses: Steps,
}

impl<'p> Verifier<'p> {
    pub(super) const fn new(policy: &'p Policy) -> Self {
        Self { policy, steps: Steps::new(10 * Steps::DEFAULT), witnesses: Steps::new(Steps::DEFAULT) }
    }

    /// What an envelope comes to; `None` if it is none, or if the budget has run out.
    pub(super) fn witness(&mut self, envelope: OwnedValue) -> Option<Witness> {
        Some(self.shown(envelope)?.witness)
    }

    /// What an envelope comes to in which variables have values that they may have; `None` if none can be made.
    pub(super) fn drafted(&mut self, env: &Env<'p>) -> Option<Witness> {
        let envelope = draft::envelope(self.policy, env, &mut Steps::new(STEPS_OF_DRAFT))?;
        self.witness(envelope)
    }

    /// The same, if its next step is that one.
    pub(super) fn routed(&mut self, envelope: OwnedValue, step: &str) -> Option<Witness> {
        let Trial { answer, witness } = self.shown(envelope)?;
        let tape = json::read(answer.as_bytes(), Limits::ANSWER).ok()?;
        let chosen = tape.root().member("decision")?.member("next_step")?.as_str();
        (chosen == Some(step)).then_some(witness)
    }

    /// The trial of an envelope that is to be shown, paid for by the budget of witnesses.
    fn shown(&mut self, envelope: OwnedValue) -> Option<Trial> {
        // Each rule may find something, which is work that an evaluation does not count.
        let rules = self.policy.rules().len().max(1);
        self.witnesses.spend(rules.saturating_mul(STEPS_OF_FINDING)).ok()?;
        let text = json::write(&envelope);
        drop(envelope);
        if text.len() > MOST_SHOWN {
            return None;
        }
        self.witnesses.spend(text.len() * STEPS_OF_SHOWN_BYTE).ok()?;
        let trial = self.trial(&text)?;
        // Any other error is that of what was drafted, and not of the policy.
        let error = trial.witness.error.as_ref();
        error.is_none_or(|error| error.code == codes::INVALID_EXPRESSION.as_str()).then_some(trial)
    }

    /// The answer to an envelope, an error included, and the same as a witness; `None` if the budget has run out.
    pub(super) fn trial(&mut self, text: &str) -> Option<Trial> {
        // What is read and written is paid for, whatever the policy makes of it.
        self.steps.spend(text.len().saturating_mul(8)).ok()?;
        let given = self.steps.left().min(Steps::DEFAULT);
        let mut steps = Steps::new(given);
        let tape = json::read(text.as_bytes(), Limits::DOCUMENT).ok()?;
        let answer = self.answer(tape.root(), &mut steps);
        // What evaluating does not count is paid for when it is known: what was found, and what is to be written of it.
        let found =
            answer.as_ref().map_or(0, |outcome| outcome.found * STEPS_OF_FINDING + outcome.answer.len() * 8);
        let spent = usize::try_from(given - steps.left()).unwrap_or(usize::MAX);
        self.steps.spend(spent.saturating_add(found)).ok()?;
        let envelope = OwnedValue::from(tape.root());
        match answer {
            Ok(Outcome { answer, status, rules, undecided, .. }) => {
                let witness = Witness { envelope, status: Some(status), rules, error: None, undecided };
                Some(Trial { answer, witness })
            }
            // With a whole budget it might not have run out.
            Err(error) if error.code() == codes::LIMIT_EXCEEDED && given < Steps::DEFAULT => None,
            Err(error) => {
                let witness = Witness {
                    envelope,
                    status: None,
                    rules: Vec::new(),
                    error: Some((&error).into()),
                    undecided: Vec::new(),
                };
                Some(Trial { answer: error.to_json(), witness })
            }
        }
    }

    fn answer(&self, input: Node<'_>, steps: &mut Steps) -> Result<Outcome, Error> {
        let envelope: Envelope<'_> = input.decode()?;
        let facts = Facts::within(&envelope, input, Some(self.policy), steps)?;
        let evaluation = evaluate(&facts);
        let mut rules: Vec<String> = Vec::new();
        let mut seen = BTreeSet::new();
        for finding in evaluation.findings.iter().filter(|finding| seen.insert(finding.rule)) {
            rules.push(finding.rule.into());
        }
        let undecided = facts.verdicts().iter().filter(|verdict| verdict.unknown.is_some());
        Ok(Outcome {
            found: evaluation.findings.len(),
            answer: json::write(&evaluation),
            status: evaluation.decision.status,
            rules,
            undecided: undecided.map(|verdict| verdict.rule as usize).collect(),
        })
    }
}

/// What an evaluation came to.
struct Outcome {
    /// How many findings there are.
    found: usize,
    answer: String,
    status: Status,
    rules: Vec<String>,
    /// The places of the rules whose conditions are unknown.
    undecided: Vec<usize>,
}

/// What an envelope came to.
pub(super) struct Trial {
    /// The answer of `evaluate`, or the error as every face prints it.
    pub answer: String,
    /// The same, to show.
    pub witness: Witness,
}
