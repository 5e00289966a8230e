//! The error codes of this crate, on top of those of the crates below.
//!
//! Codes about files, permissions and addresses are here because the host and the registry both raise them, and both depend on this
//! crate.

pub use adjudicate_core::codes::*;

adjudicate_core::error_codes! {
    layer "adjudicate-sandbox" above Some(&adjudicate_core::codes::TABLE);

    UNREADABLE_INPUT = "unreadable_input" about Input: "a file or stream could not be read",
        "Check that the source exists and that the process may read it, and try again.";
    UNWRITABLE_OUTPUT = "unwritable_output" about Output: "the answer could not be written",
        "Check that the target accepts writes and has room, and try again.";
    UNAUTHORIZED = "unauthorized" about Usage: "the request has no valid token",
        "Send a valid token as `Authorization: Bearer`. For an OCI registry, log in with `docker login`.";
    FORBIDDEN = "forbidden" about Usage: "the token's role or the source of the request does not permit this",
        "Use a token with the role that the message names. For requests of web pages, start the server with `--origin` or `--host`.";
    NOT_FOUND = "not_found" about Usage: "this address does not exist",
        "Correct the address. A server lists its own under `/openapi.json`.";
    MODULE_MALFORMED = "module_malformed" about Module: "the bytes are not a WebAssembly module this host accepts",
        "Build or download the module again. It must be a core module, not a component.";
    MODULE_TOO_LARGE = "module_too_large" about Module: "the module, or a part of it, is over a static limit",
        "Make the part that the message names smaller, or raise the host's limit if it can be set.";
    MODULE_NEEDS = "module_needs" about Module: "the manifest declares a need above a limit of this host",
        "Raise the host's limit that the path names, or declare a smaller need in the manifest.";
    MODULE_IMPORTS = "module_imports" about Module: "the module imports something",
        "Build the module without imports, for example for a target without WASI.";
    MODULE_EXPORTS = "module_exports" about Module: "an export of the policy interface is missing or has the wrong type",
        "Export the function or memory that the message names, with the type of the interface.";
    MODULE_ABI = "module_abi" about Module: "the module uses a version of the interface that this host does not know",
        "Build the module for version 1 of the interface, or update the host.";
    MODULE_FEATURE = "module_feature" about Module: "the module uses a WebAssembly feature that policy modules may not use",
        "In your compiler, switch off the feature that the message names.";
    MODULE_MEMORY_TYPE = "module_memory_type" about Module: "the module's memory is not one 32-bit memory of its own with a declared maximum",
        "Declare one 32-bit memory with a maximum, for example with the linker's `--max-memory`.";
    MODULE_START = "module_start" about Module: "the module has a start function, which would run before the host sets limits",
        "Move the code of the start function to the export `_initialize`.";
    MODULE_COMPILE = "module_compile" about Module: "the module could not be compiled",
        "Simplify the module, or give its compilation more memory and time.";
    MODULE_INPUT_TOO_LARGE = "module_input_too_large" about Module: "the input is over the limit set for the module",
        "Send a shorter input, or raise `input_bytes`.";
    MODULE_ALLOC_REFUSED = "module_alloc_refused" about Module: "the module did not allocate a buffer for the input",
        "Send a shorter input, or let the module's `adjudicate_alloc` reserve larger buffers.";
    MODULE_OUT_OF_FUEL = "module_out_of_fuel" about Module: "the module used up its fuel",
        "Let the module do less for this input, or raise `fuel`.";
    MODULE_DEADLINE = "module_deadline" about Module: "the module ran past its deadline",
        "Let the module do less for this input, or raise `deadline`.";
    MODULE_MEMORY = "module_memory" about Module: "the module asked for more memory than its limit",
        "Let the module use less memory, or raise `memory_bytes` and the maximum that the module declares.";
    MODULE_STACK = "module_stack" about Module: "the module exhausted its stack",
        "Replace deep recursion in the module by a loop, or raise `stack_bytes`.";
    MODULE_TRAP = "module_trap" about Module: "the module trapped",
        "Correct the module: the message has the reason of the trap.";
    MODULE_BAD_POINTER = "module_bad_pointer" about Module: "the module answered with an address outside of its memory",
        "Correct the module: its reply record and its reply must lie inside of its memory.";
    MODULE_OUTPUT_TOO_LARGE = "module_output_too_large" about Module: "the module's answer is over the limit",
        "Let the module write a shorter answer, or raise `output_bytes`.";
    MODULE_SIGNATURE = "module_signature" about Module: "a signature is malformed, or does not match the bytes, because the module was changed after it was signed",
        "Sign the module again after its last change. If you did not change it, find the cause first.";
    HOST_OVERLOADED = "host_overloaded" about Module: "no instance was free in time",
        "Try again. If it happens often, allow more calls at once or send fewer.";
    HOST_FAULT = "host_fault" about Module: "the host itself failed, for example to reserve memory",
        "Give the host what the message says it lacks, for example memory or threads, and try again.";
}
