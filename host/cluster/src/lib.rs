//! A cluster of hosts that share state through NATS (docs/reference/slots.md).
//!
//! Modules are in an object store, slots in a key-value bucket that every host watches, and decision records in a stream.
//!
//! ```text
//! change on a host -> SlotLedger::put: bucket, if nobody was faster -> every host: watch -> Slots::follow
//! module installed -> object store, by its digest -> a host that needs it: verified, judged by its own rules
//! decision record  -> store of the host (which is what callers are told) -> stream, once and in its order
//! ```
//!
//! This crate owns everything about NATS except the endpoints of the service: connecting, the names and settings of buckets and
//! streams, and their content. It does not replicate or elect: the bucket's compare-and-swap makes each change happen once. It
//! does not trust data from NATS: modules are verified by their digests and judged by the host's own rules.

mod cluster;
mod connection;
mod fault;
mod follow;
mod identity;
mod layout;
mod lazy_connection;
mod ledger;
mod records;
mod settings;
mod slot_entry;

pub use cluster::Cluster;
pub use follow::Following;
pub use lazy_connection::LazyConnection;
pub use records::Forwarding;
pub use settings::ClusterSettings;
