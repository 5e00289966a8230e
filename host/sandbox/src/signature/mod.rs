//! The signature section of a module: read, held against the module's bytes, and written; without any key.
//!
//! That a signature is there proves nothing. `adjudicate-host` has the keys, and judges by a trust policy whether the signatures are
//! enough (its module `trust`, which also has the form of the signature in words).

mod credentials;
mod key_id;
mod section;

pub use credentials::{Credentials, append};
pub use key_id::KeyId;
pub use section::{MAX_SECTION_BYTES, MAX_SIGNATURES, SECTION, Signature, message, refusal};
