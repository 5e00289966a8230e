//! The bytes of the signature section, without keys or trust.
//!
//! The format is that of `wasmsign2` for whole modules: one list of signatures over one hash, which covers all bytes
//! after the section. The format also allows signatures of parts of a module (several hashes, delimiters); with these,
//! a truncated module would be valid. This module rejects them. It also rejects numbers that are not in their shortest
//! form, and trailing bytes. So a section has exactly one form, and every bit of it is fixed.

use std::{fmt, str::FromStr};

use adjudicate_core::{
    Error,
    document::{self, Describe, Document, Shape, Type},
    json::Node,
    module::{hex, unhex},
};
use serde::{Serialize, Serializer};
use wasmparser::{Parser, Payload};

use crate::{Digest, codes, manifest::leb128, text::counted};

/// The name of the custom section.
pub const SECTION: &str = "signature";

/// Largest number of signatures of a module.
pub const MAX_SIGNATURES: usize = 32;

/// Largest size of the section's content: 4 KiB.
pub const MAX_SECTION_BYTES: usize = 4 << 10;

/// The first bytes of every module. The signature does not cover them, so no other bytes are accepted.
const PREAMBLE: &[u8] = b"\0asm\x01\0\0\0";

/// The version of the format, the kind of content (a module), and the hash (SHA-256).
const KIND: [u8; 3] = [1, 1, 1];
/// The algorithm: Ed25519.
const ED25519: u8 = 1;

/// One signature of the section, not verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The key that the signature names, if it names one.
    pub key_id: Option<KeyId>,
    /// The signature.
    pub bytes: [u8; 64],
}

/// A module, split into its signature section and the signed rest.
pub(super) struct SplitModule<'a> {
    pub(super) section: Option<SignatureSection>,
    pub(super) content: &'a [u8],
}

/// The content of a signature section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SignatureSection {
    /// The signed digest.
    pub(super) digest: Digest,
    /// At least one signature.
    pub(super) signatures: Vec<Signature>,
}

/// Splits a module.
///
/// # Errors
///
/// [`codes::MODULE_MALFORMED`] if the bytes cannot be read section by section; [`codes::MODULE_SIGNATURE`] for a signature section
/// that is malformed, repeated, or not the first section.
pub(super) fn take_apart(module: &[u8]) -> Result<SplitModule<'_>, Error> {
    let sections =
        module.strip_prefix(PREAMBLE).ok_or_else(|| malformed("the magic bytes or the version are wrong"))?;
    match (count(module)?, Reader(sections).section()) {
        (0, _) => Ok(SplitModule { section: None, content: sections }),
        (1, Some((data, content))) => {
            Ok(SplitModule { section: Some(SignatureSection::read(data)?), content })
        }
        (1, None) => Err(refusal(
            "the section is not the first of the module, or its size is not in its shortest form",
        )),
        (count, _) => Err(refusal(&format!("expected one section `{SECTION}`, found {count}"))),
    }
}

/// Counts the signature sections at all positions.
fn count(module: &[u8]) -> Result<usize, Error> {
    let mut count = 0;
    for payload in Parser::new(0).parse_all(module) {
        match payload {
            Ok(Payload::CustomSection(section)) => count += usize::from(section.name() == SECTION),
            Ok(_) => {}
            Err(error) => return Err(malformed(error.message())),
        }
    }
    Ok(count)
}

/// The signed message.
#[must_use]
pub fn message(content: &Digest) -> Vec<u8> {
    [&b"wasmsig"[..], &KIND, content.as_bytes()].concat()
}

impl SignatureSection {
    /// Returns the module with this section in front.
    pub(super) fn put_before(&self, content: &[u8]) -> Vec<u8> {
        let data = self.write();
        let name = prefixed(SECTION.as_bytes());
        let size = leb128(name.len() + data.len());
        [PREAMBLE, &[0], &size, &name, &data, content].concat()
    }

    fn write(&self) -> Vec<u8> {
        let mut set = [&[1], &self.digest.as_bytes()[..]].concat();
        set.extend(leb128(self.signatures.len()));
        for Signature { key_id, bytes } in &self.signatures {
            let id = key_id.as_ref().map_or(&[][..], |id| id.as_bytes());
            set.extend(prefixed(&[&prefixed(id), &[ED25519][..], &prefixed(bytes)].concat()));
        }
        [&KIND[..], &[1], &prefixed(&set)].concat()
    }

