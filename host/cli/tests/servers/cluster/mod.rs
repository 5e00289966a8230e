//! Several hosts and a real nats-server: `cargo xtask test cluster`.
#![expect(clippy::expect_used, reason = "in a test, panicking is how to fail")]

mod answers;
mod commands;
mod delayed_server;
mod hosts;
mod invalid_slots;
#[path = "../../../../cluster/tests/cluster/nats.rs"]
mod nats;
mod nats_client;
mod nats_interface;
mod outage;
mod pulling;
mod records;
#[path = "../../cli/registry.rs"]
#[expect(dead_code, reason = "the tests of `push` and `pull` use more of it")]
mod registry;
mod shutdown;
mod swaps;
mod trust;
