//! Bearer tokens: who may ask, and who may change what answers.
//!
//! A token is `adj_`, 16 hexadecimal digits that name it, `_`, and 64 that are secret. The first half finds the token; only
//! the second proves anything, and of it nothing but its SHA-256 is kept. A password needs a slow hash because people choose
//! it, so that guesses are few enough to be tried; of 256 random bits no search tries a measurable part, whatever a guess
//! costs. So a fast hash is enough here, and a request with a wrong token costs the server next to nothing.

use std::collections::BTreeMap;

use adjudicate_core::Error;
use adjudicate_sandbox::{Digest, hex};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::codes;

const PREFIX: &str = "adj_";
const ID_BYTES: usize = 8;
const SECRET_BYTES: usize = 32;

/// What a token is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// To ask: every operation, natively and of slots.
    Evaluate,
    /// To change modules, slots and trust, and to ask.
    Admin,
}

impl Role {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Evaluate, Self::Admin];

    /// The role as it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Evaluate => "evaluate",
            Self::Admin => "admin",
        }
    }

    /// Whether who has this role may do what `needed` is for. Who may change what decides may ask it too.
    ///
    /// ```
    /// use adjudicate_host::Role;
    /// assert!(Role::Admin.covers(Role::Evaluate) && !Role::Evaluate.covers(Role::Admin));
    /// ```
    #[must_use]
    pub fn covers(self, needed: Self) -> bool {
        self >= needed
    }
}

/// What may be said aloud of a token. Times are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Token {
    /// What finds it: the first half of the token, which is no secret.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// What it is for.
    pub role: Role,
    /// When it was made.
    pub created_at: i64,
    /// From when on it is refused; never, without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<i64>,
    /// Since when it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<i64>,
}

impl Token {
    /// Whether it is taken at this time.
    #[must_use]
    pub fn is_valid(&self, now: i64) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }
}

/// A token with the hash of its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HashedToken {
    pub(crate) token: Token,
    pub(crate) hash: Digest,
}

/// Makes a token: what is kept of it, and the token itself, which is nowhere else.
pub(crate) fn issue(
    name: &str,
    role: Role,
    expires_at: Option<i64>,
    now: i64,
) -> Result<(HashedToken, Zeroizing<String>), Error> {
    check_name(name)?;
    if expires_at.is_some_and(|end| end <= now) {
        return Err(Error::new(codes::WRONG_USAGE, "the token would have expired already"));
    }
    let mut id = [0; ID_BYTES];
    let mut secret = Zeroizing::new([0; SECRET_BYTES]);
    let random = |bytes: &mut [u8]| {
        getrandom::fill(bytes)
            .map_err(|error| Error::new(codes::HOST_FAULT, format!("no randomness: {error}")))
    };
    random(&mut id)?;
    random(secret.as_mut_slice())?;
    let id = hex(&id);
    let digits = Zeroizing::new(hex(secret.as_slice()));
    let text = Zeroizing::new(format!("{PREFIX}{id}_{}", digits.as_str()));
    let token = Token { id, name: name.to_owned(), role, created_at: now, expires_at, revoked_at: None };
    Ok((HashedToken { token, hash: Digest::of(digits.as_bytes()) }, text))
}

/// Refuses names that would not look well in a list or a log.
fn check_name(name: &str) -> Result<(), Error> {
    let is_good = (1..=100).contains(&name.chars().count())
        && !name.chars().any(char::is_control)
        && name.trim() == name;
    if is_good {
        return Ok(());
    }
    let message =
        "a token's name has 1 to 100 characters, no control characters, and no white space at its ends";
    Err(Error::new(codes::WRONG_USAGE, message))
}

