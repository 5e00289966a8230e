//! The evaluator envelope as it is on the wire (docs/reference/envelope.md).
//!
//! Types only: this module defines valid values, but not their meaning.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    document::{self, Content, Definition, Describe, Document, Extra, IntoOwned, Reader, Shape, Type},
    json::{Node, Tape, shorten},
    order::SortedMap,
};
use serde::{Serialize, de::IgnoredAny};

use super::{
    evidence::{Evidence, OwnedEvidence},
    outcome::Outcome,
    role::Role,
};
use crate::codes::{self, Status};

/// The input of an EVALUATE step.
#[derive(Clone, Debug, Document)]
#[document(owned(Default), expecting = "an envelope object")]
pub struct Envelope<'a> {
    /// The current run, for example `run-42`.
    pub run_id: &'a str,
    /// The workflow that the run follows, for example `release`.
    pub workflow_id: &'a str,
    /// The EVALUATE step itself, for example `evaluate`.
    pub step_id: &'a str,
    /// The prompt of the step, `id.vN`, for example `release-evaluator.v3`.
    pub evaluate_prompt: PromptReference<'a>,
    /// The steps that may come next, in the workflow's order of preference, for example `publish`.
    pub allowed_next_steps: Vec<&'a str>,
    /// Summaries of the latest steps, oldest first.
    pub provenance_window: Vec<Entry<'a>>,
    /// The evidence of the current step.
    pub evidence: Evidence<'a>,
    /// Earlier EVALUATE results, oldest first. If present, also if empty, they replace the window for all counting.
    #[serde(default)]
    pub evaluate_history: Option<Vec<Entry<'a>>>,
    /// The numbers of refinements that were allowed and spent. Without it, none is spent; under the profile `oa06.1` the history is
    /// counted.
    #[serde(default)]
    #[document(owned)]
    pub refinement: Option<Refinement>,
    /// The opcodes and roles of the allowed next steps, by step id. Entries of other steps are ignored.
    #[serde(default)]
    #[document(owned)]
    pub steps: SortedMap<&'a str, StepInfo>,
    /// For editors: the JSON Schema of the document. It is ignored, whatever it is.
    #[serde(rename = "$schema", default)]
    pub schema: IgnoredAny,
    /// The envelope as it was written, because conditions see the original.
    #[document(source)]
    pub source: Node<'a>,
}

impl<'t> Envelope<'t> {
    /// Reads the envelope that a tape holds.
    ///
    /// # Errors
    ///
    /// The first error in document order, with the path of the field at fault.
    ///
    /// ```
    /// use adjudicate_core::{codes, evaluate::Envelope, json};
    /// let tape = json::read(br#"{"run_id": "r1", "workflow": "w"}"#, json::ReadLimits::DOCUMENT)?;
    /// let error = Envelope::from_tape(&tape).unwrap_err();
    /// assert_eq!((error.code(), error.path()), (codes::UNKNOWN_FIELD, "/workflow"));
    /// assert_eq!(error.message(), "unknown field `workflow`");
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn from_tape(tape: &'t Tape<'_>) -> Result<Self, Error> {
        document::read(tape.root())
    }
}

/// A prompt reference, `id.vN`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromptReference<'a>(pub &'a str);

impl<'t: 'a, 'a> Document<'t> for PromptReference<'a> {
    const SHAPE: Shape = Shape::Text;

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        let text = <&str>::read(node, reader)?;
        let version = text.rsplit_once(".v").filter(|(id, _)| !id.is_empty()).map(|(_, version)| version);
        let is_number = |version: &str| !version.is_empty() && version.bytes().all(|b| b.is_ascii_digit());
        if version.is_some_and(is_number) {
            return Some(Self(text));
        }
        let message = format!("expected a prompt reference `id.vN`, found `{}`", shorten(text));
        reader.note(Error::new(codes::INVALID_VALUE, message));
        None
    }
}

impl Describe for PromptReference<'_> {
    #[inline]
    fn describe() -> Type {
        Type::Named(&PROMPT_REFERENCE)
    }
}

static PROMPT_REFERENCE: Definition = Definition {
    name: "PromptReference",
    source: "adjudicate_core::documents::envelope::PromptReference",
    about: "A prompt reference, `id.vN`, for example `release-evaluator.v3`.",
    content: Content::Type(|| Type::Text { min_length: 0, pattern: r"^[\s\S]+\.v[0-9]+$" }),
    keywords: "",
};

