//! The commands about signatures: `keygen`, `sign`, `verify`. They read and write files, and use no store.

mod keygen;
mod report;
mod sign;
mod table;
mod verify;

pub(crate) use keygen::{Keygen, run as keygen};
pub(crate) use report::{KeyPair, SignReport};
pub(crate) use sign::{Sign, run as sign};
pub(crate) use verify::{Verify, run as verify};
