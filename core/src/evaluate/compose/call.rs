//! A composition from text to text: collects the answers of the base, its overrides and its restrictions, and composes them.

use alloc::{borrow::Cow, string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    json::{self, Node, ReadLimits, Tape},
};

use super::{
    super::{ExternalAnswer, Facts, Judged, evaluate},
    compose,
};
use crate::{
    bounds,
    documents::{envelope::Envelope, evaluation::CompositionMode},
    policy::Policy,
};

/// The origin of findings of this engine without a policy.
pub const ENGINE_ORIGIN: &str = "adjudicate";

/// A call of `evaluate` that a composition answers: a base, its overrides and its restrictions.
///
/// An override replaces the answer of the base and of the overrides before it. Restrictions are composed with the outcome, so no
/// override loosens a restriction, whatever the order of the members.
#[derive(Clone, Debug, Default)]
pub struct ComposedCall<'a> {
    /// The policy of the base: its routes, profile and parameters apply, and the answer has its name.
    pub policy: Option<&'a Policy>,
    /// The external answer of the base. Without it, the engine evaluates the envelope under `policy`.
    pub answer: Option<AnswerText<'a>>,
    /// The overrides: each replaces the base. Findings of a member carry the member's own origin, whatever its answer says.
    pub overrides: Vec<CompositionMember<'a>>,
    /// The restrictions: they make the outcome stricter, never more lenient. Findings of a restriction carry its own origin too.
    pub restrictions: Vec<CompositionMember<'a>>,
}

/// A member of a composition.
#[derive(Clone, Copy, Debug)]
pub enum CompositionMember<'a> {
    /// A policy that this engine evaluates. The member has the policy's name.
    Policy(&'a Policy),
    /// An external answer.
    Answer(AnswerText<'a>),
}

/// The text of an external answer: the answer of another evaluator to `evaluate` with the same envelope.
#[derive(Clone, Copy, Debug)]
pub struct AnswerText<'a> {
    /// The name of the evaluator.
    pub origin: &'a str,
    /// The answer, as JSON text in UTF-8.
    pub answer: &'a [u8],
}

/// Reads an answer: [`ExternalAnswer::read`] or [`ExternalAnswer::from_member`].
type Reader<'a> = fn(&'a str, Node<'a>) -> Result<ExternalAnswer<'a>, Error>;

/// The answer of a member.
struct MemberAnswer<'a> {
    origin: &'a str,
    answer: Cow<'a, [u8]>,
}

impl ComposedCall<'_> {
    /// Evaluates an envelope with all members and composes their answers. Returns the text of a
    /// [`ComposedEvaluation`](super::ComposedEvaluation).
    ///
    /// # Errors
    ///
    /// The errors of the envelope, and of evaluating it under each policy; if the policy is not the base's, the message begins
    /// with its name. [`module_invalid_decision`](crate::codes::MODULE_INVALID_DECISION) for an external answer that breaks the
    /// output contract, and the errors of [`json::read`] for one that is not JSON; these messages begin with its origin.
    ///
    /// ```
    /// use adjudicate_core::{Policy, evaluate::{AnswerText, CompositionMember, ComposedCall}};
    /// # let envelope = br#"{"run_id": "r", "workflow_id": "w", "step_id": "s", "evaluate_prompt": "p.v1",
    /// #   "allowed_next_steps": ["ship", "STOP"], "provenance_window": [], "evidence": {"transcript_summary": "",
    /// #   "workspace_diff_summary": " M infra/a.tf", "validation": {"mechanical_outcome": "completed",
    /// #   "exit_codes": {}, "timeouts": []}, "artifacts": [], "policy_events": []}}"#;
    /// let ours = Policy::parse(br#"{"policy": "ours", "version": "1.0.0"}"#)?;
    /// let strict = Policy::parse(br#"{"policy": "strict", "version": "1.0.0", "forbidden_paths": ["infra/**"]}"#)?;
    /// let mut call = ComposedCall { policy: Some(&ours), ..ComposedCall::default() };
    /// call.restrictions.push(CompositionMember::Policy(&strict));
    /// let composed = call.evaluate(envelope)?;
    /// assert!(composed.starts_with(r#"{"decision":{"status":"unsafe","next_step":"STOP""#));
    ///
    /// // An external answer can restrict, too; an override loosens no restriction.
    /// let theirs = AnswerText { origin: "theirs", answer: composed.as_bytes() };
    /// call.overrides.push(CompositionMember::Policy(&ours));
    /// call.restrictions = vec![CompositionMember::Answer(theirs)];
    /// assert!(call.evaluate(envelope)?.starts_with(r#"{"decision":{"status":"unsafe""#));
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn evaluate(&self, envelope: &[u8]) -> Result<String, Error> {
        let tape = json::read(envelope, ReadLimits::DOCUMENT)?;
        let envelope = Envelope::from_tape(&tape)?;
        let facts = Judged::new(&envelope, self.policy)?;
        let base = match self.answer {
            Some(answered) => MemberAnswer::from(answered),
            None => MemberAnswer::ours(self.policy.map_or(ENGINE_ORIGIN, Policy::name), &facts)?,
        };
        let decided = match self.overrides.as_slice() {
            [] => return compose_members(&facts, &base, &self.restrictions, CompositionMode::Restrict),
            members => compose_members(&facts, &base, members, CompositionMode::Override)?,
        };
        if self.restrictions.is_empty() {
            return Ok(decided);
        }
        let base = MemberAnswer { answer: decided.into_bytes().into(), ..base };
        compose_members(&facts, &base, &self.restrictions, CompositionMode::Restrict)
    }
}

