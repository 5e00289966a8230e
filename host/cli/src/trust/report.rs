//! The reports of `keygen` and `sign`.

use adjudicate_core::document::Describe;
use adjudicate_sandbox::Digest;
use adjudicate_trust::KeyId;
use serde::Serialize;

use crate::inspect::SignatureJson;

/// The report of a new key pair.
#[derive(Describe, Serialize)]
pub(crate) struct KeyPair {
    /// An entry for `keys` of a trust policy.
    pub(super) key: PolicyKey,
    /// The file of the secret key. Only its owner may read it.
    pub(super) private_file: String,
    /// The file of the public key.
    pub(super) public_file: String,
}

/// The entry of a key in a trust policy.
#[derive(Describe, Serialize)]
pub(super) struct PolicyKey {
    /// The id of the key.
    pub(super) id: KeyId,
    /// The name of the key, for humans.
    #[document(schema = r#"{"minLength": 1}"#)]
    pub(super) name: String,
    /// The public key: `ed25519:` and 64 hexadecimal digits.
    #[document(schema = r#"{"pattern": "^ed25519:[0-9a-f]{64}$"}"#)]
    pub(super) public_key: String,
}

/// The report of a signature.
#[derive(Describe, Serialize)]
pub(crate) struct SignReport {
    /// The file of the signed module, as the arguments name it.
    pub(super) file: String,
    /// The digest of the signed module.
    pub(super) digest: Digest,
    /// The digest that the signatures cover.
    pub(super) content_digest: Digest,
    /// The id of the key that signed.
    pub(super) key: KeyId,
    /// All signatures of the module, in their order. None of them is verified.
    pub(super) signatures: Vec<SignatureJson>,
}
