//! Assertions about the engine and every interface over the corpus: one binary, one module a subject.
//!
//! The library of this package reads the corpus. If an artefact or the `adjudicate` binary is missing, the error names the
//! command that builds it.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "the whole binary is tests: to panic is how they fail"
)]

mod agreement;
mod baked;
mod bounds;
#[cfg(unix)]
mod ci;
mod cli;
mod codes;
mod coverage;
mod engine_module;
mod examples;
mod json;
mod laws;
mod layers;
mod loops;
mod mutation;
mod owned;
mod pages;
mod permissive;
mod policies;
mod reference;
#[cfg(unix)]
mod repositories;
mod revision;
mod runs;
mod sandbox;
mod schemas;
mod sentinel;
mod sources;
mod totality;
mod typescript;
mod vocabulary;
