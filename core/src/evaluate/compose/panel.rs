//! A composition from text to text: who has a say, asked and put together.

use alloc::{borrow::Cow, string::String, vec::Vec};

use super::{
    super::{Envelope, Facts, Opinion, evaluate},
    Composition, compose,
};
use crate::{
    error::Error,
    json::{self, Limits, Node, Tape},
    policy::Policy,
};

/// The origin of what this engine finds under no policy.
pub const ENGINE_ORIGIN: &str = "adjudicate";

/// All who have a say in one decision; nobody beside the base is a say of the base alone.
///
/// Who overrides stands in for the base, the last one for all before it; who restricts is composed with the outcome. So
/// nobody loosens a restriction, in whatever order they were named.
#[derive(Clone, Debug, Default)]
pub struct Panel<'a> {
    /// The policy of the base: its routes, profile and parameters are in force, and its name stands in the answer.
    pub policy: Option<&'a Policy>,
    /// What somebody else answered for the base. Without it, the envelope is evaluated under `policy`.
    pub answer: Option<Answered<'a>>,
    /// Who stands in for the base.
    pub overriding: Vec<Member<'a>>,
    /// Who can tighten the outcome, and never loosen it.
    pub restricting: Vec<Member<'a>>,
}

/// Somebody who has a say.
#[derive(Clone, Copy, Debug)]
pub enum Member<'a> {
    /// What this engine says under a policy, by the policy's name.
    Policy(&'a Policy),
    /// What somebody else says.
    Answer(Answered<'a>),
}

/// What somebody answered to `evaluate` with the same envelope.
#[derive(Clone, Copy, Debug)]
pub struct Answered<'a> {
    /// Who it was.
    pub origin: &'a str,
    /// The answer, as JSON text.
    pub answer: &'a str,
}

/// What one of them says.
struct Said<'a> {
    origin: &'a str,
    answer: Cow<'a, str>,
}

impl Panel<'_> {
    /// Asks all of them about an envelope and composes what they say: the text of a
    /// [`ComposedEvaluation`](super::ComposedEvaluation).
    ///
    /// # Errors
    ///
    /// Whatever is wrong with the envelope, or with evaluating it under one of the policies; where that is not the base's,
    /// the message begins with its name. [`ModuleInvalidDecision`](crate::ErrorCode::ModuleInvalidDecision) for an answer
    /// that is none, and those of [`json::read`] for one that is no JSON.
    ///
    /// ```
    /// use adjudicate_core::{Policy, evaluate::{Answered, Member, Panel}};
    /// # let envelope = br#"{"run_id": "r", "workflow_id": "w", "step_id": "s", "evaluate_prompt": "p.v1",
    /// #   "allowed_next_steps": ["ship", "STOP"], "provenance_window": [], "evidence": {"transcript_summary": "",
    /// #   "workspace_diff_summary": " M infra/a.tf", "validation": {"mechanical_outcome": "completed",
    /// #   "exit_codes": {}, "timeouts": []}, "artifacts": [], "policy_events": []}}"#;
    /// let ours = Policy::parse(br#"{"policy": "ours", "version": "1.0.0"}"#)?;
    /// let strict = Policy::parse(br#"{"policy": "strict", "version": "1.0.0", "forbidden_paths": ["infra/**"]}"#)?;
    /// let mut panel = Panel { policy: Some(&ours), ..Panel::default() };
    /// panel.restricting.push(Member::Policy(&strict));
    /// let composed = panel.evaluate(envelope)?;
    /// assert!(composed.starts_with(r#"{"decision":{"status":"unsafe","next_step":"STOP""#));
    ///
    /// // What was answered elsewhere has its say too; who overrides loosens no restriction.
    /// let theirs = Answered { origin: "theirs", answer: &composed };
    /// panel.overriding.push(Member::Policy(&ours));
    /// panel.restricting = vec![Member::Answer(theirs)];
    /// assert!(panel.evaluate(envelope)?.starts_with(r#"{"decision":{"status":"unsafe""#));
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn evaluate(&self, envelope: &[u8]) -> Result<String, Error> {
        let tape = json::read(envelope, Limits::DOCUMENT)?;
        let envelope = Envelope::from_tape(&tape)?;
        let facts = Facts::new(&envelope, tape.root(), self.policy)?;
        let mut composed = match self.answer {
            Some(Answered { origin, answer }) => Said { origin, answer: answer.into() },
            None => Said {
                origin: self.policy.map_or(ENGINE_ORIGIN, Policy::name),
                answer: json::write(&evaluate(&facts)).into(),
            },
        };
        let rounds = [(Composition::Override, &self.overriding), (Composition::Restrict, &self.restricting)];
        for (mode, members) in rounds.into_iter().filter(|(_, members)| !members.is_empty()) {
            let others = members.iter().map(|member| member.ask(&envelope, tape.root()));
            let others = others.collect::<Result<Vec<Said<'_>>, Error>>()?;
            composed.answer = put_together(&facts, &composed, &others, mode)?.into();
        }
        Ok(composed.answer.into_owned())
    }
}

impl<'a> Member<'a> {
    /// What this one makes of the envelope.
    fn ask(&self, envelope: &Envelope<'_>, node: Node<'_>) -> Result<Said<'a>, Error> {
        match *self {
            Self::Policy(policy) => {
                let facts = Facts::new(envelope, node, Some(policy));
                let facts = facts.map_err(|error| error.within(policy.name()))?;
                Ok(Said { origin: policy.name(), answer: json::write(&evaluate(&facts)).into() })
            }
            Self::Answer(Answered { origin, answer }) => Ok(Said { origin, answer: answer.into() }),
        }
    }
}

/// Composes answers, the base's first.
fn put_together(
    facts: &Facts<'_>,
    base: &Said<'_>,
    others: &[Said<'_>],
    mode: Composition,
) -> Result<String, Error> {
    let base_tape = base.tape()?;
    let tapes = others.iter().map(Said::tape).collect::<Result<Vec<Tape<'_>>, Error>>()?;
    let opinions = others.iter().zip(&tapes).map(|(said, tape)| Opinion::read(said.origin, tape.root()));
    let opinions = opinions.collect::<Result<Vec<Opinion<'_>>, Error>>()?;
    let base = Opinion::read(base.origin, base_tape.root())?;
    Ok(json::write(&compose(facts, base, opinions, mode)))
}

impl Said<'_> {
    /// The answer, read; it may be larger than any input.
    fn tape(&self) -> Result<Tape<'_>, Error> {
        json::read(self.answer.as_bytes(), Limits::ANSWER)
    }
}
