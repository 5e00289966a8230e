//! Replays that the hosts of a cluster decide, against a real nats-server: whatever happens, the report is the local one or there is none.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "in a test, panicking is how to fail; the exemption for tests does not reach their helpers"
)]

#[path = "../cluster/nats.rs"]
mod nats;

mod faults;
mod garbage;
mod hosts;
mod loans;
mod looping;
mod modules;
mod permitted;
mod reports;
