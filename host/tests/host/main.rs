//! The host against modules of every kind: good, broken, and hostile.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "in a test, panicking is how to fail; the exemption for tests does not reach their helpers"
)]

mod baking;
mod baking_attacks;
mod cache;
mod calls;
#[cfg(unix)]
mod compiler;
mod contracts;
mod crashes;
mod elsewhere;
mod envelopes;
mod full_disk;
mod guests;
mod hostile;
mod kernel;
mod ledger;
mod ledger_model;
mod ledger_refusals;
mod limits;
mod loading;
mod pages;
mod record_forms;
mod records;
mod reevaluation;
mod removal;
mod removal_attacks;
mod replays;
mod rollback_attacks;
mod rollbacks;
mod signatures;
mod signing;
mod slot_attacks;
mod slot_model;
mod slots;
mod tampering;
mod trial;
mod trust;
mod trust_policies;
