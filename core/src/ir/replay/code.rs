//! The codes of what a replay is found to be.

use crate::words::words;

words! {
    /// What keeps a replay from being that of its plan (SPEC section 9), in the order of findings with one path.
    ///
    /// The texts never change once released; new codes may come.
    ///
    /// ```
    /// use adjudicate_core::ir::replay::ReplayCode;
    /// assert_eq!(ReplayCode::UnknownStep.as_str(), "unknown_step");
    /// ```
    #[non_exhaustive]
    ReplayCode {
        /// There are more findings than are listed.
        FindingsOmitted = "findings_omitted",
        /// The replay never says that the plan starts.
        NoPlanStart = "no_plan_start",
        /// The replay says again that the plan starts.
        RepeatedPlanStart = "repeated_plan_start",
        /// The plan has another number of steps than the replay says.
        StepCountMismatch = "step_count_mismatch",
        /// The plan has the claimed hash in neither mode.
        PlanHashMismatch = "plan_hash_mismatch",
        /// The claimed hash is the plan's, but of another mode than the first one that is.
        MixedHashModes = "mixed_hash_modes",
        /// The plan has no such step.
        UnknownStep = "unknown_step",
        /// A call of that id was made before.
        RepeatedCall = "repeated_call",
        /// The replay has no result of the call.
        CallWithoutResult = "call_without_result",
        /// The result comes before its call.
        ResultBeforeCall = "result_before_call",
        /// The replay has no call that it is the result of.
        ResultWithoutCall = "result_without_call",
        /// The call had a result before.
        RepeatedResult = "repeated_result",
        /// The step took more iterations than the plan allows.
        IterationsExceeded = "iterations_exceeded",
        /// The tests give another delta than the one that is claimed.
        DeltaMismatch = "delta_mismatch",
        /// A call of the receipt is for a step that the plan does not have.
        ReceiptStepUnknown = "receipt_step_unknown",
        /// The log or the receipt lacks a call of the other, or the receipt lists a call twice.
        ReceiptCallMismatch = "receipt_call_mismatch",
    }
}
