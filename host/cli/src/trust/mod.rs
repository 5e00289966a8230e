//! The verbs about trust: `keygen`, `sign`, `verify`. They read and write files; no store is asked.

mod keygen;
mod sign;
mod table;
mod verify;

pub(crate) use keygen::{Keygen, run as keygen};
pub(crate) use sign::{Sign, run as sign};
pub(crate) use verify::{Verify, run as verify};
