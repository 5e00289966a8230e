//! The cluster, against a real nats-server: a process that is killed, and started again with what it kept or without.

mod bed;
mod connecting;
mod following;
mod meddling;
mod nats;
mod objects;
mod records;
mod slots;
