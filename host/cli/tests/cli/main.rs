//! The `adjudicate` binary, run as people and programs run it.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "in a test, panicking is how to fail; the exemption for tests does not reach their helpers"
)]

mod answers;
mod command;
mod garbage;
mod lines;
mod modules;
mod tables;
mod yaml;
