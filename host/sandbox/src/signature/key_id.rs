//! The names by which signatures call keys.

use std::{fmt, str::FromStr};

use adjudicate_core::Error;

use crate::{
    codes,
    digest::{hex, unhex},
};

/// The name of a key in signatures: twelve bytes of a hash of it, written as 24 hexadecimal digits.
///
/// It helps to find a key and proves nothing: a signature is verified with the whole key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyId([u8; Self::BYTES]);

impl KeyId {
    /// How many bytes an id has.
    pub const BYTES: usize = 12;

    /// An id from its bytes.
    #[must_use]
    pub const fn new(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// The twelve bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl FromStr for KeyId {
    type Err = Error;

    /// Reads 24 hexadecimal digits of either case.
    ///
    /// # Errors
    ///
    /// [`codes::INVALID_VALUE`] for anything else.
    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = || Error::new(codes::INVALID_VALUE, "expected a key's id: 24 hexadecimal digits");
        unhex(text).map(Self).ok_or_else(wrong)
    }
}
