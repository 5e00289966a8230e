//! Several hosts and a real nats-server: `cargo xtask test cluster`.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "in a test, panicking is how to fail; the exemption for tests does not reach their helpers"
)]

mod answers;
mod asker;
#[path = "../../../serve/tests/serve/client.rs"]
#[expect(dead_code, reason = "the tests of the HTTP face use more of it")]
mod client;
mod ends;
mod face;
mod far;
mod hosts;
#[path = "../../../cluster/tests/replay/looping.rs"]
mod looping;
mod made_up;
#[path = "../../../serve/tests/serve/modules.rs"]
#[expect(dead_code, reason = "the tests of the HTTP face use more of it")]
mod modules;
#[path = "../../../cluster/tests/cluster/nats.rs"]
mod nats;
mod outage;
#[path = "../serve/process.rs"]
#[expect(dead_code, reason = "the tests of the HTTP face use more of it")]
mod process;
mod pulling;
mod records;
#[path = "../cli/registry.rs"]
#[expect(dead_code, reason = "the tests of `push` and `pull` use more of it")]
mod registry;
mod replay;
mod swaps;
mod trust;
mod verbs;
