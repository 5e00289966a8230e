//! The corpus: calls and their complete answers, as files. Tests compare every interface with them, byte by byte.
//!
//! This library reads the corpus and handles answers as text. The test binary, `xtask` and the benchmarks share it. Tests of all
//! crates take the smallest envelope from it ([`envelope!`]). The assertions are in the test binary.

pub mod artifacts;
mod composition;
pub mod corpus;
mod envelope;
pub mod generated;
pub mod memory;
pub mod parity;
pub mod text;

pub use composition::Composition;
pub use corpus::{Corpus, Fixture, workspace_root};

/// The examples of the book in Rust run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/start/rust.md")]
pub struct Book;
