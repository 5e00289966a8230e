//! Replies of policy modules, and their check by a host (docs/reference/modules.md).
//!
//! Owns the reading of replies, for every host: the native host, Node and browsers check the answers of modules by the same
//! contracts, with the same codes and messages. Does not run modules.

mod reply;

pub use reply::{Answer, Reply, ReplyError, Reported};
