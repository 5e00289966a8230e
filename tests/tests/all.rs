//! What is asserted over the corpus, of the engine and of every face: one binary, one module a subject.
//!
//! The corpus itself is read by the library beside this; what needs wasmtime is behind the feature `host`. Modules
//! that look at an artefact or at the `adjudicate` binary say which command builds it when it is not there.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "the whole binary is tests: to panic is how they fail"
)]

#[cfg(feature = "host")]
mod agreement;
#[cfg(feature = "host")]
mod baked;
mod bounds;
mod cli;
mod codes;
mod corpus;
mod coverage;
mod engine_module;
mod garbage;
#[cfg(feature = "host")]
mod guests;
mod json;
mod laws;
mod layers;
mod loops;
mod mutation;
mod permissive;
mod policies;
#[cfg(unix)]
mod repositories;
mod revision;
#[cfg(feature = "host")]
mod sandbox;
mod sentinel;
mod sources;
mod totality;
