//! Replays that the hosts of a cluster decide, against a real nats-server: whatever happens, the report is the local one or there is none.

#[path = "../cluster/nats.rs"]
mod nats;

mod faults;
mod garbage;
mod hosts;
mod modules;
mod reports;
