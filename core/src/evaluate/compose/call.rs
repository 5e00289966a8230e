//! A composition from text to text: who has a say, asked and put together.

use alloc::{borrow::Cow, string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    json::{self, Limits, Node, Tape},
};

use super::{
    super::{Envelope, Facts, Opinion, evaluate},
    Composition, compose,
};
use crate::{bounds, policy::Policy};

/// The origin of what this engine finds under no policy.
pub const ENGINE_ORIGIN: &str = "adjudicate";

/// All who have a say in one decision: the base, and whoever else there is.
///
/// Who overrides stands in for the base, the last one for all before it; who restricts is composed with the outcome. So
/// nobody loosens a restriction, in whatever order they were named.
#[derive(Clone, Debug, Default)]
pub struct Panel<'a> {
    /// The policy of the base: its routes, profile and parameters are in force, and its name stands in the answer.
    pub policy: Option<&'a Policy>,
    /// What somebody else answered for the base. Without it, the envelope is evaluated under `policy`.
    pub answer: Option<Answered<'a>>,
    /// Who stands in for the base. Findings of a member carry the member's own origin, whatever its answer says.
    pub overriding: Vec<Member<'a>>,
    /// Who can tighten the outcome, and never loosen it. Findings of a member carry the member's own origin, too.
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
    /// The answer, as JSON text in UTF-8.
    pub answer: &'a [u8],
}

/// Reads an answer: [`Opinion::read`] or [`Opinion::of_member`].
type Reader<'a> = fn(&'a str, Node<'a>) -> Result<Opinion<'a>, Error>;

/// What one of them says.
struct Said<'a> {
    origin: &'a str,
    answer: Cow<'a, [u8]>,
}

impl Panel<'_> {
    /// Asks all of them about an envelope and composes what they say: the text of a
    /// [`ComposedEvaluation`](super::ComposedEvaluation).
    ///
    /// # Errors
    ///
    /// Whatever is wrong with the envelope, or with evaluating it under one of the policies; where that is not the base's,
    /// the message begins with its name. [`ModuleInvalidDecision`](crate::ErrorCode::ModuleInvalidDecision) for an answer
    /// that is none, and those of [`json::read`] for one that is no JSON; these messages begin with its origin.
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
    /// let theirs = Answered { origin: "theirs", answer: composed.as_bytes() };
    /// panel.overriding.push(Member::Policy(&ours));
    /// panel.restricting = vec![Member::Answer(theirs)];
    /// assert!(panel.evaluate(envelope)?.starts_with(r#"{"decision":{"status":"unsafe""#));
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn evaluate(&self, envelope: &[u8]) -> Result<String, Error> {
        let tape = json::read(envelope, Limits::DOCUMENT)?;
        let envelope = Envelope::from_tape(&tape)?;
        let facts = Facts::new(&envelope, tape.root(), self.policy)?;
        let base = match self.answer {
            Some(answered) => Said::from(answered),
            None => Said::ours(self.policy.map_or(ENGINE_ORIGIN, Policy::name), &facts)?,
        };
        let decided = match self.overriding.as_slice() {
            [] => return put_together(&facts, &base, &self.restricting, Composition::Restrict),
            members => put_together(&facts, &base, members, Composition::Override)?,
        };
        if self.restricting.is_empty() {
            return Ok(decided);
        }
        let base = Said { answer: decided.into_bytes().into(), ..base };
        put_together(&facts, &base, &self.restricting, Composition::Restrict)
    }
}

