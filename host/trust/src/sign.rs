//! Signs a module.

use adjudicate_core::Error;

use crate::{
    codes,
    key::SecretKey,
    signature::{self, Signature},
};

/// Returns the module with one more signature. Existing signatures stay valid, so several people can sign one after the other. The
/// content digest is the same for all of them. The module's own digest changes.
///
/// # Errors
///
/// - [`codes::MODULE_SIGNATURE`] if the signatures are over other bytes, or if the module has as many as it may have.
/// - [`codes::WRONG_USAGE`] if this key has already signed it.
/// - [`codes::MODULE_MALFORMED`] if the bytes cannot be read section by section.
///
/// ```
/// use adjudicate_trust::manifest;
/// use adjudicate_trust::{Credentials, SecretKey, sign};
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
    signature::append(module, |message, made| {
        let public = key.public();
        if made.iter().any(|made| public.verifies(message, &made.bytes)) {
            let message = format!("the module already has a signature of the key `{}`", public.id());
            return Err(Error::new(codes::WRONG_USAGE, message));
        }
        Ok(Signature { key_id: Some(public.id()), bytes: key.sign(message) })
    })
}
