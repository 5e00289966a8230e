//! Adapters between each planner's own form and PlanIR, in both directions.
//!
//! An adapter reads its form step by step. This module does the rest: it assigns ids, fills in defaults, and keeps every other
//! field in `x-source`.

use alloc::{borrow::Cow, string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    document::{Describe, Type},
    json::{Kind, Node},
};

use super::{
    PlanIr, PlanStep, PlanVerification,
    ids::{Ids, Renamed},
    origins::Origins,
    plan::Extra,
    report::{InferenceSource, NormalizationReport, Normalized},
    slot::Slot,
};
use crate::documents::plan_ir::{Complexity, InferenceReason, PlanDocument, PlanFormat, StepIntent};

mod adjutant;
mod autopilot;
mod plan_graph;
mod planir;

/// A plan in any of the forms, for generators.
pub(super) struct AnyPlan;

impl AnyPlan {
    /// Returns the forms.
    #[inline]
    pub(super) fn forms() -> Vec<Type> {
        Vec::from([
            adjutant::Subtasks::describe(),
            <[adjutant::Subtask<'_>]>::describe(),
            autopilot::AutopilotPlan::describe(),
            plan_graph::GraphOfSteps::describe(),
            PlanDocument::<true>::describe(),
        ])
    }
}

pub(super) use plan_graph::{VALIDATION, write_edges};

impl PlanFormat {
    /// Detects the form of a plan by its fields.
    ///
    /// ```
    /// use adjudicate_core::{ir::PlanFormat, json::{self, ReadLimits}};
    /// for (plan, format) in [("[]", "adjutant"), (r#"{"nodes": 1}"#, "plan_graph"), (r#"{"node": 1}"#, "planir")] {
    ///     let tape = json::read(plan.as_bytes(), ReadLimits::DOCUMENT)?;
    ///     assert_eq!(PlanFormat::detect(tape.root()).as_str(), format);
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

/// Normalizes a plan (docs/reference/planir.md); without `format`, the form is detected.
///
/// # Errors
///
/// The first error in document order, with a pointer that begins at the plan. References between steps are checked once the whole
/// plan is read. [`limit_exceeded`](crate::codes::LIMIT_EXCEEDED) for more than 100,000 steps, and for a field nested too deep
/// for `x-source`.
///
/// ```
/// use adjudicate_core::{ir::normalize, json::{self, ReadLimits}};
/// let plan = br#"[{"id": "1", "action": "edit", "target": "src/lib.rs", "instruction": "rename it"}]"#;
/// let tape = json::read(plan, ReadLimits::DOCUMENT)?;
/// let normalized = normalize(tape.root(), None)?;
/// assert_eq!(normalized.plan().steps()[0].target_files(), ["src/lib.rs"]);
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn normalize<'a>(plan: Node<'a>, format: Option<PlanFormat>) -> Result<Normalized<'a>, Error> {
    let mut normalized = match format.unwrap_or_else(|| PlanFormat::detect(plan)) {
        PlanFormat::Adjutant => adjutant::read(plan)?.finish(PlanFormat::Adjutant)?,
        PlanFormat::Autopilot => autopilot::read(plan)?.finish(PlanFormat::Autopilot)?,
        PlanFormat::PlanGraph => plan_graph::read(plan)?.finish(PlanFormat::PlanGraph)?,
        PlanFormat::PlanIr => planir::read(plan)?,
    };
    normalized.report.detected(format.is_none());
    Ok(normalized)
}

/// Writes the source of a plan, guided by the report of its adapter.
///
/// # Errors
///
/// If a kept field does not fit any adapter, with a pointer that begins at the answer.
pub(super) fn write_source(plan: &PlanIr<'_>, origins: &Origins<'_>) -> Result<String, Error> {
    match origins.format {
        PlanFormat::Adjutant => adjutant::write(plan, origins),
        PlanFormat::Autopilot => autopilot::write(plan, origins),
        PlanFormat::PlanGraph => plan_graph::write(plan, origins),
        PlanFormat::PlanIr => Ok(planir::write(plan, origins)),
    }
}

