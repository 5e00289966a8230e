//! The server as a process of its own: what is left of it after an attack, and how it ends.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "in a test, panicking is how to fail; the exemption for tests does not reach their helpers"
)]

mod attacks;
#[path = "../../../serve/tests/serve/client.rs"]
#[expect(dead_code, reason = "the tests of the crate `adjudicate-serve` use more of it")]
mod client;
mod drain;
mod engines;
mod memory;
#[path = "../../../serve/tests/serve/modules.rs"]
#[expect(dead_code, reason = "the tests of the crate `adjudicate-serve` use more of it")]
mod modules;
mod process;
mod soak;
mod tls;
mod tokens;
