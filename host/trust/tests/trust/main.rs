//! Trust: signatures, policies, and the judgment of modules.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "in a test, panicking is how to fail; the exemption for tests does not reach their helpers"
)]

mod signatures;
mod signing;
mod tampering;
mod trust;
mod trust_policies;
