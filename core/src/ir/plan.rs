//! The types of PlanIR, and how they are written (ADR-0009, normative shape).

use alloc::{borrow::Cow, string::String, vec::Vec};

use adjudicate_lang::json::{
    self, Node,
    object::{Field, Members, write_list},
    write_string,
};

use super::{slot::Slot, verbatim::write_others};
use crate::words::words;

words! {
    /// What a step is for.
    Intent {
        /// To find something out.
        Investigate = "investigate",
        /// To change something.
        Modify = "modify",
        /// To check something.
        Verify = "verify",
        /// To put together what other steps found.
        Synthesize = "synthesize",
    }
}

words! {
    /// How hard the whole of it is.
    Complexity {
        /// Little.
        Low = "low",
        /// Some.
        Medium = "medium",
        /// Much.
        High = "high",
        /// Very much.
        VeryHigh = "very_high",
    }
}

/// A plan in its canonical form (SPEC section 9, ADR-0009): step ids are of the grammar and come once each, what steps depend on
/// is there, and nothing depends on itself.
///
/// ```
/// use adjudicate_core::{ir::PlanIr, json::{self, Limits}};
/// let text = br#"{
///   "analysis": "the parser drops the last line",
///   "steps": [{"id": "find", "description": "find the loop", "intent": "investigate", "target_files": ["src/parse.rs"],
///              "depends_on": [], "max_iterations": 3}],
///   "verification_strategy": {"commands": ["cargo test"], "success_criteria": "all pass", "max_retries": 1},
///   "complexity": "low", "confidence": 0.7
/// }"#;
/// let tape = json::read(text, Limits::DOCUMENT)?;
/// let plan = PlanIr::read(tape.root())?;
/// assert_eq!((plan.steps()[0].id(), plan.steps()[0].max_iterations()), ("find", 3));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PlanIr<'a> {
    pub(super) analysis: &'a str,
    pub(super) steps: Vec<PlanStep<'a>>,
    pub(super) verification: Verification<'a>,
    pub(super) complexity: Complexity,
    pub(super) confidence: f64,
    pub(super) extra: Extra<'a>,
}

/// A step of a plan.
#[derive(Clone, Debug)]
pub struct PlanStep<'a> {
    pub(super) id: Cow<'a, str>,
    pub(super) description: Cow<'a, str>,
    pub(super) intent: Intent,
    pub(super) target_files: Vec<Cow<'a, str>>,
    /// Places of steps in their list, so that names can change without them.
    pub(super) depends_on: Vec<u32>,
    pub(super) max_iterations: u8,
    pub(super) extra: Extra<'a>,
}

/// How it is seen that a plan was carried out.
#[derive(Clone, Debug)]
pub struct Verification<'a> {
    pub(super) commands: Vec<&'a str>,
    pub(super) success_criteria: &'a str,
    pub(super) max_retries: u8,
    pub(super) extra: Extra<'a>,
}

/// What an object has besides its declared members.
#[derive(Clone, Debug)]
pub(super) enum Extra<'a> {
    /// The members of a given object that are not declared.
    Given(Node<'a>, &'static [Field]),
    /// An object to go to `x-source`.
    Source(String),
    /// Nothing.
    Nothing,
}

impl PlanIr<'_> {
    /// What the planner found before it planned.
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
    /// use adjudicate_core::{ir::PlanIr, json::{self, Limits}};
    /// let text = br#"{"analysis": "", "steps": [
    ///   {"id": "a", "description": "", "intent": "verify", "target_files": [], "depends_on": ["b"], "max_iterations": 1},
    ///   {"id": "b", "description": "", "intent": "verify", "target_files": [], "depends_on": [], "max_iterations": 1}
    /// ], "verification_strategy": {"commands": [], "success_criteria": "", "max_retries": 0},
    /// "complexity": "low", "confidence": 1}"#;
    /// let tape = json::read(text, Limits::DOCUMENT)?;
    /// let plan = PlanIr::read(tape.root())?;
    /// assert!(plan.depends_on(&plan.steps()[0]).eq(["b"]));
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn depends_on<'p>(&'p self, step: &'p PlanStep<'_>) -> impl Iterator<Item = &'p str> {
        step.depends_on.iter().map(|place| self.id_at(*place))
    }

    /// How it is seen that the plan was carried out.
    #[must_use]
    pub const fn verification_strategy(&self) -> &Verification<'_> {
        &self.verification
    }

    /// How hard it is.
    #[must_use]
    pub const fn complexity(&self) -> Complexity {
        self.complexity
    }

    /// How sure the planner is, from 0 to 1.
    #[must_use]
    pub const fn confidence(&self) -> f64 {
        self.confidence
    }

    pub(super) fn id_at(&self, place: u32) -> &str {
        self.steps.get(place as usize).map_or("", |step| &step.id)
    }
}

