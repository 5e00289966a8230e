//! What a module shows of itself when trust in it is judged; and putting a signature into it.

use adjudicate_core::Error;
use semver::Version;

use super::section::{self, MAX_SIGNATURES, Section, Signature, refusal};
use crate::{digest::Digest, manifest};

/// What a module shows of itself when trust in it is judged.
///
/// That it could be read says that its signatures, if there are any, are about its very bytes. It does not say that
/// any of them is genuine: for that there must be keys, which the trust policy of `adjudicate-host` has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credentials {
    digest: Digest,
    content_digest: Digest,
    name: String,
    version: Version,
    signatures: Vec<Signature>,
}

impl Credentials {
    /// Reads them off a module, without compiling or running it.
    ///
    /// # Errors
    ///
    /// [`module_signature`](crate::codes::MODULE_SIGNATURE) for a signature section that is malformed, not the first section, there twice, or
    /// about other bytes than these: the module was changed after it was signed. [`module_malformed`](crate::codes::MODULE_MALFORMED) and
    /// [`module_manifest`](crate::codes::MODULE_MANIFEST) as [`manifest::read`].
    ///
    /// ```
    /// use adjudicate_sandbox::{manifest, signature::Credentials};
    /// let json = r#"{"abi":1,"name":"gate","version":"1.4.0","operations":["evaluate"]}"#;
    /// let module = manifest::append(b"\0asm\x01\0\0\0", json)?;
    /// let credentials = Credentials::read(&module)?;
    /// assert_eq!((credentials.name(), credentials.signatures().len()), ("gate", 0));
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn read(module: &[u8]) -> Result<Self, Error> {
        let parts = section::take_apart(module)?;
        let content_digest = Digest::of(parts.content);
        let signatures = match parts.section {
            Some(section) if section.digest != content_digest => return Err(changed()),
            Some(section) => section.signatures,
            None => Vec::new(),
        };
        let manifest = manifest::read(module)?;
        let (name, version) = (manifest.name, manifest.version);
        Ok(Self { digest: Digest::of(module), content_digest, name, version, signatures })
    }

    /// The module's identity: the SHA-256 of all its bytes.
    #[must_use]
    pub const fn digest(&self) -> Digest {
        self.digest
    }

    /// The SHA-256 of what is signed, or would be: all bytes but the first eight and the signature section.
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
        &self.version
    }

    /// Its signatures, in its own order; none if it has no signature section.
    #[must_use]
    pub fn signatures(&self) -> &[Signature] {
        &self.signatures
    }
}

/// The module with one more signature. Those that it has stay good, so several people sign one after the other; what
/// is signed, and so the content digest, is the same for all of them. The module's identity changes.
///
/// `make` gets the message that is signed and the signatures that the module has, and returns the new one.
///
/// # Errors
///
/// [`module_signature`](crate::codes::MODULE_SIGNATURE) for a module whose signatures are not about its bytes, or that has as many as it can
/// have (32); [`module_malformed`](crate::codes::MODULE_MALFORMED) for bytes that cannot be walked section by section; those of `make`.
pub fn append(
    module: &[u8],
    make: impl FnOnce(&[u8], &[Signature]) -> Result<Signature, Error>,
) -> Result<Vec<u8>, Error> {
    let parts = section::take_apart(module)?;
    let digest = Digest::of(parts.content);
    let mut section = parts.section.unwrap_or_else(|| Section { digest, signatures: Vec::new() });
    if section.digest != digest {
        return Err(changed());
    }
    if section.signatures.len() == MAX_SIGNATURES {
        return Err(refusal(&format!("the module has {MAX_SIGNATURES} signatures, and can have no more")));
    }
    let made = make(&section::message(&digest), &section.signatures)?;
    section.signatures.push(made);
    Ok(section.put_before(parts.content))
}

fn changed() -> Error {
    refusal("the signed digest is not that of these bytes: the module was changed after it was signed")
}
