//! Adapters: what each planner's own form becomes in PlanIR, and how it is given back.
//!
//! An adapter says what it found, step by step; what all of them do alike is done here: steps get their ids, what the source does
//! not say gets its default, and whatever has no slot is kept as it was given, in `x-source`.

use alloc::{borrow::Cow, string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    json::{
        Kind, Node,
        object::{read_items, refuse},
    },
};

use super::{
    Complexity, Intent, PlanIr, PlanStep, Verification,
    ids::{Ids, Renamed},
    plan::Extra,
    read::check_count,
    report::{Normalized, Origin, Reason, Report},
    slot::Slot,
    source::Origins,
};
use crate::words::words;

mod adjutant;
mod autopilot;
mod plan_graph;
mod planir;

pub(super) use plan_graph::{VALIDATION, write_edges};

words! {
    /// The forms of plans that are known.
    Format {
        /// Subtasks, `{id, action, target, instruction}` each: a list of them, or an object with the list, or its JSON text, as
        /// `subtasks`.
        Adjutant = "adjutant",
        /// An object with `implementation_steps`, a list of texts or lines.
        Autopilot = "autopilot",
        /// A plan graph of `nodes` and `edges` (5.9).
        PlanGraph = "plan_graph",
        /// PlanIR itself.
        PlanIr = "planir",
    }
}

impl Format {
    /// The form that a plan seems to have.
    ///
    /// ```
    /// use adjudicate_core::{ir::Format, json::{self, Limits}};
    /// for (plan, format) in [("[]", "adjutant"), (r#"{"nodes": 1}"#, "plan_graph"), (r#"{"node": 1}"#, "planir")] {
    ///     let tape = json::read(plan.as_bytes(), Limits::DOCUMENT)?;
    ///     assert_eq!(Format::detect(tape.root()).as_str(), format);
    /// }
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn detect(plan: Node<'_>) -> Self {
        let has = |name: &str| plan.member(name).is_some();
        match plan.kind() {
            Kind::Array => Self::Adjutant,
            _ if has("subtasks") => Self::Adjutant,
            _ if has("implementation_steps") => Self::Autopilot,
            _ if has("nodes") => Self::PlanGraph,
            _ => Self::PlanIr,
        }
    }
}

/// Brings a plan into its canonical form (SPEC section 9, ADR-0009); `format` is detected where none is named.
///
/// # Errors
///
/// The first in document order, with a pointer that begins at the plan; what refers to other steps is looked at when all of the
/// plan has been read. [`limit_exceeded`](crate::codes::LIMIT_EXCEEDED) for more than 100,000 steps, and for what is nested so deeply
/// that it would be too deep in `x-source`.
///
/// ```
/// use adjudicate_core::{ir::normalize, json::{self, Limits}};
/// let plan = br#"[{"id": "1", "action": "edit", "target": "src/lib.rs", "instruction": "rename it"}]"#;
/// let tape = json::read(plan, Limits::DOCUMENT)?;
/// let normalized = normalize(tape.root(), None)?;
/// assert_eq!(normalized.plan().steps()[0].target_files(), ["src/lib.rs"]);
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn normalize<'a>(plan: Node<'a>, format: Option<Format>) -> Result<Normalized<'a>, Error> {
    let mut normalized = match format.unwrap_or_else(|| Format::detect(plan)) {
        Format::Adjutant => adjutant::read(plan)?.finish(Format::Adjutant)?,
        Format::Autopilot => autopilot::read(plan)?.finish(Format::Autopilot)?,
        Format::PlanGraph => plan_graph::read(plan)?.finish(Format::PlanGraph)?,
        Format::PlanIr => planir::read(plan)?,
    };
    normalized.report.detected(format.is_none());
    Ok(normalized)
}

/// Writes the source of a plan, as the report of its adapter says that it was.
///
/// # Errors
///
/// If what is kept aside is none of an adapter's, with a pointer that begins at the answer.
pub(super) fn write_source(plan: &PlanIr<'_>, origins: &Origins<'_>) -> Result<String, Error> {
    match origins.format {
        Format::Adjutant => adjutant::write(plan, origins),
        Format::Autopilot => autopilot::write(plan, origins),
        Format::PlanGraph => plan_graph::write(plan, origins),
        Format::PlanIr => Ok(planir::write(plan, origins)),
    }
}

/// What an adapter found in a source.
struct Found<'a> {
    source: Node<'a>,
    /// The pointer to the steps in the source.
    items: &'static str,
    /// The member of an item that holds its id.
    id: &'static str,
    analysis: Option<&'a str>,
    steps: Vec<FoundStep<'a>>,
    success_criteria: Option<&'a str>,
    complexity: Option<Complexity>,
    /// The member that holds the complexity, and how it is spelt, if that is not its name.
    spelling: Option<(&'static str, Cow<'a, str>)>,
    confidence: Option<f64>,
    /// The members that the plan gives back.
    used: Vec<&'static str>,
}

impl<'a> Found<'a> {
    fn new(source: Node<'a>, items: &'static str, id: &'static str) -> Self {
        Self {
            source,
            items,
            id,
            analysis: None,
            steps: Vec::new(),
            success_criteria: None,
            complexity: None,
            spelling: None,
            confidence: None,
            used: Vec::new(),
        }
    }

