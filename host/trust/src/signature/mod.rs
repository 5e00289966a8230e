//! The signature section of a module: reads it, compares it with the module's bytes, and writes it, without keys.
//!
//! A signature alone proves nothing: a [`TrustPolicy`](crate::TrustPolicy) judges the signers.

mod credentials;
mod section;

pub use credentials::{Credentials, append};
pub use section::{KeyId, MAX_SECTION_BYTES, MAX_SIGNATURES, SECTION, Signature, message, refusal};
