//! Reads PlanIR: strictly, or as an import with other spellings and ids to replace.
//!
//! References between steps are checked once the whole plan is read.

use alloc::{borrow::Cow, format, vec::Vec};

use adjudicate_lang::{
    Error,
    document::{self, Document, Reader, Shape},
    json::{Node, shorten},
};

use super::{
    PlanIr, PlanStep, PlanVerification,
    cycle::{cycle, cycle_error},
    ids::Ids,
    plan::Extra,
};
use crate::{
    codes,
    documents::plan_ir::{PlanDocument, StepDocument, VerificationStrategy},
};

/// A plan that was read, with its original spellings.
pub(super) struct SpelledPlan<'a> {
    pub plan: PlanIr<'a>,
    /// The given intents, step by step.
    pub intents: Vec<&'a str>,
    pub complexity: &'a str,
}

impl<'a> PlanIr<'a> {
    /// Reads a normalized plan: exact words, valid ids. Undeclared fields are carried.
    ///
    /// # Errors
    ///
    /// The first error in document order, with up to nine others; paths begin at the plan.
    /// - [`missing_field`](crate::codes::MISSING_FIELD)
    /// - [`invalid_value`](crate::codes::INVALID_VALUE) for a wrong value. In a plan without other errors, also for a repeated id,
    ///   an unknown dependency and a cycle.
    /// - [`limit_exceeded`](crate::codes::LIMIT_EXCEEDED) for more than 100,000 steps.
    ///
    /// ```
    /// use adjudicate_core::{ir::PlanIr, json::{self, ReadLimits}};
    /// let text = br#"{"analysis": "", "steps": [
    ///   {"id": "a", "description": "", "intent": "verify", "target_files": [], "depends_on": ["a"], "max_iterations": 1}
    /// ], "verification_strategy": {"commands": [], "success_criteria": "", "max_retries": 0},
    /// "complexity": "low", "confidence": 1}"#;
    /// let tape = json::read(text, ReadLimits::DOCUMENT)?;
    /// let error = PlanIr::read(tape.root()).unwrap_err();
    /// assert_eq!(error.path(), "/steps/0/depends_on/0");
    /// assert_eq!(error.message(), "steps depend on each other in a circle: `a` -> `a`");
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn read(value: Node<'a>) -> Result<Self, Error> {
        document::read(value)
    }
}

impl<'t: 'a, 'a> Document<'t> for PlanIr<'a> {
    const SHAPE: Shape = PlanDocument::<false>::SHAPE;

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        let plan = PlanDocument::<false>::read(node, reader)?;
        plan.link().map(|draft| draft.plan).map_err(|error| reader.note(error)).ok()
    }
}

impl<'a> SpelledPlan<'a> {
    /// Reads an imported plan; its ids stay as given.
    pub(super) fn import(value: Node<'a>) -> Result<Self, Error> {
        document::read::<PlanDocument<'_, true>>(value)?.link()
    }
}

impl<'a, const IMPORT: bool> PlanDocument<'a, IMPORT> {
    /// Resolves the dependencies.
    fn link(self) -> Result<SpelledPlan<'a>, Error> {
        let (mut steps, mut intents, mut depends_on) = (Vec::new(), Vec::new(), Vec::new());
        for step in self.steps.0 {
            intents.push(step.intent.given);
            depends_on.push(step.depends_on);
            steps.push(PlanStep {
                id: Cow::Borrowed(step.id.0),
                description: Cow::Borrowed(step.description),
                intent: step.intent.value,
                target_files: step.target_files.into_iter().map(Cow::Borrowed).collect(),
                depends_on: Vec::new(),
                max_iterations: step.max_iterations.0,
                extra: Extra::Given(step.object, StepDocument::<false>::SHAPE.members()),
            });
        }
        let verification = self.verification_strategy;
        let mut plan = PlanIr {
            analysis: self.analysis,
            steps,
            verification: PlanVerification {
                commands: verification.commands,
                success_criteria: verification.success_criteria,
                max_retries: verification.max_retries.0,
                extra: Extra::Given(verification.object, VerificationStrategy::SHAPE.members()),
            },
            complexity: self.complexity.value,
            confidence: self.confidence.0,
            extra: Extra::Given(self.object, PlanIr::SHAPE.members()),
        };
        link(&mut plan, &depends_on)?;
        Ok(SpelledPlan { plan, intents, complexity: self.complexity.given })
    }
}

/// Resolves the dependencies by the given ids.
fn link(plan: &mut PlanIr<'_>, depends_on: &[Vec<&str>]) -> Result<(), Error> {
    let ids = Ids::new(plan.steps.iter().map(|step| given(&step.id)).collect());
    if let Some((place, id)) = ids.repeated() {
        let error = Error::new(codes::INVALID_VALUE, format!("`{}` is a duplicate", shorten(id)));
        return Err(error.at(format!("/steps/{place}/id")));
    }
    let at = |error: Error, step: usize, index: usize| error.at(format!("/steps/{step}/depends_on/{index}"));
    for (place, (step, list)) in plan.steps.iter_mut().zip(depends_on).enumerate() {
        for (index, id) in list.iter().enumerate() {
            let found = ids.find(id).ok_or_else(|| at(ids.unknown(id, "step"), place, index));
            step.depends_on.push(found?);
        }
    }
    let lists: Vec<&[u32]> = plan.steps.iter().map(|step| &*step.depends_on).collect();
    let cycle = cycle(&lists);
    let Some(first) = cycle.first().copied() else { return Ok(()) };
    let next = cycle.get(1).unwrap_or(&first);
    let index = lists.get(first as usize).and_then(|list| list.iter().position(|on| on == next));
    let ids: Vec<&str> = cycle.iter().map(|place| plan.id_at(*place)).collect();
    Err(at(cycle_error(&ids), first as usize, index.unwrap_or_default()))
}

/// The given id; a replaced one is owned.
pub(super) fn given<'a>(id: &Cow<'a, str>) -> Option<&'a str> {
    match id {
        Cow::Borrowed(id) => Some(*id),
        Cow::Owned(_) => None,
    }
}
