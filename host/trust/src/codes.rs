//! The error codes of this crate, on top of those of the crates below.
//!
//! Codes about files, permissions and addresses are here because the host and the registry both raise them, and both depend on this
//! crate.

pub use adjudicate_core::codes::*;

adjudicate_core::error_codes! {
    layer "adjudicate-trust" above Some(&adjudicate_core::codes::TABLE);

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
    HOST_FAULT = "host_fault" about Module: "the host itself failed, for example to reserve memory",
        "Give the host what the message says it lacks, for example memory or threads, and try again.";
    MODULE_MALFORMED = "module_malformed" about Module: "the bytes are not a WebAssembly module this host accepts",
        "Build or download the module again. It must be a core module, not a component.";
    MODULE_TOO_LARGE = "module_too_large" about Module: "the module, or a part of it, is over a static limit",
        "Make the part that the message names smaller, or raise the host's limit if it can be set.";
    MODULE_SIGNATURE = "module_signature" about Module: "a signature is malformed, or does not match the bytes, because the module was changed after it was signed",
        "Sign the module again after its last change. If you did not change it, find the cause first.";
    MODULE_UNSIGNED = "module_unsigned" about Module: "the module has no signature, and signatures are required",
        "Sign the module with a trusted key, or pass `--allow-unsigned` if you accept it without one.";
    MODULE_UNTRUSTED_KEY = "module_untrusted_key" about Module: "the module is signed, but not by a trusted key",
        "Sign the module with a trusted key, or add its key to the trust policy.";
    MODULE_KEY_EXPIRED = "module_key_expired" about Module: "the module is signed by a trusted key that is not valid now",
        "Sign the module with a key that is valid now, or change the key's dates in the trust policy.";
    MODULE_KEY_REVOKED = "module_key_revoked" about Module: "the module is signed by a key that was revoked",
        "Sign the module with a key that is not revoked.";
    MODULE_BELOW_THRESHOLD = "module_below_threshold" about Module: "fewer trusted keys signed the module than the trust policy requires",
        "Have more trusted keys sign the module, or lower `threshold` in the trust policy.";
    MODULE_NOT_PINNED = "module_not_pinned" about Module: "the module's digest is not pinned, and the trust policy has pins",
        "Use a pinned module, or add the module's digest to `pins` in the trust policy.";
    MODULE_DOWNGRADE = "module_downgrade" about Module: "the module's version is below a version that was active before, or below the minimum that the trust policy accepts",
        "Build the module with a higher version. To return to an earlier one, use `adjudicate rollback`.";
}
