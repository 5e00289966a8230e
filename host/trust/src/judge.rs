//! Judges credentials by a policy.
//!
//! The functions are pure: the time and the active versions are arguments. If several checks fail, the first of this order is
//! reported, independent of the order of signatures and keys:
//!
//! 1. `module_signature`: the bytes were changed after signing, or a signature is malformed
//! 2. `module_unsigned`: a signature is required, and there is none
//! 3. too few signatures count. The code is the first that applies of `module_key_revoked`, `module_key_expired`,
//!    `module_below_threshold` (if some signatures count) and `module_untrusted_key`
//! 4. `module_not_pinned`
//! 5. `module_downgrade`
//!
//! So faults of the bytes come before faults of the signers, and those before the choice of the module.

use adjudicate_core::Error;
use semver::Version;

use crate::{
    codes,
    key::PublicKey,
    policy::{Choice, TrustPolicy, TrustedKey},
    signature::{Credentials, Signature, message, refusal},
    text::counted,
    verdict::{Grounds, SignatureVerdict, Standing, TrustAction, TrustContext, TrustVerdict},
};

impl TrustPolicy {
    /// Judges whether the policy accepts a module.
    ///
    /// # Errors
    ///
    /// One of the codes in the list above, in that order. The message names the signers.
    ///
    /// ```
    /// use adjudicate_trust::{Credentials, TrustAction, TrustContext, TrustPolicy};
    /// # let json = r#"{"abi":1,"name":"gate","version":"1.4.0","operations":["evaluate"]}"#;
    /// # let module = adjudicate_trust::manifest::append(b"\0asm\x01\0\0\0", json)?;
    /// let credentials = Credentials::read(&module)?;
    /// let pinned = format!(r#"{{"threshold": 0, "pins": ["{}"]}}"#, credentials.digest());
    /// let context = TrustContext { action: TrustAction::Activate, now: 0, highest: None };
    /// let verdict = TrustPolicy::parse(pinned.as_bytes())?.judge(&credentials, &context)?;
    /// assert_eq!(verdict.pinned, Some(true));
    /// assert!(TrustPolicy::default().judge(&credentials, &context).is_err());
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn judge(
        &self,
        credentials: &Credentials,
        context: &TrustContext<'_>,
    ) -> Result<TrustVerdict, Error> {
        let signers = Signers::verify(credentials, self, context)?;
        let accepted = self.grounds(credentials, &signers)?;
        let pinned = self.pins.as_ref().map(|pins| pins.contains(&credentials.digest()));
        if pinned == Some(false) {
            let message = format!("the digest `{}` is not pinned", credentials.digest());
            return Err(Error::new(codes::MODULE_NOT_PINNED, message));
        }
        let floors = VersionFloors::new(credentials, self, context);
        floors.check(credentials, self.downgrade)?;
        Ok(TrustVerdict {
            digest: credentials.digest(),
            content_digest: credentials.content_digest(),
            name: credentials.name().to_owned(),
            version: credentials.version().clone(),
            action: context.action,
            accepted,
            threshold: self.threshold,
            counted: signers.counted(),
            signatures: signers.into_verdicts(),
            pinned,
            minimum_version: floors.minimum.cloned(),
            highest_version: floors.highest.cloned(),
        })
    }

    /// The reason for accepting a module, apart from pins and versions.
    fn grounds(&self, credentials: &Credentials, signers: &Signers) -> Result<Grounds, Error> {
        match (self.threshold, credentials.signatures().is_empty(), self.unsigned) {
            (0, ..) => Ok(Grounds::Pin),
            (_, true, Choice::Allow) => Ok(Grounds::Unsigned),
            (_, true, Choice::Refuse) => {
                let message = "the module has no signature; have it signed by a key that is trusted here";
                Err(Error::new(codes::MODULE_UNSIGNED, message))
            }
            (_, false, _) if self.keys.is_empty() => {
                let message = "the module is signed, but no key is trusted; add its key to the trust policy";
                Err(Error::new(codes::MODULE_UNTRUSTED_KEY, message))
            }
            (threshold, false, _) => signers.check(threshold).map(|()| Grounds::Signatures),
        }
    }
}

/// The lowest versions that are accepted.
struct VersionFloors<'a> {
    minimum: Option<&'a Version>,
    highest: Option<&'a Version>,
}

impl<'a> VersionFloors<'a> {
    fn new(credentials: &Credentials, policy: &'a TrustPolicy, context: &TrustContext<'a>) -> Self {
        match context.action {
            TrustAction::Load => Self { minimum: None, highest: None },
            action => Self {
                minimum: policy.minimum_versions.get(credentials.name()).map(|version| &version.0),
                highest: context.highest.filter(|_| action != TrustAction::Rollback),
            },
        }
    }

    /// Versions of the same precedence are equal: build metadata (after `+`) does not count.
    fn check(&self, credentials: &Credentials, downgrade: Choice) -> Result<(), Error> {
        let (name, version) = (credentials.name(), credentials.version());
        let is_above = |floor: &&&Version| version.cmp_precedence(floor).is_lt();
        let message = match (self.minimum.as_ref().filter(is_above), self.highest.as_ref().filter(is_above)) {
            (Some(least), _) => format!("`{name}` {version} is below {least}, the minimum version"),
            (None, Some(highest)) if downgrade == Choice::Refuse => {
                format!("`{name}` {version} is below {highest}, which was already active")
            }
            _ => return Ok(()),
        };
        Err(Error::new(codes::MODULE_DOWNGRADE, message))
    }
}

