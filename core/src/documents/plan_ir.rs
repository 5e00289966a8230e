//! PlanIR as it is on the wire (docs/reference/planir.md): strict, or as an import with other spellings and ids that are replaced.

mod describe;
mod normalized;
mod spelling;

use alloc::{format, vec::Vec};

use adjudicate_lang::{
    Error,
    document::{Document, Reader, Shape},
    json::{Kind, Node, shorten},
};

pub use self::normalized::{
    AdapterReport, InferenceReason, InferredValue, KeptValue, NormalizedPlan, PlanQuality, PlanStartEvent,
    PlanStartKind,
};
pub(crate) use self::spelling::{AdjutantAction, Spelled, SpelledWord};
use crate::codes;

/// The intent of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document)]
#[document(name = "StepIntent")]
#[serde(rename_all = "snake_case")]
pub enum StepIntent {
    /// Find something out.
    Investigate,
    /// Change something.
    Modify,
    /// Check something.
    Verify,
    /// Put together the findings of other steps.
    Synthesize,
}

/// The complexity of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document)]
#[serde(rename_all = "snake_case")]
pub enum Complexity {
    /// Little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
    /// Very much.
    VeryHigh,
}

/// Returns the name of a document in descriptions: an import differs from the canonical form in its words and ids.
const fn named(import: bool, draft: &'static str, canonical: &'static str) -> &'static str {
    if import { draft } else { canonical }
}

/// A plan in its canonical form, PlanIR. Other fields are carried and are not part of the hash.
#[derive(Debug, Document)]
#[document(name = named(IMPORT, "PlanIrDraft", "PlanIr"), expecting = "an object", carried)]
pub(crate) struct PlanDocument<'a, const IMPORT: bool> {
    /// The findings of the planner before it planned.
    pub analysis: &'a str,
    /// The steps, in order, at most 100000.
    pub steps: Steps<StepDocument<'a, IMPORT>>,
    /// The way to verify that the plan was carried out.
    pub verification_strategy: VerificationStrategy<'a>,
    /// The complexity of the whole plan.
    pub complexity: SpelledWord<'a, Complexity, IMPORT>,
    /// The confidence of the planner, from 0 to 1.
    pub confidence: Fraction,
    #[document(source)]
    pub object: Node<'a>,
}

/// A step of a plan. Other fields are carried and are not part of the hash.
#[derive(Debug, Document)]
#[document(name = named(IMPORT, "PlanStepDraft", "PlanStep"), expecting = "an object", carried)]
pub(crate) struct StepDocument<'a, const IMPORT: bool> {
    /// The id, by which replays and receipts refer to the step: `[A-Za-z0-9][A-Za-z0-9._-]*`, once in a plan.
    pub id: StepId<'a, IMPORT>,
    /// The work of the step, for example `fix the loop in the parser`.
    pub description: &'a str,
    /// The intent of the step.
    pub intent: SpelledWord<'a, StepIntent, IMPORT>,
    /// The files that the step is expected to touch.
    pub target_files: Vec<&'a str>,
    /// The ids of the steps that come before the step.
    pub depends_on: Vec<&'a str>,
    /// The largest number of times that the step may be tried, from 1 to 255.
    pub max_iterations: Byte<1>,
    #[document(source)]
    pub object: Node<'a>,
}

/// The way to verify that a plan was carried out. Other fields are carried and are not part of the hash.
#[derive(Debug, Document)]
#[document(expecting = "an object", carried)]
pub(crate) struct VerificationStrategy<'a> {
    /// The commands to run, for example `cargo test`.
    pub commands: Vec<&'a str>,
    /// The result that counts as success.
    pub success_criteria: &'a str,
    /// The largest number of times that verification may be repeated, from 0 to 255.
    pub max_retries: Byte<0>,
    #[document(source)]
    pub object: Node<'a>,
}

/// The most steps of a plan, which bounds answers about it.
const MAX_STEPS: usize = 100_000;

/// Notes an error if a plan has too many steps.
pub(crate) fn has_few_steps(count: usize, reader: &mut Reader) -> bool {
    if count > MAX_STEPS {
        reader.note(Error::new(codes::LIMIT_EXCEEDED, format!("more than {MAX_STEPS} steps")));
    }
    count <= MAX_STEPS
}

/// The steps of a plan of any form.
#[derive(Debug)]
pub(crate) struct Steps<T>(pub Vec<T>);

impl<'t, T: Document<'t>> Document<'t> for Steps<T> {
    const SHAPE: Shape = <Vec<T>>::SHAPE;

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        if node.kind() == Kind::Array && !has_few_steps(node.len(), reader) {
            return None;
        }
        Vec::read(node, reader).map(Self)
    }
}

/// Returns true for a step id: `[A-Za-z0-9][A-Za-z0-9._-]*`.
pub(crate) fn is_id(text: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    text.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric()) && text.bytes().all(is_inner)
}

/// The id of a step. An import may have any text, which is replaced.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepId<'a, const IMPORT: bool>(pub &'a str);

impl<'t: 'a, 'a, const IMPORT: bool> Document<'t> for StepId<'a, IMPORT> {
    const SHAPE: Shape = Shape::Text;

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        let id = <&str>::read(node, reader)?;
        if !IMPORT && !is_id(id) {
            let message = format!(
                "`{}` is no step id: one is a letter or digit, then letters, digits, `.`, `_` and `-`",
                shorten(id)
            );
            reader.note(Error::new(codes::INVALID_VALUE, message));
            return None;
        }
        Some(Self(id))
    }
}

/// An integer from `LEAST` to 255.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Byte<const LEAST: u8>(pub u8);

impl<const LEAST: u8> Document<'_> for Byte<LEAST> {
    const SHAPE: Shape = Shape::Count;

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        byte(node, LEAST, reader).map(Self)
    }
}

fn byte(node: Node<'_>, least: u8, reader: &mut Reader) -> Option<u8> {
    let digits = if node.kind() == Kind::Integer { node.as_number() } else { None };
    // Integers of 0 or more have no sign.
    let digits = digits.filter(|digits| !digits.starts_with('-'));
    let byte = digits.and_then(|digits| digits.parse().ok()).filter(|byte| *byte >= least);
    if byte.is_none() {
        reader.refuse(node, &format!("an integer from {least} to 255"));
    }
    byte
}

/// A number from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fraction(pub f64);

impl Document<'_> for Fraction {
    const SHAPE: Shape = Shape::Magnitude;

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        let number = node.as_f64().filter(|number| (0.0..=1.0).contains(number));
        if number.is_none() {
            reader.refuse(node, "a number from 0 to 1");
        }
        number.map(Self)
    }
}

/// The mode of a plan's hash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Document)]
#[serde(rename_all = "snake_case")]
pub enum HashMode {
    /// The confidence is the number that it is read as.
    #[default]
    Canonical,
    /// The confidence was kept as a 32-bit float and widened to write it, as an older program did.
    SerdeF32Compat,
}

/// The form of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document)]
#[serde(rename_all = "snake_case")]
pub enum PlanFormat {
    /// Subtasks, `{id, action, target, instruction}` each: a list of them, or an object with the list, or its JSON text, as
    /// `subtasks`.
    Adjutant,
    /// An object with `implementation_steps`, a list of texts or lines.
    Autopilot,
    /// A plan graph of `nodes` and `edges`.
    PlanGraph,
    /// PlanIR itself.
    #[serde(rename = "planir")]
    PlanIr,
}
