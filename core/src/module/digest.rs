//! The identity of a module: the SHA-256 of its bytes.

use alloc::{format, string::String};
use core::{fmt, str::FromStr};

use adjudicate_lang::{
    Error,
    document::{Describe, Document, Reader, Shape, Type},
    json::Node,
};
use serde::{Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use crate::codes;

/// The SHA-256 of a module's bytes, written `sha256:` and 64 hexadecimal digits.
///
/// ```
/// use adjudicate_core::module::Digest;
/// let digest = Digest::sha256(b"");
/// assert_eq!(digest.to_string(), "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
/// assert_eq!(digest.to_string().parse(), Ok(digest));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Computes the digest of these bytes.
    #[must_use]
    pub fn sha256(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// A digest from its 32 bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 64 hexadecimal digits without the prefix, as in file names.
    #[must_use]
    pub fn hex(&self) -> String {
        hex(&self.0)
    }

    /// The 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Writes two lower-case hexadecimal digits per byte.
///
/// ```
/// assert_eq!(adjudicate_core::module::hex(&[0, 0xa7]), "00a7");
/// ```
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    use fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Reads `N` bytes from pairs of hexadecimal digits of either case. Returns `None` for any other text.
///
/// ```
/// assert_eq!(adjudicate_core::module::unhex("00A7"), Some([0, 0xa7]));
/// assert_eq!(adjudicate_core::module::unhex::<2>("00A"), None);
/// ```
#[must_use]
pub fn unhex<const N: usize>(digits: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    if pairs.len() != N || !rest.is_empty() {
        return None;
    }
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        let digit = |digit: &u8| char::from(*digit).to_digit(16);
        *byte = u8::try_from(digit(high)? * 16 + digit(low)?).ok()?;
    }
    Some(bytes)
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.hex())
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Describe for Digest {
    fn describe() -> Type {
        Type::Text { min_length: 0, pattern: "^(sha256:)?[0-9A-Fa-f]{64}$" }
    }
}

impl Document<'_> for Digest {
    const SHAPE: Shape = Shape::Text;

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        reader.parsed(node, str::parse)
    }
}

impl FromStr for Digest {
    type Err = Error;

    /// Reads `sha256:` and 64 hexadecimal digits of either case. The prefix is optional.
    ///
    /// # Errors
    ///
    /// [`codes::WRONG_USAGE`] for anything else.
    fn from_str(text: &str) -> Result<Self, Error> {
        let digits = text.strip_prefix("sha256:").unwrap_or(text);
        unhex(digits).map(Self).ok_or_else(|| not_a_digest(text))
    }
}

fn not_a_digest(text: &str) -> Error {
    let message = format!("`{text}` is not a digest: expected `sha256:` and 64 hexadecimal digits");
    Error::new(codes::WRONG_USAGE, message)
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn only_whole_digests_are_read() {
        let good = Digest::sha256(b"module").to_string();
        assert_eq!(good.parse::<Digest>().map(|digest| digest.to_string()), Ok(good.clone()));
        assert!(good.trim_start_matches("sha256:").to_uppercase().parse::<Digest>().is_ok());
        for bad in
            ["", "sha256:", &good[..70], &format!("{good}0"), &good.replace(['a', '1'], "g"), "sha512:00"]
        {
            assert_eq!(bad.parse::<Digest>().map_err(|error| error.code()), Err(codes::WRONG_USAGE), "{bad}");
        }
    }
}
