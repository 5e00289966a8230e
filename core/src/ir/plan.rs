//! The types of PlanIR and their JSON (docs/reference/planir.md).

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use adjudicate_lang::{
    document::Member,
    json::{
        self, Node,
        object::{ObjectWriter, write_list},
        write_string,
    },
};

use super::{slot::Slot, verbatim::write_others};
use crate::documents::plan_ir::{Complexity, StepIntent};

/// A plan in its canonical form (docs/reference/planir.md). Step ids are valid and unique, every dependency exists, and
/// there is no cycle.
///
/// ```
/// use adjudicate_core::{ir::PlanIr, json::{self, ReadLimits}};
/// let text = br#"{
///   "analysis": "the parser drops the last line",
///   "steps": [{"id": "find", "description": "find the loop", "intent": "investigate", "target_files": ["src/parse.rs"],
///              "depends_on": [], "max_iterations": 3}],
///   "verification_strategy": {"commands": ["cargo test"], "success_criteria": "all pass", "max_retries": 1},
///   "complexity": "low", "confidence": 0.7
/// }"#;
/// let tape = json::read(text, ReadLimits::DOCUMENT)?;
/// let plan = PlanIr::read(tape.root())?;
/// assert_eq!((plan.steps()[0].id(), plan.steps()[0].max_iterations()), ("find", 3));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PlanIr<'a> {
    pub(super) analysis: &'a str,
    pub(super) steps: Vec<PlanStep<'a>>,
    pub(super) verification: PlanVerification<'a>,
    pub(super) complexity: Complexity,
    pub(super) confidence: f64,
    pub(super) extra: Extra<'a>,
}

/// A step of a plan.
#[derive(Clone, Debug)]
pub struct PlanStep<'a> {
    pub(super) id: Cow<'a, str>,
    pub(super) description: Cow<'a, str>,
    pub(super) intent: StepIntent,
    pub(super) target_files: Vec<Cow<'a, str>>,
    /// Indices of steps, so that ids can change independently.
    pub(super) depends_on: Vec<u32>,
    pub(super) max_iterations: u8,
    pub(super) extra: Extra<'a>,
}

/// The way to verify that a plan was carried out.
#[derive(Clone, Debug)]
pub struct PlanVerification<'a> {
    pub(super) commands: Vec<&'a str>,
    pub(super) success_criteria: &'a str,
    pub(super) max_retries: u8,
    pub(super) extra: Extra<'a>,
}

/// The fields of an object beyond its declared ones.
#[derive(Clone, Debug)]
pub(super) enum Extra<'a> {
    /// The undeclared fields of a given object.
    Given(Node<'a>, &'static [Member]),
    /// An object to write as `x-source`.
    Source(String),
    /// Nothing.
    Nothing,
}

impl PlanIr<'_> {
    /// The planner's findings before it planned.
    #[must_use]
    pub const fn analysis(&self) -> &str {
        self.analysis
    }

    /// The steps, in their order.
    #[must_use]
    pub fn steps(&self) -> &[PlanStep<'_>] {
        &self.steps
    }

    /// The ids of the steps that a step of this plan depends on, as they are declared.
    ///
    /// ```
    /// use adjudicate_core::{ir::PlanIr, json::{self, ReadLimits}};
    /// let text = br#"{"analysis": "", "steps": [
    ///   {"id": "a", "description": "", "intent": "verify", "target_files": [], "depends_on": ["b"], "max_iterations": 1},
    ///   {"id": "b", "description": "", "intent": "verify", "target_files": [], "depends_on": [], "max_iterations": 1}
    /// ], "verification_strategy": {"commands": [], "success_criteria": "", "max_retries": 0},
    /// "complexity": "low", "confidence": 1}"#;
    /// let tape = json::read(text, ReadLimits::DOCUMENT)?;
    /// let plan = PlanIr::read(tape.root())?;
    /// assert!(plan.depends_on(&plan.steps()[0]).eq(["b"]));
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn depends_on<'p>(&'p self, step: &'p PlanStep<'_>) -> impl Iterator<Item = &'p str> {
        step.depends_on.iter().map(|place| self.id_at(*place))
    }

    /// The way to verify that the plan was carried out.
    #[must_use]
    pub const fn verification_strategy(&self) -> &PlanVerification<'_> {
        &self.verification
    }

    /// The complexity of the plan.
    #[must_use]
    pub const fn complexity(&self) -> Complexity {
        self.complexity
    }

    /// The planner's confidence, from 0 to 1.
    #[must_use]
    pub const fn confidence(&self) -> f64 {
        self.confidence
    }

    pub(super) fn id_at(&self, place: u32) -> &str {
        self.steps.get(place as usize).map_or("", |step| &step.id)
    }

    /// The value in a slot, as JSON.
    pub(super) fn value_of(&self, slot: Slot, step: Option<u32>) -> String {
        let step = step.and_then(|step| self.steps.get(step as usize));
        let strategy = &self.verification;
        let text = match slot {
            Slot::Analysis => self.analysis,
            Slot::Id => step.map_or("", |step| step.id()),
            Slot::Description => step.map_or("", |step| step.description()),
            Slot::Intent => step.map_or("", |step| step.intent().as_str()),
            Slot::SuccessCriteria => strategy.success_criteria,
            Slot::Complexity => self.complexity.as_str(),
            // These are inferred only as empty lists.
            Slot::TargetFiles | Slot::DependsOn | Slot::Commands => return "[]".into(),
            Slot::MaxIterations => return format!("{}", step.map_or(0, |step| step.max_iterations())),
            Slot::MaxRetries => return format!("{}", strategy.max_retries),
            Slot::Confidence => return json::write(&self.confidence),
        };
        let mut out = String::new();
        write_string(text, &mut out);
        out
    }
}

