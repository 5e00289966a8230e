//! The reports of `keygen` and `sign`.

use serde::Serialize;

use crate::inspect::SignatureJson;

/// The report of a new key pair.
#[derive(Serialize)]
pub(super) struct KeyPair {
    /// An entry for `keys` of a trust policy.
    pub(super) key: PolicyKey,
    pub(super) private_file: String,
    pub(super) public_file: String,
}

#[derive(Serialize)]
pub(super) struct PolicyKey {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) public_key: String,
}

/// The report of a signature.
#[derive(Serialize)]
pub(super) struct SignReport {
    pub(super) file: String,
    pub(super) digest: String,
    pub(super) content_digest: String,
    /// The id of the key that signed.
    pub(super) key: String,
    pub(super) signatures: Vec<SignatureJson>,
}
