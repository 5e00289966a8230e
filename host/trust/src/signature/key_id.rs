//! The ids of keys in signatures.

use std::{fmt, str::FromStr};

use adjudicate_core::{
    Error,
    document::{Describe, Document, Reader, Shape, Type},
    json::Node,
    module::{hex, unhex},
};
use serde::{Serialize, Serializer};

use crate::codes;

/// The id of a key: twelve bytes of its hash, written as 24 hexadecimal digits.
///
/// The id helps to find a key and proves nothing: a signature is verified with the whole key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyId([u8; Self::BYTES]);

impl KeyId {
    /// Length of an id in bytes.
    pub const BYTES: usize = 12;

    /// Creates an id from its bytes.
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

impl Serialize for KeyId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Describe for KeyId {
    fn describe() -> Type {
        Type::Text { min_length: 0, pattern: "^[0-9A-Fa-f]{24}$" }
    }
}

impl Document<'_> for KeyId {
    const SHAPE: Shape = Shape::Text;

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        reader.parsed(node, str::parse)
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
