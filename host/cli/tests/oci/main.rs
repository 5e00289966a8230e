//! `push` and `pull` with a registry that others wrote: the program in `ADJUDICATE_REGISTRY`, which is Debian's
//! `docker-registry`.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "in a test, panicking is how to fail; the exemption for tests does not reach their helpers"
)]

mod access;
mod command;
mod layout;
mod modules;
mod registry;