/// A prompt reference, `id.vN`.
pub type OwnedPromptReference = String;

impl<'t> IntoOwned<'t> for PromptReference<'t> {
    type Owned = OwnedPromptReference;

    fn into_owned(self, _: Node<'t>) -> OwnedPromptReference {
        self.0.into()
    }
}

/// The six opcodes of a workflow step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Opcode {
    /// An agent works.
    RunAgent,
    /// Validators run.
    RunValidation,
    /// The evaluator decides.
    Evaluate,
    /// A human decides.
    Gate,
    /// The workspace rolls back to an earlier state.
    Rollback,
    /// The run ends.
    Stop,
}

/// The opcode and role of an allowed next step.
#[derive(Clone, Copy, Debug, Default, Document)]
#[document(owned(Default), expecting = "an object with `opcode` and `role`")]
pub struct StepInfo {
    /// The opcode of the step.
    #[serde(default)]
    pub opcode: Option<Opcode>,
    /// The role it plays, whatever its opcode and name.
    #[serde(default)]
    pub role: Option<Role>,
}

/// Summary of an earlier step, with either `status` or `outcome`. EVALUATE entries have a `status`.
#[derive(Clone, Debug, Document)]
#[document(owned, expecting = "a window entry object", check = "Self::check")]
#[document(schema = r#"{
    "oneOf": [{"required": ["status"]}, {"required": ["outcome"]}],
    "if": {"properties": {"opcode": {"const": "EVALUATE"}}, "required": ["opcode"]},
    "then": {"required": ["status"]}
}"#)]
pub struct Entry<'a> {
    /// The step, for example `implement`.
    pub step_id: &'a str,
    /// The opcode of the step.
    pub opcode: Opcode,
    /// The decision of an EVALUATE step.
    pub status: Option<Status>,
    /// The end of the process of another step: completed, failed, or killed.
    pub outcome: Option<Outcome>,
    /// The diff after the step, as git prints it.
    pub diff_summary: &'a str,
    /// The flags that were raised.
    pub risk_flags: Vec<&'a str>,
    /// The codes of the blockers.
    pub blocker_codes: Vec<&'a str>,
    /// The blockers with the items at fault, if the program keeps them: more exact than `blocker_codes`.
    pub blockers: Option<Vec<EntryBlocker<'a>>>,
    /// The number of failed checks, if the program keeps it.
    pub failures: Option<u64>,
    /// True if the evidence of an EVALUATE step held a review, if the program keeps it.
    pub reviewed: Option<bool>,
}

/// One blocker of an earlier step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document, Serialize)]
#[document(owned, expecting = "an object with `code` and `item`")]
pub struct EntryBlocker<'a> {
    /// The blocker's code.
    pub code: &'a str,
    /// The id, path, event or approval at fault.
    pub item: &'a str,
}

impl Entry<'_> {
    /// The status, if this is the result of an EVALUATE step.
    #[must_use]
    pub fn evaluated(&self) -> Option<Status> {
        self.status.filter(|_| self.opcode == Opcode::Evaluate)
    }

    fn check(&self) -> Result<(), Error> {
        match (self.status, self.outcome) {
            (Some(_), Some(_)) => {
                Err(Error::new(codes::INVALID_VALUE, "an entry has `status` or `outcome`, not both"))
            }
            (None, None) => Err(Error::new(codes::MISSING_FIELD, "missing either `status` or `outcome`")),
            (None, Some(_)) if self.opcode == Opcode::Evaluate => {
                Err(Error::new(codes::MISSING_FIELD, "missing the `status` of an EVALUATE entry"))
            }
            _ => Ok(()),
        }
    }
}

impl OwnedEntry {
    /// Returns the entry of a step that is no evaluation, with its outcome.
    #[must_use]
    pub fn ran(step_id: impl Into<String>, opcode: Opcode, outcome: Outcome) -> Self {
        Self {
            step_id: step_id.into(),
            opcode,
            status: None,
            outcome: Some(outcome),
            diff_summary: String::new(),
            risk_flags: Vec::new(),
            blocker_codes: Vec::new(),
            blockers: None,
            failures: None,
            reviewed: None,
            extra: Extra::new(),
        }
    }
}

/// Refinements allowed and spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document)]
#[document(owned, expecting = "a refinement object")]
pub struct Refinement {
    /// The number of allowed refinements. It can only lower the cap of the policy.
    #[serde(default)]
    pub cap: Option<u64>,
    /// The number of refinements that were made.
    pub spent: u64,
}
