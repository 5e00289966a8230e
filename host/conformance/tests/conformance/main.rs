//! The corpus in this host, and the check of modules against the corpus.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "in a test, panicking is how to fail; the exemption for tests does not reach their helpers"
)]

#[allow(dead_code, reason = "shared with the tests of the sandbox and of the store")]
#[path = "../../../sandbox/tests/sandbox/guests.rs"]
mod guests;
mod hostile;
