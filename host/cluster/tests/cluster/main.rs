//! The cluster, against a real nats-server: a process that is stopped, killed and started again.

mod connecting;
mod nats;
