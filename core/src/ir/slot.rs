//! The places of a plan's values that a source need not have: where they are, and what stands there.

use alloc::{format, string::String};

use adjudicate_lang::json::{self, Pointer, write_string};

use super::PlanIr;

/// The places of values that can be inferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    Analysis,
    Id,
    Description,
    Intent,
    TargetFiles,
    DependsOn,
    MaxIterations,
    Commands,
    SuccessCriteria,
    MaxRetries,
    Complexity,
    Confidence,
}

impl Slot {
    /// The pointer to it in the plan: of a step, or of the whole.
    pub(super) fn path(self, step: Option<u32>) -> String {
        pointer_to("/steps", step).into_string() + self.pointer()
    }

    /// The pointer to it, which begins at the plan, or at the step.
    const fn pointer(self) -> &'static str {
        match self {
            Self::Analysis => "/analysis",
            Self::Id => "/id",
            Self::Description => "/description",
            Self::Intent => "/intent",
            Self::TargetFiles => "/target_files",
            Self::DependsOn => "/depends_on",
            Self::MaxIterations => "/max_iterations",
            Self::Commands => "/verification_strategy/commands",
            Self::SuccessCriteria => "/verification_strategy/success_criteria",
            Self::MaxRetries => "/verification_strategy/max_retries",
            Self::Complexity => "/complexity",
            Self::Confidence => "/confidence",
        }
    }

    /// What stands there in a plan, as JSON.
    pub(super) fn value_in(self, plan: &PlanIr<'_>, step: Option<u32>) -> String {
        let step = step.and_then(|step| plan.steps.get(step as usize));
        let strategy = &plan.verification;
        let text = match self {
            Self::Analysis => plan.analysis,
            Self::Id => step.map_or("", |step| step.id()),
            Self::Description => step.map_or("", |step| step.description()),
            Self::Intent => step.map_or("", |step| step.intent().as_str()),
            Self::SuccessCriteria => strategy.success_criteria,
            Self::Complexity => plan.complexity.as_str(),
            // Where these are inferred, they are empty.
            Self::TargetFiles | Self::DependsOn | Self::Commands => return "[]".into(),
            Self::MaxIterations => return format!("{}", step.map_or(0, |step| step.max_iterations())),
            Self::MaxRetries => return format!("{}", strategy.max_retries),
            Self::Confidence => return json::write(&plan.confidence),
        };
        let mut out = String::new();
        write_string(text, &mut out);
        out
    }
}

/// The pointer to a step in the list that `items` points at, or to the whole.
pub(super) fn pointer_to(items: &str, step: Option<u32>) -> Pointer {
    match step {
        Some(step) => Pointer::new(items).index(step as usize),
        None => Pointer::new(""),
    }
}
