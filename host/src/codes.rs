//! The error codes of this crate, on top of those of the crates below.

use adjudicate_core::ErrorCode;
pub use adjudicate_sandbox::codes::*;

/// Failures of the network, the disk or the load: at another time the same call or module may succeed. No module causes them.
pub(crate) const PASSING: &[ErrorCode] = &[CLUSTER_FAULT, HOST_FAULT, HOST_OVERLOADED, STORE_FAULT];

/// The codes of modules that cannot be loaded, or are not trusted. Such a module is not active, so no call reaches it.
pub(crate) const LOADING: &[ErrorCode] = &[
    MODULE_MALFORMED,
    MODULE_TOO_LARGE,
    MODULE_MANIFEST,
    MODULE_NEEDS,
    MODULE_IMPORTS,
    MODULE_EXPORTS,
    MODULE_ABI,
    MODULE_FEATURE,
    MODULE_MEMORY_TYPE,
    MODULE_START,
    MODULE_COMPILE,
    MODULE_UNSIGNED,
    MODULE_SIGNATURE,
    MODULE_UNTRUSTED_KEY,
    MODULE_KEY_EXPIRED,
    MODULE_KEY_REVOKED,
    MODULE_BELOW_THRESHOLD,
    MODULE_NOT_PINNED,
    MODULE_DOWNGRADE,
    MODULE_TESTS,
];

adjudicate_core::error_codes! {
    layer "adjudicate-host" above Some(&adjudicate_sandbox::codes::TABLE);

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
    UNKNOWN_SLOT = "unknown_slot" about Usage: "the store has no slot of this name",
        "Correct the name, or create the slot with `adjudicate activate --create`.";
    UNKNOWN_MODULE = "unknown_module" about Usage: "the store has no module of this digest or name",
        "Correct the digest or name, or install the module with `adjudicate install`.";
    UNKNOWN_VERSION = "unknown_version" about Usage: "the slot's history has no such entry, or no entry to roll back to",
        "Name an entry that `adjudicate history` lists, or activate a module.";
    SLOT_EMPTY = "slot_empty" about Module: "no module is active in the slot",
        "Activate a module in the slot.";
    SLOT_CHANGED = "slot_changed" about Usage: "the slot is no longer in the entry that the caller expected; nothing was changed",
        "Read the slot again, and repeat the change if you still want it.";
    IN_USE = "in_use" about Usage: "a slot needs the module; nothing was removed",
        "Take the module out of the slots that the message names, or wait until their retention is over.";
    STORE_FAULT = "store_fault" about Module: "the store could not be opened, read or written",
        "Check the store's directory: its permissions, the free space, and the file that the message names.";
    CLUSTER_FAULT = "cluster_fault" about Module: "the cluster that hosts share cannot be reached, refused a request, or holds unexpected data",
        "Check that the NATS servers run, can be reached, and permit the request that the message names.";
    BROKEN_CHAIN = "broken_chain" about Input: "decision records were changed, removed or put into another order",
        "Restore the records from a copy that verifies, and find the cause of the change.";
}
