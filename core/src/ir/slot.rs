//! Slots: the values of a plan that a source may lack, with their pointers.

use alloc::string::String;

use adjudicate_lang::json::Pointer;

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
    /// The pointer to the value in the plan: in a step, or in the plan itself.
    pub(super) fn path(self, step: Option<u32>) -> String {
        pointer_to("/steps", step).into_string() + self.pointer()
    }

    /// The pointer to the value, from the plan or the step.
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
}

/// The pointer to a step in the list at `items`, or the empty pointer.
pub(super) fn pointer_to(items: &str, step: Option<u32>) -> Pointer {
    match step {
        Some(step) => Pointer::new(items).index(step as usize),
        None => Pointer::new(""),
    }
}
