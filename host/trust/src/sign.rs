//! Signs modules, and checks the signatures of verdicts.

use adjudicate_core::{Error, module::unhex, verdict::Verdict};

use crate::{
    codes,
    key::{PublicKey, SecretKey},
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

/// Returns the key that signed a verdict, or `None` if the verdict has no signature, or one that its key did not make for this verdict.
///
/// The key may be anyone's: [`TrustPolicy::signer`](crate::TrustPolicy::signer) finds it in a trust policy. To recompute the answer,
/// see [`Verdict::compare`].
///
/// ```
/// use adjudicate_core::{
///     Operation,
///     json::{self, ReadLimits},
///     module::hex,
///     verdict::{Verdict, VerdictModule, VerdictSignature},
/// };
/// use adjudicate_trust::{SecretKey, TrustPolicy, verdict_key};
///
/// let operation = Operation::MergeDiagnostics;
/// let answer = operation.call(br#"{"diagnostics": []}"#)?;
/// let (call, answer) = (operation.read(br#"{"diagnostics": []}"#)?, json::read(answer.as_bytes(), ReadLimits::ANSWER)?);
/// let verdict = Verdict::new(operation, call.root(), None, VerdictModule::ENGINE, answer.root());
///
/// let secret = SecretKey::from_seed(&[1; 32]);
/// let (key, bytes) = (secret.public().to_string(), hex(&secret.sign(verdict.message().as_bytes())));
/// let signed = Verdict { signature: Some(VerdictSignature { key: &key, bytes: &bytes }), ..verdict.clone() };
/// let found = verdict_key(&signed);
/// assert_eq!((found.as_ref(), verdict_key(&verdict)), (Some(&secret.public()), None));
///
/// let policy = TrustPolicy::of_key("release", secret.public());
/// assert_eq!(found.and_then(|key| policy.signer(&key, 0)), Some("release"));
/// // Another answer breaks the signature.
/// assert_eq!(verdict_key(&Verdict { answer: call.root(), ..signed }), None);
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[must_use]
pub fn verdict_key(verdict: &Verdict<'_>) -> Option<PublicKey> {
    let signature = verdict.signature?;
    let key: PublicKey = signature.key.parse().ok()?;
    let bytes = unhex(signature.bytes)?;
    key.verifies(verdict.message().as_bytes(), &bytes).then_some(key)
}