impl PlanStep<'_> {
    /// The id, by which replays and receipts refer to the step: `[A-Za-z0-9][A-Za-z0-9._-]*`, once in a plan.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What is to be done.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// What it is for.
    #[must_use]
    pub const fn intent(&self) -> Intent {
        self.intent
    }

    /// The files that it is expected to touch.
    #[must_use]
    pub fn target_files(&self) -> &[Cow<'_, str>] {
        &self.target_files
    }

    /// How often it may be tried, at least once.
    #[must_use]
    pub const fn max_iterations(&self) -> u8 {
        self.max_iterations
    }
}

impl Verification<'_> {
    /// What to run.
    #[must_use]
    pub fn commands(&self) -> &[&str] {
        &self.commands
    }

    /// What counts as success.
    #[must_use]
    pub const fn success_criteria(&self) -> &str {
        self.success_criteria
    }

    /// How often verification may be repeated.
    #[must_use]
    pub const fn max_retries(&self) -> u8 {
        self.max_retries
    }
}

/// What is written of a plan.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// All of it.
    Whole,
    /// The members of the normative shape.
    Normative,
}

/// How a text of a step, or of the plan, is spelt, if not as the plan has it.
pub(super) type Spelt<'s> = &'s dyn Fn(Option<u32>, Slot) -> Option<&'s str>;

impl PlanIr<'_> {
    /// The plan as JSON: the members of ADR-0009 in its order, then all other members of each object, by name.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write_whole(&mut out);
        out
    }

    /// Writes the plan as JSON.
    pub(super) fn write_whole(&self, out: &mut String) {
        self.write(Scope::Whole, self.confidence, &|_, _| None, out);
    }

    /// Writes the plan as JSON, with another confidence, and with texts that are spelt as `spelt` says where it says something.
    pub(super) fn write(&self, scope: Scope, confidence: f64, spelt: Spelt<'_>, out: &mut String) {
        let complexity = spelt(None, Slot::Complexity).unwrap_or(self.complexity.as_str());
        let mut members = Members::open(out);
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

    fn write_step(&self, place: u32, step: &PlanStep<'_>, scope: Scope, spelt: Spelt<'_>, out: &mut String) {
        let id = |place: u32| spelt(Some(place), Slot::Id).unwrap_or_else(|| self.id_at(place));
        let intent = spelt(Some(place), Slot::Intent).unwrap_or(step.intent.as_str());
        let depends_on: Vec<&str> = step.depends_on.iter().map(|on| id(*on)).collect();
        let mut members = Members::open(out);
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

impl Verification<'_> {
    /// Writes the strategy as JSON.
    pub(super) fn write(&self, scope: Scope, out: &mut String) {
        let mut members = Members::open(out);
        members.texts("commands", &self.commands);
        members.text("success_criteria", Some(self.success_criteria));
        members.count("max_retries", u64::from(self.max_retries));
        write_extra(&self.extra, scope, &mut members);
        members.close();
    }
}

/// Writes what there is besides the normative members, if it is to be written.
pub(super) fn write_extra(extra: &Extra<'_>, scope: Scope, members: &mut Members<'_>) {
    match (scope, extra) {
        (Scope::Whole, Extra::Given(object, declared)) => write_others(*object, declared, members),
        (Scope::Whole, Extra::Source(source)) => members.json("x-source", Some(source)),
        _ => {}
    }
}