/// The verdict for each signature, in the module's order.
pub(crate) struct Signers(Vec<SignatureVerdict>);

impl Signers {
    /// Verifies every signature that a key of the policy may have made.
    ///
    /// A signature of an unknown key is not an error, because other policies may trust the key. A signature that names a known key
    /// but is not by it, or is by a known key but names another one, was tampered with.
    pub(crate) fn verify(
        credentials: &Credentials,
        policy: &TrustPolicy,
        context: &TrustContext<'_>,
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
            let standing = if is_repeated { Standing::Repeated } else { key.standing(context) };
            verdicts.push(SignatureVerdict { key: Some(key.id), name: Some(key.name.clone()), standing });
        }
        Ok(Self(verdicts))
    }

    /// The number of keys that count, each once.
    pub(crate) fn counted(&self) -> usize {
        self.with_standing(Standing::Counted).count()
    }

    /// Rejects a module with too few signatures of trusted keys.
    pub(crate) fn check(&self, threshold: usize) -> Result<(), Error> {
        let found = self.counted();
        if found >= threshold {
            return Ok(());
        }
        let of = |standing| (!self.names(standing).is_empty()).then(|| self.names(standing));
        let (code, message) = if let Some(names) = of(Standing::Revoked) {
            (codes::MODULE_KEY_REVOKED, format!("the key of {names} was revoked"))
        } else if let Some(names) = of(Standing::Expired) {
            (codes::MODULE_KEY_EXPIRED, format!("the key of {names} is no longer valid"))
        } else if let Some(names) = of(Standing::NotYetValid) {
            (codes::MODULE_KEY_EXPIRED, format!("the key of {names} is not valid yet"))
        } else if let Some(names) = of(Standing::Counted) {
            (codes::MODULE_BELOW_THRESHOLD, format!("only {names} signed the module"))
        } else {
            (codes::MODULE_UNTRUSTED_KEY, format!("no trusted key signed it{}", self.unknown_keys()))
        };
        let message = format!("{message}; {found} of {} required", counted(threshold, "trusted signature"));
        Err(Error::new(code, message))
    }

    fn with_standing(&self, standing: Standing) -> impl Iterator<Item = &SignatureVerdict> {
        self.0.iter().filter(move |verdict| verdict.standing == standing)
    }

    /// The names of the signers with this standing, in backticks; empty if there are none.
    fn names(&self, standing: Standing) -> String {
        let names = self.with_standing(standing).filter_map(|verdict| verdict.name.as_deref());
        names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ")
    }

    /// The ids of the first unknown keys, if the signatures name them.
    fn unknown_keys(&self) -> String {
        let ids = self.0.iter().filter_map(|verdict| verdict.key).take(3);
        let ids: Vec<_> = ids.map(|id| format!("`{id}`")).collect();
        if ids.is_empty() { String::new() } else { format!(", but {}", ids.join(" and ")) }
    }

    pub(crate) fn into_verdicts(self) -> Vec<SignatureVerdict> {
        self.0
    }
}

/// The key that made a signature; `None` if it is not a key of the policy.
fn signer<'a>(
    signature: &Signature,
    policy: &'a TrustPolicy,
    message: &[u8],
) -> Result<Option<&'a TrustedKey>, Error> {
    let named_key = policy.keys.iter().find(|key| Some(key.id) == signature.key_id);
    let is_by = |key: &TrustedKey| key.public.verifies(message, &signature.bytes);
    match named_key {
        Some(key) if is_by(key) => Ok(Some(key)),
        Some(key) => Err(refusal(&format!("a signature names the key of `{}`, but is not by it", key.name))),
        None => match (policy.keys.iter().find(|key| is_by(key)), signature.key_id) {
            (Some(key), Some(id)) => {
                let message = format!("a signature by `{}` names another key, `{id}`", key.name);
                Err(refusal(&message))
            }
            (found, _) => Ok(found),
        },
    }
}

impl TrustPolicy {
    /// Returns the name of a public key, if the policy trusts it at this time, in milliseconds since 1970: the key is in the list,
    /// valid, and not revoked.
    ///
    /// ```
    /// use adjudicate_trust::{SecretKey, TrustPolicy};
    /// let [ours, other] = [1, 2].map(|seed| SecretKey::from_seed(&[seed; 32]).public());
    /// let policy = TrustPolicy::of_key("release", ours.clone());
    /// assert_eq!((policy.signer(&ours, 0), policy.signer(&other, 0)), (Some("release"), None));
    /// ```
    #[must_use]
    pub fn signer(&self, public: &PublicKey, now: i64) -> Option<&str> {
        let context = TrustContext { action: TrustAction::Install, now, highest: None };
        let key = self.keys.iter().find(|key| key.public == *public)?;
        (key.standing(&context) == Standing::Counted).then_some(key.name.as_str())
    }
}

impl TrustedKey {
    /// The standing of a valid signature of this key.
    fn standing(&self, context: &TrustContext<'_>) -> Standing {
        // In nanoseconds, so that no time is rounded into the window.
        let now = i128::from(context.now) * 1_000_000;
        let is_judged = context.action != TrustAction::Load;
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
