//! The error codes of this crate, on top of those of the crates below.

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
