//! The codes of what a replay is found to be: one table of text and meaning.

use crate::words::words;

/// Declares the codes with their text and meaning.
macro_rules! replay_codes {
    ($($name:ident = $text:literal: $meaning:literal,)+) => {
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
            ReplayCode { $(#[doc = $meaning] $name = $text,)+ }
        }

        impl ReplayCode {
            /// One sentence on what the code says.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$name => $meaning,)+ }
            }
        }
    };
}

replay_codes! {
    FindingsOmitted = "findings_omitted": "there are more findings than are listed",
    NoPlanStart = "no_plan_start": "the replay never says that the plan starts",
    RepeatedPlanStart = "repeated_plan_start": "the replay says again that the plan starts",
    StepCountMismatch = "step_count_mismatch": "the plan has another number of steps than the replay says",
    PlanHashMismatch = "plan_hash_mismatch": "the plan has the hash that is claimed in no mode",
    MixedHashModes = "mixed_hash_modes": "the plan has the hash that is claimed in another mode than the hash before it",
    UnknownStep = "unknown_step": "the plan has no such step",
    RepeatedCall = "repeated_call": "a call of that id was made before",
    CallWithoutResult = "call_without_result": "the replay has no result of the call",
    ResultBeforeCall = "result_before_call": "the result comes before the call that it is the result of",
    ResultWithoutCall = "result_without_call": "the replay has no call that it is the result of",
    RepeatedResult = "repeated_result": "the call has a result before",
    IterationsExceeded = "iterations_exceeded": "the step took more iterations than the plan allows",
}
