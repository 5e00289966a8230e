//! Judging: credentials against a policy.
//!
//! Pure: what time it is, and what was in force, are arguments. Where several things are wrong, the first of this order
//! is said, whatever the order of signatures and keys:
//!
//! 1. `module_signature`: the module's bytes are not what was signed, or a signature is broken
//! 2. `module_unsigned`: there is no signature, and one is asked for
//! 3. too few signatures count, and of those that do not:
//!    `module_key_revoked` before `module_key_expired` before, if some do count, `module_below_threshold`, else
//!    `module_untrusted_key`
//! 4. `module_not_pinned`
//! 5. `module_downgrade`
//!
//! So what is wrong with the bytes comes before what is wrong with the signers, and that before what is wrong with the
//! choice of the module.

use adjudicate_core::Error;
use adjudicate_sandbox::signature::Credentials;
use semver::Version;
use serde::Serialize;

use super::{
    policy::{Choice, TrustPolicy},
    signers::Signers,
    verdict::{Grounds, Verdict},
};
use crate::codes;

/// What a module is judged for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    /// It is put into a store.
    Install,
    /// It is put in force.
    Activate,
    /// It is put in force again, by hand or by the host: judged like an activation, except that a version that was in
    /// force since is no reason to refuse it.
    Rollback,
    /// It is loaded, perhaps long after: neither the windows of keys nor versions are judged, for what is in force must
    /// not stop working because time passes. That the bytes are those that were signed, that enough keys are trusted
    /// and not revoked, and that the digest is pinned, is judged again.
    Load,
}

/// When, and for what, a module is judged.
#[derive(Clone, Copy, Debug)]
pub struct Occasion<'a> {
    /// For what.
    pub moment: Moment,
    /// What time it is, in milliseconds since 1970.
    pub now: i64,
    /// The highest version of a module of this name that was ever in force, if one was. At [`Moment::Rollback`] and
    /// [`Moment::Load`] it is ignored.
    pub highest: Option<&'a Version>,
}

impl TrustPolicy {
    /// Whether a module is accepted, and why.
    ///
    /// # Errors
    ///
    /// One of the codes that this file's documentation lists, in that order; the message says who signed.
    ///
    /// ```
    /// use adjudicate_host::trust::{Credentials, Moment, Occasion, TrustPolicy};
    /// # let json = r#"{"abi":1,"name":"gate","version":"1.4.0","operations":["evaluate"]}"#;
    /// # let module = adjudicate_sandbox::manifest::append(b"\0asm\x01\0\0\0", json)?;
    /// let credentials = Credentials::read(&module)?;
    /// let pinned = format!(r#"{{"threshold": 0, "pins": ["{}"]}}"#, credentials.digest());
    /// let occasion = Occasion { moment: Moment::Activate, now: 0, highest: None };
    /// let verdict = TrustPolicy::parse(pinned.as_bytes())?.judge(&credentials, &occasion)?;
    /// assert_eq!(verdict.pinned, Some(true));
    /// assert!(TrustPolicy::default().judge(&credentials, &occasion).is_err());
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn judge(&self, credentials: &Credentials, occasion: &Occasion<'_>) -> Result<Verdict, Error> {
        let signers = Signers::of(credentials, self, occasion)?;
        let accepted = self.grounds(credentials, &signers)?;
        let pinned = self.pins.as_ref().map(|pins| pins.contains(&credentials.digest()));
        if pinned == Some(false) {
            let message = format!("the digest `{}` is not one that is pinned", credentials.digest());
            return Err(Error::new(codes::MODULE_NOT_PINNED, message));
        }
        let floors = Floors::of(credentials, self, occasion);
        floors.check(credentials, self.downgrade)?;
        Ok(Verdict {
            digest: credentials.digest(),
            content_digest: credentials.content_digest(),
            name: credentials.name().to_owned(),
            version: credentials.version().clone(),
            moment: occasion.moment,
            accepted,
            threshold: self.threshold,
            counted: signers.counted(),
            signatures: signers.into_verdicts(),
            pinned,
            minimum_version: floors.minimum.cloned(),
            highest_version: floors.highest.cloned(),
        })
    }

    /// What a module is accepted for, as far as signatures go.
    fn grounds(&self, credentials: &Credentials, signers: &Signers) -> Result<Grounds, Error> {
        match (self.threshold, credentials.signatures().is_empty(), self.unsigned) {
            (0, ..) => Ok(Grounds::Pin),
            (_, true, Choice::Allow) => Ok(Grounds::Unsigned),
            (_, true, Choice::Refuse) => {
                let message = "the module has no signature; have it signed by a key that is trusted here";
                Err(Error::new(codes::MODULE_UNSIGNED, message))
            }
            (_, false, _) if self.keys.is_empty() => {
                let message =
                    "the module is signed, and no key is trusted here; a trust policy says which are";
                Err(Error::new(codes::MODULE_UNTRUSTED_KEY, message))
            }
            (threshold, false, _) => signers.check(threshold).map(|()| Grounds::Signatures),
        }
    }
}

/// The versions that a module must not be below.
struct Floors<'a> {
    minimum: Option<&'a Version>,
    highest: Option<&'a Version>,
}

impl<'a> Floors<'a> {
    fn of(credentials: &Credentials, policy: &'a TrustPolicy, occasion: &Occasion<'a>) -> Self {
        match occasion.moment {
            Moment::Load => Self { minimum: None, highest: None },
            moment => Self {
                minimum: policy.minimum_versions.get(credentials.name()),
                highest: occasion.highest.filter(|_| moment != Moment::Rollback),
            },
        }
    }

    /// Versions of the same precedence are none below the other: what is behind a `+` is not compared.
    fn check(&self, credentials: &Credentials, downgrade: Choice) -> Result<(), Error> {
        let (name, version) = (credentials.name(), credentials.version());
        let is_above = |floor: &&&Version| version.cmp_precedence(floor).is_lt();
        let message = match (self.minimum.as_ref().filter(is_above), self.highest.as_ref().filter(is_above)) {
            (Some(least), _) => format!("`{name}` {version} is below {least}, the least that is accepted"),
            (None, Some(highest)) if downgrade == Choice::Refuse => {
                format!("`{name}` {version} is below {highest}, which was in force already")
            }
            _ => return Ok(()),
        };
        Err(Error::new(codes::MODULE_DOWNGRADE, message))
    }
}
