//! Bearer tokens for evaluating and for administration.
//!
//! A token is `adj_`, 16 hexadecimal digits of its id, `_`, and 64 digits of its secret. The id finds the token. Only the secret
//! proves anything, and the store keeps only its SHA-256.
//!
//! Passwords need a slow hash, because people choose them and guesses are feasible. A secret has 256 random bits, so no attacker
//! can try a measurable part of them. A fast hash suffices, and a request with a wrong token costs the server almost nothing.

use std::collections::BTreeMap;

use adjudicate_core::{
    Error,
    document::{Describe, Document},
    module::hex,
};
use adjudicate_sandbox::Digest;
use serde::Serialize;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::codes;

const PREFIX: &str = "adj_";
const ID_BYTES: usize = 8;
const SECRET_BYTES: usize = 32;

/// The permissions of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document, Serialize)]
#[document(name = "Role")]
#[serde(rename_all = "snake_case")]
pub enum TokenRole {
    /// May call every operation, with the built-in engine or a slot.
    Evaluate,
    /// May also change modules, slots and trust.
    Admin,
}

impl TokenRole {
    /// True if this role includes the permissions of `needed`. An admin may also evaluate.
    #[must_use]
    pub fn covers(self, needed: Self) -> bool {
        self >= needed
    }
}

/// The public data of a token. Times are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
pub struct Token {
    /// The first half of the token, which is not secret.
    pub id: String,
    /// The name for humans.
    pub name: String,
    /// The permissions.
    pub role: TokenRole,
    /// The time of creation, in milliseconds since 1970.
    pub created_at: i64,
    /// The time of expiry, in milliseconds since 1970. Without it, the token does not expire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<i64>,
    /// The time of revocation, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<i64>,
}

impl Token {
    /// True if the token is valid at this time.
    #[must_use]
    pub fn is_valid(&self, now: i64) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct HashedToken {
    pub(crate) token: Token,
    pub(crate) hash: Digest,
}

/// Creates a token. Returns the data to store and the text of the token.
pub(crate) fn issue(
    name: &str,
    role: TokenRole,
    expires_at: Option<i64>,
    now: i64,
) -> Result<(HashedToken, Zeroizing<String>), Error> {
    check_name(name)?;
    if expires_at.is_some_and(|end| end <= now) {
        return Err(Error::new(codes::WRONG_USAGE, "the time of expiry is in the past"));
    }
    let mut id = [0; ID_BYTES];
    let mut secret = Zeroizing::new([0; SECRET_BYTES]);
    let random = |bytes: &mut [u8]| {
        getrandom::fill(bytes).map_err(|error| Error::caused_by(codes::HOST_FAULT, "no randomness", error))
    };
    random(&mut id)?;
    random(secret.as_mut_slice())?;
    let id = hex(&id);
    let digits = Zeroizing::new(hex(secret.as_slice()));
    let text = Zeroizing::new(format!("{PREFIX}{id}_{}", digits.as_str()));
    let token = Token { id, name: name.to_owned(), role, created_at: now, expires_at, revoked_at: None };
    Ok((HashedToken { token, hash: Digest::sha256(digits.as_bytes()) }, text))
}

/// Rejects names that a list or log cannot show.
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

/// The tokens of a store at one time, for checking requests.
///
/// ```
/// use adjudicate_host::{Store, TokenRole};
/// let directory = tempfile::tempdir().unwrap();
/// let store = Store::open(&directory.path().join("store"))?;
/// let (token, text) = store.create_token("ci", TokenRole::Evaluate, None, 1_000)?;
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

    /// True if the store never had a token. If all tokens are revoked or expired, this is false, and every request is rejected.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The number of tokens, valid or not.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Returns the valid token with this text.
    ///
    /// The duration reveals nothing about the secret: the id finds the token, and the hashes are compared in constant time. For an
    /// unknown id, the same work is done.
    #[must_use]
    pub fn find(&self, presented: &str, now: i64) -> Option<&Token> {
        const NOBODY: [u8; 32] = [0; 32];
        let (id, secret) = presented.strip_prefix(PREFIX)?.split_once('_')?;
        if id.len() != 2 * ID_BYTES || secret.len() != 2 * SECRET_BYTES {
            return None;
        }
        let known = self.tokens.get(id);
        let hash = Digest::sha256(secret.as_bytes());
        let kept = known.map_or(&NOBODY, |known| known.hash.as_bytes());
        let is_it = bool::from(hash.as_bytes().ct_eq(kept));
        known.map(|known| &known.token).filter(|token| is_it && token.is_valid(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_accepted() {
        let (kept, text) = issue("ci", TokenRole::Evaluate, None, 0).unwrap();
        let keyring = Keyring::new([kept]);
        assert!(keyring.find(&text, 1).is_some());
        // Every character and its case count.
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
    fn the_secret_is_not_stored() {
        let (kept, text) = issue("ci", TokenRole::Admin, Some(5), 0).unwrap();
        let (_, secret) = text[4..].split_once('_').unwrap();
        assert_eq!(secret.len(), 64);
        assert_ne!(kept.hash.hex(), secret);
        assert!(!serde_json::to_string(&kept).unwrap().contains(secret));
        assert_ne!(issue("ci", TokenRole::Admin, None, 0).unwrap().1, text);
    }

    #[test]
    fn time_and_revocation_end_a_token() {
        let (kept, text) = issue("ci", TokenRole::Admin, Some(5), 0).unwrap();
        let mut revoked = kept.clone();
        revoked.token.revoked_at = Some(3);
        let found = |kept: HashedToken, now| Keyring::new([kept]).find(&text, now).is_some();
        assert_eq!([0, 4, 5, 6].map(|now| found(kept.clone(), now)), [true, true, false, false]);
        assert_eq!([0, 4].map(|now| found(revoked.clone(), now)), [false, false]);
    }

    #[test]
    fn invalid_names_and_expiry_times_are_rejected() {
        let code =
            |name: &str, end| issue(name, TokenRole::Admin, end, 10).map_err(|error| error.code()).err();
        assert_eq!(code("a b é", Some(11)), None);
        for (name, end) in
            [("", None), (" a", None), ("a\n", None), ("a", Some(10)), (&*"x".repeat(101), None)]
        {
            assert_eq!(code(name, end), Some(codes::WRONG_USAGE), "{name} {end:?}");
        }
    }
}
