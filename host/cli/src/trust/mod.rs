//! The verbs about trust: `keygen`, `sign`, `verify`. They read and write files; no store is asked.

mod keygen;
mod sign;
mod verify;

pub(crate) use keygen::{KeyPair, run as keygen};
pub(crate) use sign::{Report as SignReport, run as sign};
pub(crate) use verify::run as verify;
