//! The error codes of this crate, on top of those of the crates below.

pub use adjudicate_trust::codes::*;

adjudicate_core::error_codes! {
    layer "adjudicate-sandbox" above Some(&adjudicate_trust::codes::TABLE);

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
    HOST_OVERLOADED = "host_overloaded" about Module: "no instance was free in time",
        "Try again. If it happens often, allow more calls at once or send fewer.";
}
