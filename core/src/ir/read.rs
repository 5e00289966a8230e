//! Reading PlanIR: strictly, or with the freedom that whoever imports a plan has (other spellings, ids to be replaced).
//!
//! Errors come in document order; what refers to other steps is looked at when the whole plan has been read.

use alloc::{borrow::Cow, collections::BTreeSet, format, vec::Vec};

use adjudicate_lang::{
    Error,
    json::{
        Kind, Node,
        object::{Field, Form, read_declared, read_items, refuse, required, texts},
        shorten,
    },
};

use super::{
    Complexity, Intent, PlanIr, PlanStep, Verification,
    cycle::{cycle, cycle_error},
    ids::{Ids, is_id},
    plan::Extra,
    spelling::{COMPLEXITY, INTENT},
};
use crate::codes;

/// How many steps a plan may have, so that answers about it stay of a size.
const MAX_STEPS: usize = 100_000;

/// A plan that was read, and how its owner spelt it.
pub(super) struct Draft<'a> {
    pub plan: PlanIr<'a>,
    /// The given intents, step by step.
    pub intents: Vec<&'a str>,
    pub complexity: &'a str,
    /// Whether other spellings are taken, and ids that are to be replaced.
    is_import: bool,
    ids: BTreeSet<&'a str>,
    depends_on: Vec<Node<'a>>,
}

impl<'a> PlanIr<'a> {
    /// Reads a normalised plan: words as they are spelt, ids of the grammar. Members that ADR-0009 does not declare are carried.
    ///
    /// # Errors
    ///
    /// The first in document order, with a pointer that begins at the plan: [`missing_field`](crate::codes::MISSING_FIELD),
    /// [`invalid_value`](crate::codes::INVALID_VALUE) for whatever a member cannot be, for an id that comes twice, and, once all of
    /// the plan has been read, for a dependency that is no step and for steps that depend on each other. [`limit_exceeded`](crate::codes::LIMIT_EXCEEDED) for more than 100,000 steps.
    ///
    /// ```
    /// use adjudicate_core::{ir::PlanIr, json::{self, Limits}};
    /// let text = br#"{"analysis": "", "steps": [
    ///   {"id": "a", "description": "", "intent": "verify", "target_files": [], "depends_on": ["a"], "max_iterations": 1}
    /// ], "verification_strategy": {"commands": [], "success_criteria": "", "max_retries": 0},
    /// "complexity": "low", "confidence": 1}"#;
    /// let tape = json::read(text, Limits::DOCUMENT)?;
    /// let error = PlanIr::read(tape.root()).unwrap_err();
    /// assert_eq!(error.path(), "/steps/0/depends_on/0");
    /// assert_eq!(error.message(), "steps depend on each other in a circle: `a` -> `a`");
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn read(value: Node<'a>) -> Result<Self, Error> {
        Draft::read(value, false).map(|draft| draft.plan)
    }
}

const PLAN: &[Field] = &[
    required("analysis", Form::Text),
    required("steps", Form::List),
    required("verification_strategy", Form::Object),
    required("complexity", Form::Text),
    required("confidence", Form::Any),
];

const STEP: &[Field] = &[
    required("id", Form::Text),
    required("description", Form::Text),
    required("intent", Form::Text),
    required("target_files", Form::List),
    required("depends_on", Form::List),
    required("max_iterations", Form::Any),
];

const VERIFICATION: &[Field] = &[
    required("commands", Form::List),
    required("success_criteria", Form::Text),
    required("max_retries", Form::Any),
];

impl<'a> Draft<'a> {
    /// Reads a plan; the ids of one that is imported stay as they are given.
    pub(super) fn read(value: Node<'a>, is_import: bool) -> Result<Self, Error> {
        let verification = Verification {
            commands: Vec::new(),
            success_criteria: "",
            max_retries: 0,
            extra: Extra::Nothing,
        };
        let plan = PlanIr {
            analysis: "",
            steps: Vec::new(),
            verification,
            complexity: Complexity::Medium,
            confidence: 0.0,
            extra: Extra::Given(value, PLAN),
        };
        let mut draft = Self {
            plan,
            intents: Vec::new(),
            complexity: "",
            is_import,
            ids: BTreeSet::new(),
            depends_on: Vec::new(),
        };
        read_declared(value, PLAN, &mut |at, member| {
            match at {
                0 => draft.plan.analysis = text(member),
                1 => {
                    check_count(member.len())?;
                    read_items(member, &mut |item| draft.read_step(item))?;
                }
                2 => draft.plan.verification = Verification::read(member)?,
                3 => {
                    draft.complexity = text(member);
                    let complexity = Complexity::ALL.get(COMPLEXITY.read(member, draft.is_import)?);
                    draft.plan.complexity = complexity.copied().unwrap_or(draft.plan.complexity);
                }
                _ => draft.plan.confidence = confidence(member)?,
            }
            Ok(())
        })?;
        draft.link()?;
        Ok(draft)
    }

