//! The engine as an Extism plugin. Each operation is an export, which takes the bytes of a call and returns the bytes
//! of the engine module's reply.
//!
//! The plugin reads its input with `input_bytes`, which copies it once. A parameter of the function is copied twice.

use adjudicate_core::{reply, Operation};
use extism_pdk::{input_bytes, plugin_fn, FnResult};

macro_rules! operations {
    ($($export:ident: $operation:ident),* $(,)?) => {$(
        /// Calls this operation with the bytes of a call, and returns the bytes of the reply.
        #[plugin_fn]
        pub fn $export() -> FnResult<String> {
            Ok(reply(Operation::$operation.call(&input_bytes())))
        }
    )*};
}

// All operations, so that the plugin has as much code as the engine module.
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
    facts: Facts,
}
