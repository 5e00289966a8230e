//! The guest SDK against the engine: the same words, the same refusals, the same decisions.
#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "the whole binary is tests: to panic is how they fail"
)]

mod generated;
mod parity;