    fn finish(self, format: Format) -> Result<Normalized<'a>, Error> {
        let mut report = Report::new(format, self.items);
        if self.analysis.is_none() {
            report.default(None, Slot::Analysis);
        }
        let ids = Ids::of(self.steps.iter().map(|step| step.id.as_deref()).collect()).settle();
        let mut steps = Vec::with_capacity(self.steps.len());
        for (place, (step, renamed)) in (0..).zip(self.steps.into_iter().zip(ids)) {
            let finished = step.finish(place, renamed, self.id, &mut report);
            steps.push(finished.map_err(|error| report.under_item(error, place))?);
        }
        report.default(None, Slot::Commands);
        if self.success_criteria.is_none() {
            report.default(None, Slot::SuccessCriteria);
        }
        report.default(None, Slot::MaxRetries);
        match (self.complexity, self.spelling) {
            (None, _) => report.default(None, Slot::Complexity),
            (_, Some((name, given))) => {
                report.infer(None, Slot::Complexity, Reason::Alias, Origin::of(name, given));
            }
            _ => {}
        }
        if self.confidence.is_none() {
            report.default(None, Slot::Confidence);
        }
        let extra = report.keep(None, Some(self.source), &self.used)?;
        let verification = Verification {
            // Never guessed.
            commands: Vec::new(),
            success_criteria: self.success_criteria.unwrap_or_default(),
            max_retries: 0,
            extra: Extra::Nothing,
        };
        let complexity = self.complexity.unwrap_or(Complexity::Medium);
        let plan = PlanIr {
            analysis: self.analysis.unwrap_or_default(),
            steps,
            verification,
            complexity,
            confidence: self.confidence.unwrap_or_default(),
            extra,
        };
        Ok(Normalized { plan, report })
    }
}

/// What an adapter found in an item.
#[derive(Default)]
struct FoundStep<'a> {
    /// The item, if it is an object that a pointer leads to.
    source: Option<Node<'a>>,
    id: Option<Cow<'a, str>>,
    description: Option<Cow<'a, str>>,
    /// The member that the description is from and what it says, if that is not where descriptions are.
    derived: Option<(&'static str, Cow<'a, str>)>,
    intent: Option<Intent>,
    /// The member that holds the intent, and how it is spelt, if that is not its name.
    spelling: Option<(&'static str, Cow<'a, str>)>,
    target: Option<Cow<'a, str>>,
    depends_on: Option<Vec<u32>>,
    /// The members that the step gives back, but for the id.
    used: Vec<&'static str>,
}

/// How often a step may be tried where nobody says it.
const MAX_ITERATIONS: u8 = 3;

impl<'a> FoundStep<'a> {
    fn finish(
        mut self,
        place: u32,
        renamed: Option<(String, Renamed)>,
        id_name: &'static str,
        report: &mut Report<'a>,
    ) -> Result<PlanStep<'a>, Error> {
        let step = Some(place);
        let is_in_text = self.source.is_none();
        let origin = |(name, given): (&'static str, Cow<'a, str>)| {
            let origin = Origin::of(name, given);
            if is_in_text { origin.in_text() } else { origin }
        };
        let id = match renamed {
            None => {
                self.used.push(id_name);
                self.id.unwrap_or_default()
            }
            Some((id, renamed)) => {
                let given = self.id.map(|given| origin((id_name, given)));
                report.infer(step, Slot::Id, renamed.reason(), given.unwrap_or_default());
                Cow::Owned(id)
            }
        };
        match (&self.description, self.derived) {
            (None, _) => report.default(step, Slot::Description),
            (_, Some(from)) => report.infer(step, Slot::Description, Reason::Derived, origin(from)),
            _ => {}
        }
        match (self.intent, self.spelling) {
            (None, _) => report.default(step, Slot::Intent),
            (_, Some(from)) => report.infer(step, Slot::Intent, Reason::Alias, origin(from)),
            _ => {}
        }
        if self.target.is_none() {
            report.default(step, Slot::TargetFiles);
        }
        if self.depends_on.is_none() {
            report.default(step, Slot::DependsOn);
        }
        report.default(step, Slot::MaxIterations);
        Ok(PlanStep {
            id,
            description: self.description.unwrap_or_default(),
            intent: self.intent.unwrap_or(Intent::Modify),
            target_files: self.target.into_iter().collect(),
            depends_on: self.depends_on.unwrap_or_default(),
            max_iterations: MAX_ITERATIONS,
            extra: report.keep(step, self.source, &self.used)?,
        })
    }
}

/// Hands the members of an object to `take`, in document order; there are none that it must not have.
///
/// # Errors
///
/// If the value is no object, and the first from `take`, with a pointer that begins at the object.
fn each_member<'a>(
    object: Node<'a>,
    take: &mut dyn FnMut(&'a str, Node<'a>) -> Result<(), Error>,
) -> Result<(), Error> {
    if object.kind() != Kind::Object {
        return Err(refuse(object, "an object"));
    }
    object.members().try_for_each(|(name, member)| take(name, member).map_err(|error| error.under(name)))
}

/// The string that a member is.
fn string(member: Node<'_>) -> Result<&str, Error> {
    member.as_str().ok_or_else(|| refuse(member, "a string"))
}

/// Reads the items of a list of steps.
fn read_steps<'a>(list: Node<'a>, take: &mut dyn FnMut(Node<'a>) -> Result<(), Error>) -> Result<(), Error> {
    if list.kind() != Kind::Array {
        return Err(refuse(list, "a list"));
    }
    check_count(list.len())?;
    read_items(list, take)
}