/// A source as an adapter read it.
struct ParsedSource<'a> {
    source: Node<'a>,
    /// The pointer to the steps in the source.
    items: &'static str,
    /// The field of an item with its id.
    id: &'static str,
    analysis: Option<&'a str>,
    steps: Vec<ParsedStep<'a>>,
    success_criteria: Option<&'a str>,
    complexity: Option<Complexity>,
    /// The field with the complexity, and its spelling if that is an alias.
    spelling: Option<(&'static str, Cow<'a, str>)>,
    confidence: Option<f64>,
    /// The fields that the plan reproduces.
    used: Vec<&'static str>,
}

impl<'a> ParsedSource<'a> {
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

    /// Records if the plan reproduces a field.
    fn use_up(&mut self, name: &'static str, is_given_back: bool) {
        self.used.extend(is_given_back.then_some(name));
    }

    fn finish(self, format: PlanFormat) -> Result<Normalized<'a>, Error> {
        let mut report = NormalizationReport::new(format, self.items);
        if self.analysis.is_none() {
            report.default(None, Slot::Analysis);
        }
        let ids = Ids::new(self.steps.iter().map(|step| step.id.as_deref()).collect()).settle();
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
                report.infer(
                    None,
                    Slot::Complexity,
                    InferenceReason::Alias,
                    InferenceSource::new(name, given),
                );
            }
            _ => {}
        }
        if self.confidence.is_none() {
            report.default(None, Slot::Confidence);
        }
        let extra = report.keep(None, Some(self.source), &self.used)?;
        let verification = PlanVerification {
            // Commands are never guessed.
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

/// An item as an adapter read it.
#[derive(Default)]
struct ParsedStep<'a> {
    /// The item, if it is an object that a pointer leads to.
    source: Option<Node<'a>>,
    id: Option<Cow<'a, str>>,
    description: Option<Cow<'a, str>>,
    /// The field and text of a description that is derived from another field.
    derived: Option<(&'static str, Cow<'a, str>)>,
    intent: Option<StepIntent>,
    /// The field with the intent, and its spelling if that is an alias.
    spelling: Option<(&'static str, Cow<'a, str>)>,
    target: Option<Cow<'a, str>>,
    depends_on: Option<Vec<u32>>,
    /// The fields that the step reproduces, except the id.
    used: Vec<&'static str>,
}

/// The default for the most tries of a step.
const MAX_ITERATIONS: u8 = 3;

impl<'a> ParsedStep<'a> {
    /// Records if the step reproduces a field.
    fn use_up(&mut self, name: &'static str, is_given_back: bool) {
        self.used.extend(is_given_back.then_some(name));
    }

    fn finish(
        mut self,
        place: u32,
        renamed: Option<(String, Renamed)>,
        id_name: &'static str,
        report: &mut NormalizationReport<'a>,
    ) -> Result<PlanStep<'a>, Error> {
        let step = Some(place);
        let is_in_text = self.source.is_none();
        let origin = |(name, given): (&'static str, Cow<'a, str>)| {
            let origin = InferenceSource::new(name, given);
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
            (_, Some(from)) => report.infer(step, Slot::Description, InferenceReason::Derived, origin(from)),
            _ => {}
        }
        match (self.intent, self.spelling) {
            (None, _) => report.default(step, Slot::Intent),
            (_, Some(from)) => report.infer(step, Slot::Intent, InferenceReason::Alias, origin(from)),
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
            intent: self.intent.unwrap_or(StepIntent::Modify),
            target_files: self.target.into_iter().collect(),
            depends_on: self.depends_on.unwrap_or_default(),
            max_iterations: MAX_ITERATIONS,
            extra: report.keep(step, self.source, &self.used)?,
        })
    }
}
