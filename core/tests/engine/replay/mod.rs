//! Replays: each sentence of the specification in a row, laws on random sessions, hostile logs, the contract, and the corpus.

mod claims;
mod contract;
mod corpus;
mod hostile;
mod laws;
mod sentences;
mod session;

use adjudicate_core::{
    Error,
    ir::replay::verify_replay_text,
    json::{self, Limits},
};

/// The answer to a call.
fn verify(call: &str) -> Result<String, Error> {
    verify_replay_text(json::read(call.as_bytes(), Limits::DOCUMENT)?.root())
}
