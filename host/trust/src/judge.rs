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
    context::{TrustAction, TrustContext},
    policy::{Choice, TrustPolicy},
    signature::Credentials,
    signers::Signers,
    verdict::{Grounds, TrustVerdict},
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
