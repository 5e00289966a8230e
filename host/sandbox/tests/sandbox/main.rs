//! The sandbox against modules of every kind: good, broken, and baked. Hostile ones are the corpus of `adjudicate-conformance`.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "in a test, panicking is how to fail; the exemption for tests does not reach their helpers"
)]

mod baking;
mod baking_attacks;
mod cache;
mod calls;
#[cfg(unix)]
mod compiler;
mod contracts;
mod engines;
mod guests;
mod limits;
mod loading;
mod trial;
