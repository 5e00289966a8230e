//! The key of a signed verdict.

use adjudicate_core::{module::unhex, verdict::Verdict};

use crate::key::PublicKey;

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
