//! The `adjudicate` command, as users and programs run it.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "in a test, panicking is how to fail; the exemption for tests does not reach their helpers"
)]

mod answers;
mod backtest;
mod bench;
mod build;
#[cfg(unix)]
#[path = "../../../serve/tests/serve/client.rs"]
#[expect(dead_code, reason = "the tests of the crate `adjudicate-serve` use more of it")]
mod client;
#[cfg(unix)]
mod collect;
mod command;
#[cfg(unix)]
mod command_cases;
mod commands;
mod compiler;
mod compositions;
mod conformance;
mod corpus;
mod docker_config;
#[cfg(unix)]
mod ecosystems;
mod endless;
mod files;
#[cfg(unix)]
mod full;
mod garbage;
mod hook;
#[cfg(unix)]
mod hook_via;
#[cfg(unix)]
mod mcp;
mod modules;
mod new;
mod plans;
#[cfg(unix)]
#[path = "../servers/process.rs"]
#[expect(dead_code, reason = "the tests of servers use more of it")]
mod process;
mod pulling;
mod pushing;
mod records;
mod reevaluation;
#[cfg(unix)]
mod reference;
mod registry;
mod removal;
mod replays;
mod repository;
mod schemas;
#[cfg(unix)]
mod sessions;
#[cfg(unix)]
mod shell;
mod sign_in;
#[cfg(unix)]
mod store;
mod trust;
mod verdict;
mod watch;
