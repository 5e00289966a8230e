//! What a module shows of itself when trust in it is judged; and signing it.

use adjudicate_core::{Error, ErrorCode};
use semver::Version;

use super::{
    key::{KeyId, SecretKey},
    section::{self, MAX_SIGNATURES, Section, Signature, refusal},
};
use crate::{digest::Digest, manifest};

/// What a module shows of itself when trust in it is judged.
///
/// That it could be read says that its signatures, if there are any, are about its very bytes. It does not say that
/// any of them is genuine: for that there must be keys, which a [`TrustPolicy`](super::TrustPolicy) has.
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
    /// [`ErrorCode::ModuleSignature`] for a signature section that is malformed, not the first section, there twice, or
    /// about other bytes than these: the module was changed after it was signed. [`ErrorCode::ModuleMalformed`] and
    /// [`ErrorCode::ModuleManifest`] as [`manifest::read`].
    ///
    /// ```
    /// use adjudicate_host::{manifest, trust::Credentials};
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
/// # Errors
///
/// [`ErrorCode::ModuleSignature`] for a module whose signatures are not about its bytes, or that has as many as it can
/// have; [`ErrorCode::WrongUsage`] for one that this key has signed already; [`ErrorCode::ModuleMalformed`] for bytes
/// that cannot be walked section by section.
///
/// ```
/// use adjudicate_host::{manifest, trust::{Credentials, SecretKey, sign}};
/// # let json = r#"{"abi":1,"name":"gate","version":"1.4.0","operations":["evaluate"]}"#;
/// # let module = manifest::append(b"\0asm\x01\0\0\0", json)?;
/// let once = sign(&module, &SecretKey::generate()?)?;
/// let twice = sign(&once, &SecretKey::generate()?)?;
/// let (before, after) = (Credentials::read(&once)?, Credentials::read(&twice)?);
/// assert_eq!((before.content_digest(), before.signatures().len()), (after.content_digest(), 1));
/// assert_eq!((before.digest() == after.digest(), after.signatures().len()), (false, 2));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn sign(module: &[u8], key: &SecretKey) -> Result<Vec<u8>, Error> {
    let parts = section::take_apart(module)?;
    let digest = Digest::of(parts.content);
    let mut section = parts.section.unwrap_or_else(|| Section { digest, signatures: Vec::new() });
    if section.digest != digest {
        return Err(changed());
    }
    if section.signatures.len() == MAX_SIGNATURES {
        return Err(refusal(&format!("the module has {MAX_SIGNATURES} signatures, and can have no more")));
    }
    let (public, message) = (key.public(), section::message(&digest));
    if section.signatures.iter().any(|made| public.verifies(&message, &made.bytes)) {
        let message = format!("the module has a signature of the key `{}` already", public.id());
        return Err(Error::new(ErrorCode::WrongUsage, message));
    }
    let key_id: Option<KeyId> = Some(public.id());
    section.signatures.push(Signature { key_id, bytes: key.sign(&message) });
    Ok(section.put_before(parts.content))
}

fn changed() -> Error {
    refusal("the signed digest is not that of these bytes: the module was changed after it was signed")
}
