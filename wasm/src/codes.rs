//! The codes of errors that the npm package raises around the engine. The crate that writes the page of all codes compiles this
//! file, too.

adjudicate_core::error_codes! {
    layer "adjudicate-wasm" above None;

    TRAP = "trap" about Module: "the engine itself trapped; the next call has a fresh instance",
        "Report it together with the input: no input should do this.";
}
