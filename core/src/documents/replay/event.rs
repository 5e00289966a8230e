//! The events of a replay as documents. Other fields of an event are ignored, its time too.

use adjudicate_lang::document::Document;

use super::delta::Delta;

/// An event of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// The plan starts.
    PlanStart(PlanStart<'a>),
    /// A tool is called.
    ToolCall(ToolCall<'a>),
    /// A call has ended.
    ToolResult(ToolResult<'a>),
    /// A step has ended.
    StepComplete(StepComplete<'a>),
    /// An event that says nothing about the plan: session data, or a kind that is only carried.
    Session(CarriedEvent),
}

/// The plan starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document)]
#[document(name = "PlanStarted", expecting = "an object", carried)]
pub struct PlanStart<'a> {
    /// The claimed number of steps.
    pub step_count: u64,
    /// The claimed hash of the plan.
    pub plan_hash: Option<&'a str>,
    /// The claimed delta, an integer: how many fewer tests fail.
    pub verification_delta: Option<Delta>,
}

/// A tool is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document)]
#[document(name = "ToolCalled", expecting = "an object", carried)]
pub struct ToolCall<'a> {
    /// The id of the call.
    pub id: &'a str,
    /// The step that the call is made for.
    pub step_id: &'a str,
    /// The claimed delta, an integer: how many fewer tests fail.
    pub verification_delta: Option<Delta>,
}

/// A call has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document)]
#[document(name = "ToolAnswered", expecting = "an object", carried)]
pub struct ToolResult<'a> {
    /// The id of the call.
    pub id: &'a str,
    /// The claimed delta, an integer: how many fewer tests fail.
    pub verification_delta: Option<Delta>,
}

/// A step has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document)]
#[document(name = "StepCompleted", expecting = "an object", carried)]
pub struct StepComplete<'a> {
    /// The id of the step.
    pub step_id: &'a str,
    /// The number of times that the step was tried.
    pub iterations: u64,
    /// The claimed delta, an integer: how many fewer tests fail.
    pub verification_delta: Option<Delta>,
}

/// An event that says nothing about the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document)]
#[document(expecting = "an object", carried)]
pub struct CarriedEvent {
    /// The claimed delta, an integer: how many fewer tests fail.
    pub verification_delta: Option<Delta>,
}

impl Event<'_> {
    /// Returns the delta that the event claims.
    pub(crate) const fn delta(&self) -> Option<Delta> {
        match self {
            Self::PlanStart(event) => event.verification_delta,
            Self::ToolCall(event) => event.verification_delta,
            Self::ToolResult(event) => event.verification_delta,
            Self::StepComplete(event) => event.verification_delta,
            Self::Session(event) => event.verification_delta,
        }
    }
}
