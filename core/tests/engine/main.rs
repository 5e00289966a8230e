//! The engine from outside: one binary, one folder a subject.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "the whole binary is tests: to panic is how they fail"
)]

mod baseline;
mod check;
mod corpus;
mod deliberate;
mod explain;
mod garbage;
mod guardrail;
mod ir;
mod open_envelope;
mod paths;
mod plan;
mod policy;
mod replay;
mod trees;
