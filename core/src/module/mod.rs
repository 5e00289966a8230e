//! What a policy module says, and what a host holds it to (SPEC section 13.1).
//!
//! Owns the reading of replies, which is the same for every host: in the native one, in Node and in browsers a module's
//! answers pass the same contract, and what does not has the same codes and words. Does not own the running of modules.

mod reply;

pub use reply::{Answer, Reply, ReplyError, Reported};
