//! The error codes that the command raises. The tests that write the page of all codes compile this file, too.

adjudicate_core::error_codes! {
    layer "adjudicate" above None;

    ENGINE_LOAD = "engine_load" about Module: "the WebAssembly of the engine itself could not be loaded",
        "Put the engine of the same release where the message says. In a web page, allow WebAssembly.";
}
