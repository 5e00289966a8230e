//! The identity and the signatures of a module, for judging trust; and appending a signature.

use adjudicate_core::Error;
use semver::Version;

use super::section::{self, MAX_SIGNATURES, Signature, SignatureSection, refusal};
use crate::{
    Digest,
    manifest::{self, ModuleName, ModuleVersion},
};

/// The identity and the signatures of a module, for judging trust.
///
/// If the module has signatures, they are over its very bytes. They are not verified: that needs keys, which a [`TrustPolicy`](crate::TrustPolicy)
/// has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credentials {
    digest: Digest,
    content_digest: Digest,
    name: ModuleName,
    version: ModuleVersion,
    signatures: Vec<Signature>,
}

impl Credentials {
    /// Reads the credentials of a module without compiling or running it.
    ///
    /// # Errors
    ///
    /// - [`module_signature`](crate::codes::MODULE_SIGNATURE) for a signature section that is malformed, repeated or not the first
    ///   section, and for a module that was changed after it was signed.
    /// - [`module_malformed`](crate::codes::MODULE_MALFORMED) and [`module_manifest`](crate::codes::MODULE_MANIFEST) as for
    ///   [`manifest::read`].
    ///
    /// ```
    /// use adjudicate_trust::{manifest, signature::Credentials};
    /// let json = r#"{"abi":1,"name":"gate","version":"1.4.0","operations":["evaluate"]}"#;
    /// let module = manifest::append(b"\0asm\x01\0\0\0", json)?;
    /// let credentials = Credentials::read(&module)?;
    /// assert_eq!((credentials.name(), credentials.signatures().len()), ("gate", 0));
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn read(module: &[u8]) -> Result<Self, Error> {
        let parts = section::take_apart(module)?;
        let content_digest = Digest::sha256(parts.content);
        let signatures = match parts.section {
            Some(section) if section.digest != content_digest => return Err(changed()),
            Some(section) => section.signatures,
            None => Vec::new(),
        };
        let manifest = manifest::read(module)?;
        let (name, version) = (manifest.name, manifest.version);
        Ok(Self { digest: Digest::sha256(module), content_digest, name, version, signatures })
    }

    /// The module's identity: the SHA-256 of all its bytes.
    #[must_use]
    pub const fn digest(&self) -> Digest {
        self.digest
    }

    /// The SHA-256 of the signed bytes: all bytes except the first eight and the signature section.
    #[must_use]
    pub const fn content_digest(&self) -> Digest {
        self.content_digest
    }

    /// The name in its manifest.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The version in its manifest.
    #[must_use]
    pub const fn version(&self) -> &Version {
        &self.version.0
    }

    /// Its signatures in their order; none if there is no signature section.
    #[must_use]
    pub fn signatures(&self) -> &[Signature] {
        &self.signatures
    }
}

/// Returns the module with one more signature. Existing signatures stay valid, so several people can sign one after the other. The
/// content digest is the same for all of them. The module's own digest changes.
///
/// `make` gets the message to sign and the existing signatures, and returns the new signature.
///
/// # Errors
///
/// - [`module_signature`](crate::codes::MODULE_SIGNATURE) if the signatures are over other bytes, or if the module has 32
///   signatures, which is the limit.
/// - [`module_malformed`](crate::codes::MODULE_MALFORMED) if the bytes cannot be read section by section.
/// - The errors of `make`.
pub fn append(
    module: &[u8],
    make: impl FnOnce(&[u8], &[Signature]) -> Result<Signature, Error>,
) -> Result<Vec<u8>, Error> {
    let parts = section::take_apart(module)?;
    let digest = Digest::sha256(parts.content);
    let mut section = parts.section.unwrap_or_else(|| SignatureSection { digest, signatures: Vec::new() });
    if section.digest != digest {
        return Err(changed());
    }
    if section.signatures.len() == MAX_SIGNATURES {
        return Err(refusal(&format!("the module has {MAX_SIGNATURES} signatures, which is the limit")));
    }
    let made = make(&section::message(&digest), &section.signatures)?;
    section.signatures.push(made);
    Ok(section.put_before(parts.content))
}

fn changed() -> Error {
    refusal("the signed digest is not the digest of these bytes: the module was changed after it was signed")
}
