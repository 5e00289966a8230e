//! Replays: the codes of the corpus, laws on random sessions, hostile logs, and the contract.

mod contract;
mod corpus;
mod hostile;
mod laws;
mod session;

use adjudicate_core::{
    Error,
    ir::replay::verify_replay_text,
    json::{self, ReadLimits},
};

/// The answer to a call.
fn verify(call: &str) -> Result<String, Error> {
    verify_replay_text(json::read(call.as_bytes(), ReadLimits::DOCUMENT)?.root())
}
