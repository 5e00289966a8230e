//! The codes of what a replay is found to be.

use adjudicate_lang::document::Document;

/// The code of a difference between a replay and its plan, in the order of findings with one path.
///
/// The texts never change once released; new codes may come.
///
/// ```
/// use adjudicate_core::ir::replay::ReplayCode;
/// assert_eq!(ReplayCode::UnknownStep.as_str(), "unknown_step");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReplayCode {
    /// There are more findings than are listed.
    FindingsOmitted,
    /// The replay never says that the plan starts.
    NoPlanStart,
    /// The replay says again that the plan starts.
    RepeatedPlanStart,
    /// The plan has another number of steps than the replay says.
    StepCountMismatch,
    /// The plan has the claimed hash in neither mode.
    PlanHashMismatch,
    /// The claimed hash is the plan's, but of another mode than the first one that is.
    MixedHashModes,
    /// The plan has no such step.
    UnknownStep,
    /// A call of that id was made before.
    RepeatedCall,
    /// The replay has no result of the call.
    CallWithoutResult,
    /// The result comes before its call.
    ResultBeforeCall,
    /// The replay has no call that it is the result of.
    ResultWithoutCall,
    /// The call had a result before.
    RepeatedResult,
    /// The step took more iterations than the plan allows.
    IterationsExceeded,
    /// The tests give another delta than the one that is claimed.
    DeltaMismatch,
    /// A call of the receipt is for a step that the plan does not have.
    ReceiptStepUnknown,
    /// The log or the receipt lacks a call of the other, or the receipt lists a call twice.
    ReceiptCallMismatch,
}