/// The tokens of a moment, to hold requests against.
///
/// ```
/// use adjudicate_host::{Role, Store};
/// let directory = tempfile::tempdir().unwrap();
/// let store = Store::open(&directory.path().join("store"))?;
/// let (token, text) = store.create_token("ci", Role::Evaluate, None, 1_000)?;
/// let keyring = store.keyring()?;
/// assert_eq!(keyring.find(&text, 2_000), Some(&token));
/// assert_eq!(keyring.find("adj_guessed", 2_000), None);
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Keyring {
    tokens: BTreeMap<String, HashedToken>,
}

impl Keyring {
    pub(crate) fn new(tokens: impl IntoIterator<Item = HashedToken>) -> Self {
        Self { tokens: tokens.into_iter().map(|token| (token.token.id.clone(), token)).collect() }
    }

    /// Whether there never was a token. Where all are revoked or expired there were some, and nobody gets in.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// How many there are, valid or not.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// The valid token that `presented` is.
    ///
    /// How long this takes does not depend on how much of a secret was guessed: a token is found by the half that is no
    /// secret, and what is compared is a hash, in constant time. For an id that there is not, the same is done in vain.
    #[must_use]
    pub fn find(&self, presented: &str, now: i64) -> Option<&Token> {
        const NOBODY: [u8; 32] = [0; 32];
        let (id, secret) = presented.strip_prefix(PREFIX)?.split_once('_')?;
        if id.len() != 2 * ID_BYTES || secret.len() != 2 * SECRET_BYTES {
            return None;
        }
        let known = self.tokens.get(id);
        let hash = Digest::of(secret.as_bytes());
        let kept = known.map_or(&NOBODY, |known| known.hash.as_bytes());
        let is_it = bool::from(hash.as_bytes().ct_eq(kept));
        known.map(|known| &known.token).filter(|token| is_it && token.is_valid(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_taken() {
        let (kept, text) = issue("ci", Role::Evaluate, None, 0).unwrap();
        let keyring = Keyring::new([kept]);
        assert!(keyring.find(&text, 1).is_some());
        // Every character counts, also its case.
        for at in 0..text.len() {
            let mut other = text.to_string().into_bytes();
            other[at] = if other[at] == b'0' { b'1' } else { b'0' };
            assert_eq!(keyring.find(&String::from_utf8(other).unwrap(), 1), None, "{at}");
        }
        let (shorter, longer) = (&text[..text.len() - 1], format!("{}0", text.as_str()));
        for other in ["", "adj_", "adj__", "é", shorter, longer.as_str(), &text[4..], &text.to_uppercase()] {
            assert_eq!(keyring.find(other, 1), None, "{other}");
        }
    }

    #[test]
    fn the_secret_is_not_what_is_kept() {
        let (kept, text) = issue("ci", Role::Admin, Some(5), 0).unwrap();
        let (_, secret) = text[4..].split_once('_').unwrap();
        assert_eq!(secret.len(), 64);
        assert_ne!(kept.hash.hex(), secret);
        assert!(!serde_json::to_string(&kept).unwrap().contains(secret));
        assert_ne!(issue("ci", Role::Admin, None, 0).unwrap().1, text);
    }

    #[test]
    fn time_and_revocation_end_a_token() {
        let (kept, text) = issue("ci", Role::Admin, Some(5), 0).unwrap();
        let mut revoked = kept.clone();
        revoked.token.revoked_at = Some(3);
        let found = |kept: HashedToken, now| Keyring::new([kept]).find(&text, now).is_some();
        assert_eq!([0, 4, 5, 6].map(|now| found(kept.clone(), now)), [true, true, false, false]);
        assert_eq!([0, 4].map(|now| found(revoked.clone(), now)), [false, false]);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let code = |name: &str, end| issue(name, Role::Admin, end, 10).map_err(|error| error.code()).err();
        assert_eq!(code("a b é", Some(11)), None);
        for (name, end) in
            [("", None), (" a", None), ("a\n", None), ("a", Some(10)), (&*"x".repeat(101), None)]
        {
            assert_eq!(code(name, end), Some(codes::WRONG_USAGE), "{name} {end:?}");
        }
    }
}
