//! The error codes that the core raises.

pub use adjudicate_lang::codes::*;

adjudicate_lang::error_codes! {
    layer "adjudicate-core" above Some(&adjudicate_lang::codes::TABLE);

    UNSUPPORTED_OPERATION = "unsupported_operation" about Operation: "the engine or module does not offer this operation",
        "Call a module whose manifest lists the operation, or update the engine.";
    INVALID_POLICY = "invalid_policy" about Input: "the policy document has the right form, but its content is invalid",
        "Correct the part of the policy that the path names.";
    WRONG_USAGE = "wrong_usage" about Usage: "the command line or call does not have the documented form",
        "Correct the option or argument that the message names. `--help` lists those of a command.";
    MODULE_MANIFEST = "module_manifest" about Module: "the manifest is missing, malformed, or disagrees with the exports",
        "Correct the manifest at the path, and pack the module again with `adjudicate pack`.";
    MODULE_TESTS = "module_tests" about Module: "a test inside the module does not pass",
        "Correct the module or the test that the message names, and pack the module again.";
    MODULE_NOT_UTF8 = "module_not_utf8" about Module: "the module's answer is not UTF-8",
        "Correct the module: it must write its reply in UTF-8.";
    MODULE_MALFORMED_REPLY = "module_malformed_reply" about Module: "the module's answer is not a reply of the policy interface",
        "Correct the module: it must reply with `ok` alone, or with `error` and a code that modules may report.";
    MODULE_INVALID_DECISION = "module_invalid_decision" about Module: "the module's answer breaks the output contract",
        "Correct the module: the path names the field of its answer that breaks the contract.";
    MODULE_ILLEGAL_NEXT_STEP = "module_illegal_next_step" about Module: "the module chose a next step that is not allowed",
        "Correct the module: it must choose one of the call's `allowed_next_steps`, or null.";
}
