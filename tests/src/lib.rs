//! The corpus: calls and their complete answers, as files that every face is compared with, byte by byte.
//!
//! This library reads the corpus and handles answers as text; it is shared by the test binary, by `xtask` and by
//! the benchmarks. Tests of all crates take the smallest envelope from it ([`envelope!`]). What is asserted lives in the test binary beside it.

pub mod corpus;
mod envelope;
pub mod memory;
pub mod text;

pub use corpus::{Corpus, Fixture, workspace_root};
