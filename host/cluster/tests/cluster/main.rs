//! The cluster, against a real nats-server: a process that is killed, and started again with what it kept or without.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "in a test, panicking is how to fail; the exemption for tests does not reach their helpers"
)]

mod bed;
mod connecting;
mod following;
mod meddling;
mod nats;
mod objects;
mod permissions;
mod records;
mod replicas;
mod slots;
