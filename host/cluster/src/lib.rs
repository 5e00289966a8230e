//! What several hosts share through NATS: modules travel through an object store, slots through a bucket of keys and values that
//! every host watches, decision records through a stream, replays through a work queue (SPEC section 14).

pub use settings::Settings;

mod settings;
