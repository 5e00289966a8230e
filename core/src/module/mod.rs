//! Manifests and replies of policy modules, and their check by a host (docs/reference/modules.md).
//!
//! Owns the reading of both, for every host: the native host, Node and browsers check modules by the same contracts, with the same
//! codes and messages. Does not run modules.

mod digest;
pub mod manifest;
mod reply;

pub use digest::{Digest, hex, unhex};
pub use manifest::{Manifest, check_module_name};
pub use reply::{Answer, Reply, ReplyError, Reported};
