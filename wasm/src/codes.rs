//! The error codes that the npm package raises around the engine. The tests that write the page of all codes compile this file,
//! too.

adjudicate_core::error_codes! {
    layer "adjudicate-wasm" above None;

    TRAP = "trap" about Module: "the engine itself trapped; the next call has a fresh instance",
        "Report it together with the input, because no input should cause it.";
}
