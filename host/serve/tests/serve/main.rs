//! The server over real sockets, in the process of the test. The tests of the command have those that need a process of its own.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "in a test, panicking is how to fail; the exemption for tests does not reach their helpers"
)]

mod admin;
mod calls;
mod client;
mod documents;
mod frames;
mod hooks;
mod limits;
mod modules;
mod records;
#[cfg(unix)]
mod socket;
mod swaps;
mod telemetry;
