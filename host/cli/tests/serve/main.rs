//! The server over real sockets: what it answers, whom it refuses, and what is left of it after an attack.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "in a test, panicking is how to fail; the exemption for tests does not reach their helpers"
)]

mod admin;
mod attacks;
mod calls;
mod client;
mod documents;
mod drain;
mod engines;
mod frames;
mod limits;
mod loading;
mod memory;
mod modules;
mod pages;
mod process;
mod records;
mod removal;
mod soak;
mod streams;
mod swaps;
mod telemetry;
mod tls;
mod tokens;
mod untaken;