impl PlanStep<'_> {
    /// The id, by which replays and receipts refer to the step: `[A-Za-z0-9][A-Za-z0-9._-]*`, once in a plan.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The work to do.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The purpose of the step.
    #[must_use]
    pub const fn intent(&self) -> StepIntent {
        self.intent
    }

    /// The files that the step is expected to touch.
    #[must_use]
    pub fn target_files(&self) -> &[Cow<'_, str>] {
        &self.target_files
    }

    /// The most tries of the step, at least one.
    #[must_use]
    pub const fn max_iterations(&self) -> u8 {
        self.max_iterations
    }
}

impl PlanVerification<'_> {
    /// The commands to run.
    #[must_use]
    pub fn commands(&self) -> &[&str] {
        &self.commands
    }

    /// The result that counts as success.
    #[must_use]
    pub const fn success_criteria(&self) -> &str {
        self.success_criteria
    }

    /// The most repetitions of the verification.
    #[must_use]
    pub const fn max_retries(&self) -> u8 {
        self.max_retries
    }
}

/// The part of a plan to write.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WriteScope {
    /// All of it.
    Whole,
    /// The fields of the normative shape.
    Normative,
}

/// Returns the original spelling of a text of a step, or of the plan, if it differs.
pub(super) type OriginalSpelling<'s> = &'s dyn Fn(Option<u32>, Slot) -> Option<&'s str>;

impl PlanIr<'_> {
    /// The plan as JSON: the fields of docs/reference/planir.md in its order, then all other fields of each object, by name.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write_whole(&mut out);
        out
    }

    /// Writes the plan as JSON.
    pub(super) fn write_whole(&self, out: &mut String) {
        self.write(WriteScope::Whole, self.confidence, &|_, _| None, out);
    }

    /// Writes the plan as JSON, with another confidence, and with original spellings where `spelt` has one.
    pub(super) fn write(
        &self,
        scope: WriteScope,
        confidence: f64,
        spelt: OriginalSpelling<'_>,
        out: &mut String,
    ) {
        let complexity = spelt(None, Slot::Complexity).unwrap_or(self.complexity.as_str());
        let mut members = ObjectWriter::open(out);
        members.text("analysis", Some(self.analysis));
        members.part("steps", |out| {
            write_list((0..).zip(&self.steps), out, |(place, step), out| {
                self.write_step(place, step, scope, spelt, out);
            });
        });
        members.part("verification_strategy", |out| self.verification.write(scope, out));
        members.text("complexity", Some(complexity));
        members.json("confidence", Some(&json::write(&confidence)));
        write_extra(&self.extra, scope, &mut members);
        members.close();
    }

    fn write_step(
        &self,
        place: u32,
        step: &PlanStep<'_>,
        scope: WriteScope,
        spelt: OriginalSpelling<'_>,
        out: &mut String,
    ) {
        let id = |place: u32| spelt(Some(place), Slot::Id).unwrap_or_else(|| self.id_at(place));
        let intent = spelt(Some(place), Slot::Intent).unwrap_or(step.intent.as_str());
        let depends_on: Vec<&str> = step.depends_on.iter().map(|on| id(*on)).collect();
        let mut members = ObjectWriter::open(out);
        members.text("id", Some(id(place)));
        members.text("description", Some(&step.description));
        members.text("intent", Some(intent));
        members.part("target_files", |out| {
            write_list(&step.target_files, out, |file, out| write_string(file, out));
        });
        members.texts("depends_on", &depends_on);
        members.count("max_iterations", u64::from(step.max_iterations));
        write_extra(&step.extra, scope, &mut members);
        members.close();
    }
}

impl PlanVerification<'_> {
    /// Writes the strategy as JSON.
    pub(super) fn write(&self, scope: WriteScope, out: &mut String) {
        let mut members = ObjectWriter::open(out);
        members.texts("commands", &self.commands);
        members.text("success_criteria", Some(self.success_criteria));
        members.count("max_retries", u64::from(self.max_retries));
        write_extra(&self.extra, scope, &mut members);
        members.close();
    }
}

/// Writes the fields beyond the normative ones, if the scope includes them.
pub(super) fn write_extra(extra: &Extra<'_>, scope: WriteScope, members: &mut ObjectWriter<'_>) {
    match (scope, extra) {
        (WriteScope::Whole, Extra::Given(object, declared)) => write_others(*object, declared, members),
        (WriteScope::Whole, Extra::Source(source)) => members.json("x-source", Some(source)),
        _ => {}
    }
}
