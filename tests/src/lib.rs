//! The corpus: calls and their complete answers, in case files. Tests compare every interface with them, byte by byte.
//!
//! This library reads the corpus and handles answers as text. The test binary, `xtask` and the benchmarks share it. Tests of all
//! crates take the smallest envelope from it ([`envelope!`]). The assertions are in the test binary.

pub mod artifacts;
mod case_file;
mod composition;
pub mod corpus;
mod envelope;
pub mod generated;
pub mod memory;
pub mod parity;
pub mod text;
mod workspace;

pub use case_file::{Case, CaseFile, layout_value};
pub use composition::{COMPOSITIONS, Composition};
pub use corpus::{Corpus, Fixture};
pub use workspace::workspace_root;

/// The examples of the book in Rust run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/start/rust.md")]
pub struct Book;
