//! Reading `fixtures/compose/`: the compositions, and the answer that each must get.

use std::io;

use adjudicate_core::{
    Error, Policy,
    evaluate::{AnswerText, ComposedCall, CompositionMember},
    json::{self, Node, ReadLimits},
};

use crate::{case_file::Case, corpus::read_cases};

/// The folder of the compositions, in `fixtures/`.
pub const COMPOSITIONS: &str = "compose";

/// One composition and its answer.
#[derive(Clone, Debug)]
pub struct Composition {
    /// The name of the case.
    pub name: String,
    /// The call: `{envelope, policy?, override?, restrict?}`.
    pub call: Vec<u8>,
    /// The answer without insignificant white space, or `None` if the case has none yet.
    pub answer: Option<String>,
}

/// A policy or an external answer, as a call gives it.
enum Member {
    Policy(Box<Policy>),
    Answer { origin: String, answer: String },
}

impl Composition {
    /// Reads the compositions of this workspace, in the order of their names.
    ///
    /// # Errors
    ///
    /// If a folder or file cannot be read, or is no case file.
    pub fn read_all() -> io::Result<Vec<Self>> {
        Ok(read_cases(COMPOSITIONS)?.into_iter().map(Self::from).collect())
    }

    /// The native engine's answer, or `{"error": ...}`.
    #[must_use]
    pub fn native_answer(&self) -> String {
        self.evaluate().unwrap_or_else(|error| error.to_json())
    }

    fn evaluate(&self) -> Result<String, Error> {
        let tape = json::read(&self.call, ReadLimits::DOCUMENT)?;
        let call = tape.root();
        let envelope = call.member("envelope").map(json::verbatim).unwrap_or_default();
        let policy = call.member("policy").map(policy).transpose()?;
        let overrides = call.member("override").map(Member::read).transpose()?;
        let restrictions = call.member("restrict").into_iter().flat_map(Node::items).map(Member::read);
        let restrictions = restrictions.collect::<Result<Vec<_>, _>>()?;
        let call = ComposedCall {
            policy: policy.as_ref(),
            answer: None,
            overrides: overrides.iter().map(Member::borrowed).collect(),
            restrictions: restrictions.iter().map(Member::borrowed).collect(),
        };
        call.evaluate(envelope.as_bytes())
    }
}

impl From<Case> for Composition {
    fn from(Case { name, call, answer }: Case) -> Self {
        Self { name, call, answer }
    }
}

impl Member {
    fn read(member: Node<'_>) -> Result<Self, Error> {
        let Some(answer) = member.member("answer") else {
            return Ok(Self::Policy(Box::new(policy(member)?)));
        };
        let origin = member.member("origin").and_then(Node::as_str).unwrap_or_default().to_owned();
        Ok(Self::Answer { origin, answer: json::verbatim(answer) })
    }

    fn borrowed(&self) -> CompositionMember<'_> {
        match self {
            Self::Policy(policy) => CompositionMember::Policy(policy),
            Self::Answer { origin, answer } => {
                CompositionMember::Answer(AnswerText { origin, answer: answer.as_bytes() })
            }
        }
    }
}

fn policy(document: Node<'_>) -> Result<Policy, Error> {
    Policy::parse(json::verbatim(document).as_bytes())
}
