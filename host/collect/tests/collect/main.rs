//! Tests of collections in scratch repositories, with shell scripts as validators.
#![cfg(unix)]
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "in a test, panicking is how to fail; the exemption for tests does not reach their helpers"
)]

mod baseline;
mod crashes;
mod decisions;
mod files;
mod git;
mod hidden;
mod hooks;
mod interceptor;
mod scratch;
mod trees;