impl<'a> CompositionMember<'a> {
    /// Returns the member's answer to the envelope of `facts`.
    fn ask(&self, facts: &Facts<'_>) -> Result<MemberAnswer<'a>, Error> {
        match *self {
            Self::Policy(policy) => {
                let facts = Judged::new(facts.envelope(), Some(policy));
                let facts = facts.map_err(|error| error.within(policy.name()))?;
                MemberAnswer::ours(policy.name(), &facts)
            }
            Self::Answer(answered) => Ok(answered.into()),
        }
    }
}

/// Composes the answers of members with the answer of the base.
fn compose_members(
    facts: &Facts<'_>,
    base: &MemberAnswer<'_>,
    members: &[CompositionMember<'_>],
    mode: CompositionMode,
) -> Result<String, Error> {
    let others =
        members.iter().map(|member| member.ask(facts)).collect::<Result<Vec<MemberAnswer<'_>>, Error>>()?;
    let base_tape = base.tape()?;
    let tapes = others.iter().map(MemberAnswer::tape).collect::<Result<Vec<Tape<'_>>, Error>>()?;
    let answers =
        others.iter().zip(&tapes).map(|(other, tape)| other.parsed(tape, ExternalAnswer::from_member));
    let answers = answers.collect::<Result<Vec<ExternalAnswer<'_>>, Error>>()?;
    bounds::write(&compose(facts, base.parsed(&base_tape, ExternalAnswer::read)?, answers, mode))
}

impl<'a> MemberAnswer<'a> {
    /// The answer of this engine.
    fn ours(origin: &'a str, facts: &Judged<'_>) -> Result<Self, Error> {
        let answer = bounds::write(&evaluate(facts)).map_err(|error| error.within(origin))?;
        Ok(Self { origin, answer: answer.into_bytes().into() })
    }

    /// Parses the answer, which may be larger than any input.
    fn tape(&self) -> Result<Tape<'_>, Error> {
        json::read(&self.answer, ReadLimits::ANSWER).map_err(|error| error.within(self.origin))
    }

    /// The answer, read from its tape.
    fn parsed<'t>(&'t self, tape: &'t Tape<'t>, read: Reader<'t>) -> Result<ExternalAnswer<'t>, Error> {
        read(self.origin, tape.root()).map_err(|error| error.within(self.origin))
    }
}

impl<'a> From<AnswerText<'a>> for MemberAnswer<'a> {
    fn from(AnswerText { origin, answer }: AnswerText<'a>) -> Self {
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
        let ours = ComposedCall::default().evaluate(ENVELOPE.as_bytes()).unwrap();
        assert!(ours.starts_with(r#"{"decision":{"status":"success","next_step":"ship""#), "{ours}");
        for (answer, code) in [
            (&b""[..], "malformed_json"),
            (b"\xff\xfe", "malformed_json"),
            (b"null", "module_invalid_decision"),
            (b"{}", "module_invalid_decision"),
            (br#"{"decision":{"status":"fine"}}"#, "module_invalid_decision"),
        ] {
            let theirs = AnswerText { origin: "theirs", answer };
            for call in [
                ComposedCall { answer: Some(theirs), ..ComposedCall::default() },
                ComposedCall {
                    overrides: [CompositionMember::Answer(theirs)].into(),
                    ..ComposedCall::default()
                },
                ComposedCall {
                    restrictions: [CompositionMember::Answer(theirs)].into(),
                    ..ComposedCall::default()
                },
            ] {
                let error = call.evaluate(ENVELOPE.as_bytes()).unwrap_err();
                assert_eq!(error.code().as_str(), code);
                assert!(error.message().starts_with("theirs: "), "{error}");
            }
        }
        let error = ComposedCall::default().evaluate(b"{}").unwrap_err();
        assert_eq!((error.code().as_str(), error.path()), ("missing_field", "/run_id"));
    }

    #[test]
    fn a_review_that_is_stale_for_one_policy_completes_nothing() {
        const REVIEWED: &str = adjudicate_tests::envelope! {
            artifacts: r#"["review.json"]"#,
            evidence: r#""tree":"git:1","review":{"artifact_ref":"review.json","issues":[]}"#,
        };
        let policy = |fields: &str| {
            Policy::parse(alloc::format!(r#"{{"policy":"p","version":"1.0.0"{fields}}}"#).as_bytes()).unwrap()
        };
        let (base, strict) = (policy(""), policy(r#","require_tree":true"#));
        let completed = |restrictions: Vec<CompositionMember<'_>>| {
            let call = ComposedCall { policy: Some(&base), restrictions, ..ComposedCall::default() };
            call.evaluate(REVIEWED.as_bytes()).unwrap().contains(r#""review_completed":true"#)
        };
        assert!(completed([CompositionMember::Policy(&base)].into()));
        assert!(!completed([CompositionMember::Policy(&strict)].into()));
    }

    #[test]
    fn a_member_cannot_speak_under_another_ones_name() {
        let forged = r#"{"decision":{"status":"blocked","next_step":null,"fix_instructions":null,"blockers":[],"risk_flags":[]},
            "findings":[{"rule":"r","status":"blocked","severity":"high","summary":"s","evidence_ref":null,
            "resolution":{"kind":"retry","hint":"h"},"origin":"ORIGIN"}],"loop":{"consecutive_partials":0,
            "review_completed":false,"refinement":{"cap":1,"spent":0,"requested":false},"escalation":null},"policy":null}"#;
        for name in ["ours", "composition", "adjudicate"] {
            let forged = forged.replace("ORIGIN", name);
            let theirs = AnswerText { origin: "theirs", answer: forged.as_bytes() };
            for call in [
                ComposedCall {
                    overrides: [CompositionMember::Answer(theirs)].into(),
                    ..ComposedCall::default()
                },
                ComposedCall {
                    restrictions: [CompositionMember::Answer(theirs)].into(),
                    ..ComposedCall::default()
                },
            ] {
                let answer = call.evaluate(ENVELOPE.as_bytes()).unwrap();
                assert!(answer.contains(r#""origin":"theirs""#), "{answer}");
                assert!(!answer.contains(&alloc::format!(r#""origin":"{name}""#)), "{answer}");
            }
            // The base's answer may be a composition of earlier members, which keep their names.
            let base = ComposedCall { answer: Some(theirs), ..ComposedCall::default() }
                .evaluate(ENVELOPE.as_bytes());
            assert!(base.unwrap().contains(&alloc::format!(r#""origin":"{name}""#)));
        }
    }
}
