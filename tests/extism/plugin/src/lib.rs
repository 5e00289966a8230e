//! The engine as an Extism plugin: an export for each operation, which takes the bytes of a call and returns the bytes of the reply
//! that the engine module would give.
//!
//! The input is taken by `input_bytes`, which copies it once; a parameter of the function would be copied twice.

use adjudicate_core::{reply, Operation};
use extism_pdk::{input_bytes, plugin_fn, FnResult};

macro_rules! operations {
    ($($export:ident: $operation:ident),* $(,)?) => {$(
        /// This operation, from the bytes of a call to the bytes of a reply.
        #[plugin_fn]
        pub fn $export() -> FnResult<String> {
            Ok(reply(Operation::$operation.call(&input_bytes())))
        }
    )*};
}

// All of them, so that as much is compiled and loaded as of the engine module.
operations! {
    evaluate: Evaluate,
    refine: Refine,
    validate_plan: ValidatePlan,
    merge_diagnostics: MergeDiagnostics,
    observe_output: ObserveOutput,
    apply_guardrails: ApplyGuardrails,
    normalize_plan: NormalizePlan,
    verify_replay: VerifyReplay,
    deliberate: Deliberate,
    check_policy: CheckPolicy,
    explain: Explain,
}
