//! The language crate through its public interface: one binary, one folder per subject.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "the whole binary is tests: to panic is how they fail"
)]

mod logic;
mod schema;
