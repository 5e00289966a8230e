//! The command with servers, as processes: its own, a registry, and a nats-server.
//!
//! `cargo xtask test servers`, `cargo xtask test oci` and `cargo xtask test cluster` run them.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "in a test, panicking is how to fail; the exemption for tests does not reach their helpers"
)]

#[path = "../../../serve/tests/serve/client.rs"]
#[expect(dead_code, reason = "the tests of the crate `adjudicate-serve` use more of it")]
mod client;
mod cluster;
#[path = "../cli/command.rs"]
#[expect(dead_code, reason = "the tests without servers use more of it")]
mod command;
#[path = "../../../serve/tests/serve/modules.rs"]
#[expect(dead_code, reason = "the tests of the crate `adjudicate-serve` use more of it")]
mod modules;
mod oci;
mod process;
mod serve;