    fn read_step(&mut self, value: Node<'a>) -> Result<(), Error> {
        let mut step = PlanStep {
            id: Cow::Borrowed(""),
            description: Cow::Borrowed(""),
            intent: Intent::Modify,
            target_files: Vec::new(),
            depends_on: Vec::new(),
            max_iterations: 0,
            extra: Extra::Given(value, STEP),
        };
        read_declared(value, STEP, &mut |at, member| {
            match at {
                0 => step.id = Cow::Borrowed(self.read_id(member)?),
                1 => step.description = Cow::Borrowed(text(member)),
                2 => {
                    self.intents.push(text(member));
                    let intent = Intent::ALL.get(INTENT.read(member, self.is_import)?);
                    step.intent = intent.copied().unwrap_or(step.intent);
                }
                3 => step.target_files = strings(member)?.into_iter().map(Cow::Borrowed).collect(),
                4 => {
                    strings(member)?;
                    self.depends_on.push(member);
                }
                _ => step.max_iterations = integer(member, 1)?,
            }
            Ok(())
        })?;
        self.plan.steps.push(step);
        Ok(())
    }

    fn read_id(&mut self, member: Node<'a>) -> Result<&'a str, Error> {
        let id = text(member);
        if !self.is_import && !is_id(id) {
            let message = format!(
                "`{}` is no step id: one is a letter or digit, then letters, digits, `.`, `_` and `-`",
                shorten(id)
            );
            return Err(Error::new(codes::INVALID_VALUE, message));
        }
        if self.ids.insert(id) {
            return Ok(id);
        }
        Err(Error::new(codes::INVALID_VALUE, format!("`{}` is there twice", shorten(id))))
    }

    /// Finds the steps that others depend on.
    fn link(&mut self) -> Result<(), Error> {
        let ids = Ids::of(self.plan.steps.iter().map(|step| given(&step.id)).collect());
        for (place, (step, list)) in self.plan.steps.iter_mut().zip(&self.depends_on).enumerate() {
            read_items(*list, &mut |item| {
                let found = ids.find(text(item));
                step.depends_on.push(found.ok_or_else(|| ids.unknown(text(item), "step"))?);
                Ok(())
            })
            .map_err(|error| at_step(error, place))?;
        }
        let lists: Vec<&[u32]> = self.plan.steps.iter().map(|step| &*step.depends_on).collect();
        let cycle = cycle(&lists);
        let Some(first) = cycle.first().copied() else { return Ok(()) };
        let next = cycle.get(1).unwrap_or(&first);
        let index = lists.get(first as usize).and_then(|list| list.iter().position(|on| on == next));
        let ids: Vec<&str> = cycle.iter().map(|place| self.plan.id_at(*place)).collect();
        let error = cycle_error(&ids).under(&format!("{}", index.unwrap_or_default()));
        Err(at_step(error, first as usize))
    }
}

/// The id that was given, as it was borrowed.
pub(super) fn given<'a>(id: &Cow<'a, str>) -> Option<&'a str> {
    match id {
        Cow::Borrowed(id) => Some(*id),
        Cow::Owned(_) => None,
    }
}

fn at_step(error: Error, place: usize) -> Error {
    error.under("depends_on").under(&format!("{place}")).under("steps")
}

impl<'a> Verification<'a> {
    fn read(value: Node<'a>) -> Result<Self, Error> {
        let extra = Extra::Given(value, VERIFICATION);
        let mut read = Self { commands: Vec::new(), success_criteria: "", max_retries: 0, extra };
        read_declared(value, VERIFICATION, &mut |at, member| {
            match at {
                0 => read.commands = strings(member)?,
                1 => read.success_criteria = text(member),
                _ => read.max_retries = integer(member, 0)?,
            }
            Ok(())
        })?;
        Ok(read)
    }
}

/// Checks that a plan has not too many steps.
pub(super) fn check_count(steps: usize) -> Result<(), Error> {
    if steps <= MAX_STEPS {
        return Ok(());
    }
    Err(Error::new(codes::LIMIT_EXCEEDED, format!("more than {MAX_STEPS} steps")))
}

fn text(member: Node<'_>) -> &str {
    member.as_str().unwrap_or_default()
}

/// The strings of a list of strings.
fn strings(list: Node<'_>) -> Result<Vec<&str>, Error> {
    read_items(list, &mut |item| match item.kind() {
        Kind::String => Ok(()),
        _ => Err(refuse(item, "a string")),
    })?;
    Ok(texts(list))
}

/// An integer of eight bits, at least `least`.
fn integer(member: Node<'_>, least: u8) -> Result<u8, Error> {
    let digits = if member.kind() == Kind::Integer { member.as_number() } else { None };
    digits
        // A sign is none of an integer's.
        .filter(|digits| !digits.starts_with('-'))
        .and_then(|digits| digits.parse().ok())
        .filter(|integer| *integer >= least)
        .ok_or_else(|| refuse(member, &format!("an integer from {least} to 255")))
}

/// A number from 0 to 1.
pub(super) fn confidence(member: Node<'_>) -> Result<f64, Error> {
    member
        .as_f64()
        .filter(|number| (0.0..=1.0).contains(number))
        .ok_or_else(|| refuse(member, "a number from 0 to 1"))
}
