//! What several hosts share through NATS: modules travel through an object store, slots through a bucket of keys and values that
//! every host watches, decision records through a stream, replays through a work queue (SPEC section 14).
//!
//! ```text
//! change on a host -> Ledger::put: bucket, if nobody was faster -> every host: watch -> Slots::follow
//! module installed -> object store, by its digest -> a host that needs it: verified, judged by its own rules
//! replay           -> work queue -> hosts decide, as many as there are -> the command compares and reports
//! decision record  -> store of the host (which is what callers are told) -> stream, once and in its order
//! ```
//!
//! Owns everything about NATS but the service's endpoints: how it is reached, what buckets and streams are called and must be
//! like, what is written in them. Nothing here replicates or elects: that a change happens once is a compare-and-swap of the
//! bucket. Nothing that comes from NATS is trusted: modules are verified by their digest and judged by the host's own rules.

mod address;
mod awaited;
mod cluster;
mod connect;
mod connected;
mod fault;
mod follow;
mod identity;
mod layout;
mod ledger;
mod notices;
mod objects;
mod records;
mod replay;
mod settings;
mod slot_entry;
mod threads;

pub use awaited::Awaited;
pub use cluster::Cluster;
pub use follow::Following;
pub use records::Forwarding;
pub use replay::{Replay, ReplayHost, Replayed, Replays, Sources, Worked};
pub use settings::Settings;
