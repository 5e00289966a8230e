//! The tests of the cluster. Those with the feature `nats-tests` need a nats-server, which they kill and restart with or without its data.
#![expect(
    clippy::unwrap_used,
    reason = "in a test, panicking is how to fail; the exemption for tests does not reach their helpers"
)]
#![cfg_attr(
    feature = "nats-tests",
    expect(
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        reason = "the helpers of these tests panic, too"
    )
)]

mod examples;

#[cfg(feature = "nats-tests")]
mod bed;
#[cfg(feature = "nats-tests")]
mod connecting;
#[cfg(feature = "nats-tests")]
mod following;
#[cfg(feature = "nats-tests")]
mod meddling;
#[cfg(feature = "nats-tests")]
mod nats;
#[cfg(feature = "nats-tests")]
mod objects;
#[cfg(feature = "nats-tests")]
mod permissions;
#[cfg(feature = "nats-tests")]
mod records;
#[cfg(feature = "nats-tests")]
mod replay;
#[cfg(feature = "nats-tests")]
mod replicas;
#[cfg(feature = "nats-tests")]
mod slots;
