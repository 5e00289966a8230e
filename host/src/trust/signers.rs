//! Who signed: each signature of a module against the keys of a policy.

use adjudicate_core::Error;
use adjudicate_sandbox::{
    counted,
    signature::{Credentials, Signature, message, refusal},
};

use super::{
    judge::{Moment, Occasion},
    policy::{TrustPolicy, TrustedKey},
    verdict::{SignatureVerdict, Standing},
};
use crate::codes;

/// What was made of each signature, in the module's order.
pub(super) struct Signers(Vec<SignatureVerdict>);

impl Signers {
    /// Verifies every signature that a key of the policy could have made.
    ///
    /// A signature of a key that the policy does not know is no fault: others may trust it. One that says it is of a
    /// known key and is not, or is of a known key and says otherwise, was tampered with.
    pub(super) fn of(
        credentials: &Credentials,
        policy: &TrustPolicy,
        occasion: &Occasion<'_>,
    ) -> Result<Self, Error> {
        let message = message(&credentials.content_digest());
        let mut verdicts: Vec<SignatureVerdict> = Vec::with_capacity(credentials.signatures().len());
        for signature in credentials.signatures() {
            let Some(key) = signer(signature, policy, &message)? else {
                verdicts.push(SignatureVerdict {
                    key: signature.key_id,
                    name: None,
                    standing: Standing::Unknown,
                });
                continue;
            };
            let is_repeated = verdicts.iter().any(|verdict| verdict.name.as_ref() == Some(&key.name));
            let standing = if is_repeated { Standing::Repeated } else { key.standing(occasion) };
            verdicts.push(SignatureVerdict { key: Some(key.id), name: Some(key.name.clone()), standing });
        }
        Ok(Self(verdicts))
    }

    /// How many keys count, each once.
    pub(super) fn counted(&self) -> usize {
        self.with(Standing::Counted).count()
    }

    /// Refuses a module that too few trusted keys signed.
    pub(super) fn check(&self, threshold: usize) -> Result<(), Error> {
        let found = self.counted();
        if found >= threshold {
            return Ok(());
        }
        let of = |standing| (!self.names(standing).is_empty()).then(|| self.names(standing));
        let (code, message) = if let Some(names) = of(Standing::Revoked) {
            (codes::MODULE_KEY_REVOKED, format!("the key of {names} was revoked"))
        } else if let Some(names) = of(Standing::Expired) {
            (codes::MODULE_KEY_EXPIRED, format!("the key of {names} is not valid any more"))
        } else if let Some(names) = of(Standing::NotYetValid) {
            (codes::MODULE_KEY_EXPIRED, format!("the key of {names} is not valid yet"))
        } else if let Some(names) = of(Standing::Counted) {
            (codes::MODULE_BELOW_THRESHOLD, format!("only {names} signed the module"))
        } else {
            (
                codes::MODULE_UNTRUSTED_KEY,
                format!("no key that is trusted here signed it{}", self.strangers()),
            )
        };
        let message = format!("{message}; {found} of {} asked for", counted(threshold, "trusted signature"));
        Err(Error::new(code, message))
    }

    fn with(&self, standing: Standing) -> impl Iterator<Item = &SignatureVerdict> {
        self.0.iter().filter(move |verdict| verdict.standing == standing)
    }

    /// The names of who signed so, in backticks; empty if nobody did.
    fn names(&self, standing: Standing) -> String {
        let names = self.with(standing).filter_map(|verdict| verdict.name.as_deref());
        names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ")
    }

    /// The ids of the first keys that are not known, as far as they are said.
    fn strangers(&self) -> String {
        let ids = self.0.iter().filter_map(|verdict| verdict.key).take(3);
        let ids: Vec<_> = ids.map(|id| format!("`{id}`")).collect();
        if ids.is_empty() { String::new() } else { format!(", but {}", ids.join(" and ")) }
    }

    pub(super) fn into_verdicts(self) -> Vec<SignatureVerdict> {
        self.0
    }
}

/// The key that made a signature; `None` if it is none of the policy's.
fn signer<'a>(
    signature: &Signature,
    policy: &'a TrustPolicy,
    message: &[u8],
) -> Result<Option<&'a TrustedKey>, Error> {
    let said = policy.keys.iter().find(|key| Some(key.id) == signature.key_id);
    let is_by = |key: &TrustedKey| key.public.verifies(message, &signature.bytes);
    match said {
        Some(key) if is_by(key) => Ok(Some(key)),
        Some(key) => {
            Err(refusal(&format!("the signature that names the key of `{}` is not by it", key.name)))
        }
        None => match (policy.keys.iter().find(|key| is_by(key)), signature.key_id) {
            (Some(key), Some(id)) => {
                let message = format!("a signature by `{}` names another key, `{id}`", key.name);
                Err(refusal(&message))
            }
            (found, _) => Ok(found),
        },
    }
}

impl TrustedKey {
    /// Whether a good signature of this key counts.
    fn standing(&self, occasion: &Occasion<'_>) -> Standing {
        // In nanoseconds, so that no moment is rounded into a window.
        let now = i128::from(occasion.now) * 1_000_000;
        let is_judged = occasion.moment != Moment::Load;
        if self.is_revoked {
            Standing::Revoked
        } else if is_judged && self.not_after.is_some_and(|end| now > end.as_nanosecond()) {
            Standing::Expired
        } else if is_judged && self.not_before.is_some_and(|begin| now < begin.as_nanosecond()) {
            Standing::NotYetValid
        } else {
            Standing::Counted
        }
    }
}
