//! Several hosts and a real nats-server: `cargo xtask test cluster`.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "in a test, panicking is how to fail; the exemption for tests does not reach their helpers"
)]

mod asker;
mod face;
mod far;
#[path = "../../../cluster/tests/cluster/nats.rs"]
mod nats;
mod replay;