    /// Reads exactly the format that `write` writes.
    fn read(data: &[u8]) -> Result<Self, Error> {
        if data.len() > MAX_SECTION_BYTES {
            let message = format!("the section has {} bytes, the limit is {MAX_SECTION_BYTES}", data.len());
            return Err(refusal(&message));
        }
        let mut reader = Reader(data);
        let cut = || refusal("the section ends early, or has a number that is not in its shortest form");
        let kind = reader.take(KIND.len()).ok_or_else(cut)?;
        if kind != KIND {
            return Err(refusal("unknown version, content type or hash of the section"));
        }
        if reader.number().ok_or_else(cut)? != 1 {
            return Err(refusal(
                "the section signs several contents; remove it and sign the module as it is",
            ));
        }
        let mut set = Reader(reader.prefixed().ok_or_else(cut)?);
        if set.number().ok_or_else(cut)? != 1 {
            return Err(refusal("the module was signed in parts; sign it as a whole"));
        }
        let digest = set.take(32).and_then(<[u8]>::as_array).ok_or_else(cut)?;
        let count = set.number().ok_or_else(cut)?;
        if count == 0 || count > MAX_SIGNATURES {
            let message = format!("expected 1 to {MAX_SIGNATURES} signatures, found {count}");
            return Err(refusal(&message));
        }
        let signatures = (0..count).map(|_| signature(set.prefixed().ok_or_else(cut)?));
        let signatures = signatures.collect::<Result<_, _>>()?;
        match (set.0, reader.0) {
            ([], []) => Ok(Self { digest: Digest::from_bytes(*digest), signatures }),
            _ => Err(refusal("the section has bytes after its end")),
        }
    }
}

/// Reads one signature.
fn signature(bytes: &[u8]) -> Result<Signature, Error> {
    let mut reader = Reader(bytes);
    let cut = || refusal("a signature ends early, or has a number that is not in its shortest form");
    let key_id = match reader.prefixed().ok_or_else(cut)? {
        [] => None,
        id => Some(KeyId::new(*id.as_array().ok_or_else(|| {
            refusal(&format!(
                "expected a key id of {1} bytes or none, found {0}",
                counted(id.len(), "byte"),
                KeyId::BYTES
            ))
        })?)),
    };
    if reader.take(1).ok_or_else(cut)? != [ED25519] {
        return Err(refusal("unknown algorithm of a signature; expected Ed25519"));
    }
    let bytes = reader.prefixed().ok_or_else(cut)?;
    let bytes = bytes.as_array().ok_or_else(|| refusal("a signature does not have 64 bytes"))?;
    match reader.0 {
        [] => Ok(Signature { key_id, bytes: *bytes }),
        _ => Err(refusal("a signature has bytes after its end")),
    }
}

/// Puts the length before the bytes.
fn prefixed(bytes: &[u8]) -> Vec<u8> {
    [&leb128(bytes.len()), bytes].concat()
}

/// A reader from the front. `None` means the end, or a number that is not in its shortest form.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// Reads a number of up to 28 bits, which exceeds all limits of the section.
    fn number(&mut self) -> Option<usize> {
        let mut value = 0;
        for shift in [0, 7, 14, 21] {
            let byte = *self.take(1)?.first()?;
            value |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return (byte != 0 || shift == 0).then_some(value);
            }
        }
        None
    }

    fn prefixed(&mut self) -> Option<&'a [u8]> {
        let count = self.number()?;
        self.take(count)
    }

    /// Reads a signature section from the front. Returns its content and the bytes after it.
    fn section(mut self) -> Option<(&'a [u8], &'a [u8])> {
        if self.take(1)? != [0] {
            return None;
        }
        let mut section = Reader(self.prefixed()?);
        (section.prefixed()? == SECTION.as_bytes()).then_some((section.0, self.0))
    }
}

/// The error for an invalid signature or signature section.
#[must_use]
pub fn refusal(message: &str) -> Error {
    Error::new(codes::MODULE_SIGNATURE, format!("signature: {message}"))
}

fn malformed(message: &str) -> Error {
    Error::new(codes::MODULE_MALFORMED, format!("the bytes are not a WebAssembly module: {message}"))
}

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

    fn read(node: Node<'_>, reader: &mut document::Reader) -> Option<Self> {
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
