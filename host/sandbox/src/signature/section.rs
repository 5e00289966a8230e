//! The signature section: its bytes, and nothing about keys or trust.
//!
//! The form is `wasmsign2`'s for whole modules: one list of signatures, all over one hash, which is that of all bytes
//! behind the section. That form also knows signatures of parts of a module (several hashes, delimiters); whoever
//! verifies those accepts a module that was cut off after a part. They are refused here, as is every number that could
//! be written shorter and every byte that is left over: a section has one form, so that no bit of it is free.

use adjudicate_core::Error;
use wasmparser::{Parser, Payload};

use super::key_id::KeyId;
use crate::{codes, count::counted, digest::Digest, manifest::section::leb128};

/// The name of the custom section.
pub const SECTION: &str = "signature";

/// How many signatures a module may have.
pub const MAX_SIGNATURES: usize = 32;

/// How many bytes the contents of the section may have: 4 KiB.
pub const MAX_SECTION_BYTES: usize = 4 << 10;

/// What every module begins with. It is outside of what is signed, and no other beginning is accepted.
const PREAMBLE: &[u8] = b"\0asm\x01\0\0\0";

/// Version of the form, what is signed (a module), by which hash (SHA-256).
const KIND: [u8; 3] = [1, 1, 1];
/// The algorithm: Ed25519.
const ED25519: u8 = 1;

/// One signature, as the section has it. Nothing is verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Who is said to have signed, where it is said.
    pub key_id: Option<KeyId>,
    /// The signature.
    pub bytes: [u8; 64],
}

/// A module in two parts: its signature section, if it has one, and the rest, which is what is signed.
pub(super) struct Parts<'a> {
    pub(super) section: Option<Section>,
    pub(super) content: &'a [u8],
}

/// What a signature section says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section {
    /// The digest that is signed.
    pub(super) digest: Digest,
    /// At least one.
    pub(super) signatures: Vec<Signature>,
}

/// Takes a module apart.
///
/// # Errors
///
/// [`codes::MODULE_MALFORMED`] for bytes that cannot be walked section by section, [`codes::MODULE_SIGNATURE`] for
/// a signature section that is not the first and only one, or not of the form.
pub(super) fn take_apart(module: &[u8]) -> Result<Parts<'_>, Error> {
    let sections = module.strip_prefix(PREAMBLE).ok_or_else(|| malformed("it does not begin as one"))?;
    match (count(module)?, Reader(sections).section()) {
        (0, _) => Ok(Parts { section: None, content: sections }),
        (1, Some((data, content))) => Ok(Parts { section: Some(Section::read(data)?), content }),
        (1, None) => {
            Err(refusal("the section is not the first of the module, or its size is not written shortly"))
        }
        (count, _) => Err(refusal(&format!("the module has {count} sections `{SECTION}`; there can be one"))),
    }
}

/// How many signature sections there are, wherever they are.
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

/// The text that a signature is over.
#[must_use]
pub fn message(content: &Digest) -> Vec<u8> {
    [&b"wasmsig"[..], &KIND, content.as_bytes()].concat()
}

impl Section {
    /// The module with this section in it.
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

    /// Reads what `write` writes, and nothing else.
    fn read(data: &[u8]) -> Result<Self, Error> {
        if data.len() > MAX_SECTION_BYTES {
            let message = format!("the section has {} bytes, the limit is {MAX_SECTION_BYTES}", data.len());
            return Err(refusal(&message));
        }
        let mut reader = Reader(data);
        let cut = || refusal("the section ends early, or has a number that is not written shortly");
        let kind = reader.take(KIND.len()).ok_or_else(cut)?;
        if kind != KIND {
            return Err(refusal(
                "the section is of a version, a content type or a hash that is not known here",
            ));
        }
        if reader.number().ok_or_else(cut)? != 1 {
            return Err(refusal(
                "the section signs several contents; remove it and sign the module as it is",
            ));
        }
        let mut set = Reader(reader.prefixed().ok_or_else(cut)?);
        if set.number().ok_or_else(cut)? != 1 {
            return Err(refusal("the module was signed in parts; only signatures of all of it count"));
        }
        let digest = set.take(32).and_then(<[u8]>::as_array).ok_or_else(cut)?;
        let count = set.number().ok_or_else(cut)?;
        if count == 0 || count > MAX_SIGNATURES {
            let message = format!("the section has {count} signatures; there can be 1 to {MAX_SIGNATURES}");
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
    let cut = || refusal("a signature ends early, or has a number that is not written shortly");
    let key_id = match reader.prefixed().ok_or_else(cut)? {
        [] => None,
        id => Some(KeyId::new(*id.as_array().ok_or_else(|| {
            refusal(&format!("a key id has {}; it has {} or none", counted(id.len(), "byte"), KeyId::BYTES))
        })?)),
    };
    if reader.take(1).ok_or_else(cut)? != [ED25519] {
        return Err(refusal("a signature is of an algorithm that is not known here; Ed25519 is"));
    }
    let bytes = reader.prefixed().ok_or_else(cut)?;
    let bytes = bytes.as_array().ok_or_else(|| refusal("a signature does not have 64 bytes"))?;
    match reader.0 {
        [] => Ok(Signature { key_id, bytes: *bytes }),
        _ => Err(refusal("a signature has bytes after its end")),
    }
}

/// Bytes, and before them how many.
fn prefixed(bytes: &[u8]) -> Vec<u8> {
    [&leb128(bytes.len()), bytes].concat()
}

/// Bytes that are read from the front. `None` is the end, or a number that is not in its shortest form.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// A number of up to 28 bits, which is more than any here.
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

    /// The contents of a signature section that begins here, and what follows it.
    fn section(mut self) -> Option<(&'a [u8], &'a [u8])> {
        if self.take(1)? != [0] {
            return None;
        }
        let mut section = Reader(self.prefixed()?);
        (section.prefixed()? == SECTION.as_bytes()).then_some((section.0, self.0))
    }
}

/// The error of a signature, or of the section that it is in, that is refused.
#[must_use]
pub fn refusal(message: &str) -> Error {
    Error::new(codes::MODULE_SIGNATURE, format!("signature: {message}"))
}

fn malformed(message: &str) -> Error {
    Error::new(codes::MODULE_MALFORMED, format!("the bytes are not a WebAssembly module: {message}"))
}
