//! The readers from outside: the corpus of `fixtures/reports`, and properties of all texts.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "the whole binary is tests: to panic is how they fail"
)]

mod collect;
mod collect_properties;
mod corpus;
mod envelope;
mod properties;
