//! The store, slots, records and re-evaluation, with modules of every kind.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "in a test, panicking is how to fail; the exemption for tests does not reach their helpers"
)]

mod baked;
mod crashes;
#[path = "../../sandbox/tests/sandbox/engines.rs"]
mod engines;
mod full_disk;
#[allow(dead_code, reason = "shared with the tests of the sandbox")]
#[path = "../../sandbox/tests/sandbox/guests.rs"]
mod guests;
mod kernel;
mod ledger;
mod ledger_model;
mod ledger_refusals;
mod pages;
mod record_forms;
mod records;
mod reevaluation;
mod removal;
mod removal_attacks;
mod replays;
mod rollback_attacks;
mod rollbacks;
mod slot_attacks;
mod slot_model;
mod slots;
