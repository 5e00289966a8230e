//! Ed25519 keys: generation, ids, signing and verification.

use std::{fmt, str::FromStr};

use adjudicate_core::{
    Error,
    document::{Describe, Document, Reader, Shape, Type},
    json::Node,
    module::{hex, unhex},
};
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::{codes, signature::KeyId};

/// Prefix of the text of a public key.
const ALGORITHM: &str = "ed25519:";

/// A public key, written `ed25519:` and 64 hexadecimal digits.
///
/// ```
/// use adjudicate_trust::PublicKey;
/// let text = "ed25519:8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c";
/// let key: PublicKey = text.parse()?;
/// assert_eq!(key.to_string(), text);
/// assert_eq!(key.id().to_string(), "236c79a936837526e7b8746a");
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    /// Reads a key from the 32 bytes of RFC 8032.
    ///
    /// # Errors
    ///
    /// [`codes::INVALID_VALUE`] for bytes that are not a point of the curve, for another encoding than the canonical one, and for
    /// weak keys. A second encoding would count as a second key. With a weak key, almost any signature verifies.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, Error> {
        let key = VerifyingKey::from_bytes(bytes).map_err(|_| no_key("they are not a point of the curve"))?;
        if key.to_edwards().compress().as_bytes() != bytes {
            return Err(no_key("they are not the canonical form of a key"));
        }
        match key.is_weak() {
            true => Err(no_key("the key is weak: it would verify forged signatures")),
            false => Ok(Self(key)),
        }
    }

    /// The 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// The id of this key in signatures, a hash of the key.
    #[must_use]
    pub fn id(&self) -> KeyId {
        // The same id as in `wasmsign2`: HMAC-SHA-256 of a fixed text with the public key, cut to twelve bytes.
        let mac = Hmac::<Sha256>::new_from_slice(self.as_bytes()).map(|mac| mac.chain_update(b"key_id"));
        // An HMAC accepts a key of any length, and its result is longer than twelve bytes.
        let tag = mac.map(|mac| mac.finalize().into_bytes());
        KeyId::new(tag.ok().and_then(|tag| tag.first_chunk().copied()).unwrap_or_default())
    }

    /// True if this key made the signature. Strict: one form of each signature, no weak points.
    #[must_use]
    pub fn verifies(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        self.0.verify_strict(message, &Signature::from_bytes(signature)).is_ok()
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{ALGORITHM}{}", hex(self.as_bytes()))
    }
}

impl Describe for PublicKey {
    fn describe() -> Type {
        Type::Text { min_length: 0, pattern: "^ed25519:[0-9A-Fa-f]{64}$" }
    }
}

impl Document<'_> for PublicKey {
    const SHAPE: Shape = Shape::Text;

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        reader.parsed(node, str::parse)
    }
}

impl FromStr for PublicKey {
    type Err = Error;

    /// Parses `ed25519:` and 64 hexadecimal digits of either case.
    ///
    /// # Errors
    ///
    /// [`codes::INVALID_VALUE`] for any other text, and the errors of [`PublicKey::from_bytes`].
    fn from_str(text: &str) -> Result<Self, Error> {
        let bytes = text.strip_prefix(ALGORITHM).and_then(unhex);
        let wrong = || {
            let message = "expected a public key: `ed25519:` and 64 hexadecimal digits";
            Error::new(codes::INVALID_VALUE, message)
        };
        Self::from_bytes(&bytes.ok_or_else(wrong)?)
    }
}

/// A secret key. It is wiped from memory when it is dropped. Its only text form is its file.
pub struct SecretKey(SigningKey);

impl SecretKey {
    /// Generates a key from the system's randomness.
    ///
    /// # Errors
    ///
    /// [`codes::HOST_FAULT`] if the system has no randomness.
    pub fn generate() -> Result<Self, Error> {
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(seed.as_mut_slice())
            .map_err(|error| Error::caused_by(codes::HOST_FAULT, "the system gives no randomness", error))?;
        Ok(Self::from_seed(&seed))
    }

    /// The key of these 32 bytes, which RFC 8032 calls the private key.
    #[must_use]
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(seed))
    }

    /// The public key of this secret key.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    pub(crate) fn seed(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// Signs a message. The signature has 64 bytes (RFC 8032).
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).to_bytes()
    }
}

impl fmt::Debug for SecretKey {
    /// Omits the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretKey").field("id", &self.public().id().to_string()).finish_non_exhaustive()
    }
}

fn no_key(why: &str) -> Error {
    Error::new(codes::INVALID_VALUE, format!("these 32 bytes are not a public key: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8032, section 7.1, tests 1 to 3.
    #[test]
    fn the_vectors_of_rfc_8032_hold() {
        for (seed, public, message, signature) in [
            (
                "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
                &b""[..],
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
            ),
            (
                "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
                "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
                b"\x72",
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
            ),
            (
                "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
                "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
                b"\xaf\x82",
                "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
            ),
        ] {
            let key = SecretKey::from_seed(&unhex(seed).unwrap());
            assert_eq!(key.public().to_string(), format!("ed25519:{public}"));
            let signature: [u8; 64] = unhex(signature).unwrap();
            assert_eq!(key.sign(message), signature);
            assert!(key.public().verifies(message, &signature));
            assert!(!key.public().verifies(b"other", &signature));
        }
    }

    #[test]
    fn signatures_have_one_form() {
        let key = SecretKey::from_seed(&[1; 32]);
        let signature = key.sign(b"message");
        // Adding the order of the group to the scalar gives another signature for which the equation still holds.
        let order = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";
        let order: [u8; 32] = unhex(order).unwrap();
        let mut carry = 0;
        let mut other = signature;
        for (byte, add) in other[32..].iter_mut().zip(order) {
            let sum = u16::from(*byte) + u16::from(add) + carry;
            *byte = u8::try_from(sum & 0xff).unwrap();
            carry = sum >> 8;
        }
        assert_eq!(carry, 0);
        assert!(!key.public().verifies(b"message", &other));
    }

    #[test]
    fn weak_and_non_canonical_keys_are_rejected() {
        let of = |text: &str| format!("ed25519:{text}").parse::<PublicKey>();
        for weak in [
            "0100000000000000000000000000000000000000000000000000000000000000",
            "0000000000000000000000000000000000000000000000000000000000000000",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        ] {
            assert!(of(weak).unwrap_err().message().contains("weak"), "{weak}");
        }
        // A y plus the prime of the field: the same point in another encoding.
        let error = of("f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f").unwrap_err();
        assert!(error.message().contains("canonical"), "{error}");
        let error = of("0200000000000000000000000000000000000000000000000000000000000000").unwrap_err();
        assert!(error.message().contains("curve"), "{error}");
        for bad in ["", "00", &"g".repeat(64), &"1".repeat(63), &"1".repeat(65)] {
            assert_eq!(of(bad).unwrap_err().code(), codes::INVALID_VALUE, "{bad}");
        }
        let good = "8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c";
        assert!(of(good).is_ok() && good.parse::<PublicKey>().is_err());
    }

    #[test]
    fn generated_keys_differ_and_are_never_printed() {
        let (one, other) = (SecretKey::generate().unwrap(), SecretKey::generate().unwrap());
        assert_ne!(one.public(), other.public());
        let shown = format!("{one:?}");
        assert!(shown.contains(&one.public().id().to_string()) && !shown.contains(&hex(one.seed())));
    }
}