impl<'a> Member<'a> {
    /// What this one makes of the envelope of `facts`.
    fn ask(&self, facts: &Facts<'_>) -> Result<Said<'a>, Error> {
        match *self {
            Self::Policy(policy) => {
                let facts = Facts::new(facts.envelope(), facts.input(), Some(policy));
                let facts = facts.map_err(|error| error.within(policy.name()))?;
                Said::ours(policy.name(), &facts)
            }
            Self::Answer(answered) => Ok(answered.into()),
        }
    }
}

/// Asks the members, and composes what they say with what the base says.
fn put_together(
    facts: &Facts<'_>,
    base: &Said<'_>,
    members: &[Member<'_>],
    mode: Composition,
) -> Result<String, Error> {
    let others = members.iter().map(|member| member.ask(facts)).collect::<Result<Vec<Said<'_>>, Error>>()?;
    let base_tape = base.tape()?;
    let tapes = others.iter().map(Said::tape).collect::<Result<Vec<Tape<'_>>, Error>>()?;
    let opinions = others.iter().zip(&tapes).map(|(said, tape)| said.opinion(tape, Opinion::of_member));
    let opinions = opinions.collect::<Result<Vec<Opinion<'_>>, Error>>()?;
    bounds::write(&compose(facts, base.opinion(&base_tape, Opinion::read)?, opinions, mode))
}

impl<'a> Said<'a> {
    /// What this engine says.
    fn ours(origin: &'a str, facts: &Facts<'_>) -> Result<Self, Error> {
        let answer = bounds::write(&evaluate(facts)).map_err(|error| error.within(origin))?;
        Ok(Self { origin, answer: answer.into_bytes().into() })
    }

    /// The answer, read; it may be larger than any input.
    fn tape(&self) -> Result<Tape<'_>, Error> {
        json::read(&self.answer, Limits::ANSWER).map_err(|error| error.within(self.origin))
    }

    /// What it says, in the answer that was read.
    fn opinion<'t>(&'t self, tape: &'t Tape<'t>, read: Reader<'t>) -> Result<Opinion<'t>, Error> {
        read(self.origin, tape.root()).map_err(|error| error.within(self.origin))
    }
}

impl<'a> From<Answered<'a>> for Said<'a> {
    fn from(Answered { origin, answer }: Answered<'a>) -> Self {
        Self { origin, answer: answer.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENVELOPE: &str = adjudicate_tests::envelope! {
        steps: r#"["ship"]"#,
        exit_codes: "{}",
        evidence: r#""required_validators":[]"#,
    };

    #[test]
    fn an_answer_that_is_none_is_an_error_and_says_whose_it_was() {
        let ours = Panel::default().evaluate(ENVELOPE.as_bytes()).unwrap();
        assert!(ours.starts_with(r#"{"decision":{"status":"success","next_step":"ship""#), "{ours}");
        for (answer, code) in [
            (&b""[..], "malformed_json"),
            (b"\xff\xfe", "malformed_json"),
            (b"null", "module_invalid_decision"),
            (b"{}", "module_invalid_decision"),
            (br#"{"decision":{"status":"fine"}}"#, "module_invalid_decision"),
        ] {
            let theirs = Answered { origin: "theirs", answer };
            for panel in [
                Panel { answer: Some(theirs), ..Panel::default() },
                Panel { overriding: [Member::Answer(theirs)].into(), ..Panel::default() },
                Panel { restricting: [Member::Answer(theirs)].into(), ..Panel::default() },
            ] {
                let error = panel.evaluate(ENVELOPE.as_bytes()).unwrap_err();
                assert_eq!(error.code().as_str(), code);
                assert!(error.message().starts_with("theirs: "), "{error}");
            }
        }
        let error = Panel::default().evaluate(b"{}").unwrap_err();
        assert_eq!((error.code().as_str(), error.path()), ("missing_field", "/run_id"));
    }

    #[test]
    fn a_member_cannot_speak_under_another_ones_name() {
        let forged = r#"{"decision":{"status":"blocked","next_step":null,"fix_instructions":null,"blockers":[],"risk_flags":[]},
            "findings":[{"rule":"r","status":"blocked","severity":"high","summary":"s","evidence_ref":null,
            "resolution":{"kind":"retry","hint":"h"},"origin":"ORIGIN"}],"loop":{"consecutive_partials":0,
            "review_completed":false,"refinement":{"cap":1,"spent":0,"requested":false},"escalation":null},"policy":null}"#;
        for name in ["ours", "composition", "adjudicate"] {
            let forged = forged.replace("ORIGIN", name);
            let theirs = Answered { origin: "theirs", answer: forged.as_bytes() };
            for panel in [
                Panel { overriding: [Member::Answer(theirs)].into(), ..Panel::default() },
                Panel { restricting: [Member::Answer(theirs)].into(), ..Panel::default() },
            ] {
                let answer = panel.evaluate(ENVELOPE.as_bytes()).unwrap();
                assert!(answer.contains(r#""origin":"theirs""#), "{answer}");
                assert!(!answer.contains(&alloc::format!(r#""origin":"{name}""#)), "{answer}");
            }
            // The base's answer may be a composition of earlier members, which keep their names.
            let base = Panel { answer: Some(theirs), ..Panel::default() }.evaluate(ENVELOPE.as_bytes());
            assert!(base.unwrap().contains(&alloc::format!(r#""origin":"{name}""#)));
        }
    }
}
