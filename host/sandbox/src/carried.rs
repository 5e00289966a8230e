//! The policy document that a module carries: a custom section that is read without running anything.
//!
//! The section is the document as canonical JSON, packed by zlib (RFC 1950), with nothing behind it; the SHA-256 of that
//! JSON is the digest in the manifest, for anybody to recompute. Hosts read from it what a composition needs of its base: the
//! routes, above all.

use std::sync::Arc;

use adjudicate_core::{
    Error, Policy,
    json::{self, Limits, MAX_DOCUMENT_BYTES},
};
use miniz_oxide::{
    DataFormat, MZFlush, MZStatus,
    deflate::compress_to_vec_zlib,
    inflate::stream::{InflateState, inflate},
};

use crate::{
    codes,
    digest::Digest,
    manifest::{Manifest, refusal},
};

/// The name of the custom section that holds the document.
pub const SECTION: &str = "adjudicate.policy";

/// How many bytes are unpacked at once.
const PIECE: usize = 64 << 10;

/// How hard packing tries, of 10: documents are small.
const EFFORT: u8 = 9;

/// The policy document that a module carries: the policy, and the document that it was read from.
#[derive(Clone, Debug)]
pub struct Carried {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    text: String,
    digest: Digest,
    policy: Policy,
    description: Option<String>,
}

impl Carried {
    /// Reads a policy document, JSON however it is laid out.
    ///
    /// # Errors
    ///
    /// Those of [`Policy::parse`].
    pub(crate) fn read(document: &[u8]) -> Result<Self, Error> {
        let policy = Policy::parse(document)?;
        // Once more, for a policy does not keep its document.
        let tape = json::read(document, Limits::DOCUMENT)?;
        let description = tape.root().member("description").and_then(|node| node.as_str()).map(str::to_owned);
        let text = json::canonical(tape.root());
        let digest = Digest::of(text.as_bytes());
        Ok(Self { inner: Arc::new(Inner { text, digest, policy, description }) })
    }

    /// The document as canonical JSON.
    pub(crate) fn text(&self) -> &str {
        &self.inner.text
    }

    /// The document as the section holds it.
    pub(crate) fn packed(&self) -> Vec<u8> {
        compress_to_vec_zlib(self.text().as_bytes(), EFFORT)
    }

    /// The digest of the canonical JSON.
    pub(crate) fn digest(&self) -> Digest {
        self.inner.digest
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.inner.policy
    }

    pub(crate) fn description(&self) -> Option<&str> {
        self.inner.description.as_deref()
    }

    /// The ids of its rules, in its order.
    pub(crate) fn rules(&self) -> impl Iterator<Item = &str> {
        self.policy().rules().iter().map(adjudicate_core::policy::Rule::id)
    }
}

impl PartialEq for Carried {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Eq for Carried {}

/// The document in a module's sections of that name, if there is one, held against what the manifest says of it.
///
/// # Errors
///
/// [`codes::MODULE_MANIFEST`] for more than one section, one that is no policy in canonical form, or one that is not what
/// the manifest says is baked in.
pub(crate) fn carried(sections: &[&[u8]], manifest: &Manifest) -> Result<Option<Carried>, Error> {
    let section = match sections {
        [] => return Ok(None),
        [section] => section,
        _ => return Err(wrong(&format!("there are {} of them; keep one", sections.len()))),
    };
    let Some(label) = &manifest.policy else {
        return Err(refusal(
            &format!("the module carries a policy in `{SECTION}`, of which nothing is said"),
            "/policy",
        ));
    };
    let text = unpacked(section).ok_or_else(|| {
        wrong("it is not packed by zlib and nothing else, or has over 8 MiB when it is unpacked")
    })?;
    let document = Carried::read(&text).map_err(|error| wrong(&error.to_string()))?;
    if document.text().as_bytes() != text {
        return Err(wrong("it is not canonical JSON"));
    }
    let policy = document.policy();
    let disagreement = [
        (label.digest != document.digest(), "digest"),
        (label.name != policy.name(), "name"),
        (label.version.to_string() != policy.version(), "version"),
        (!label.rules.iter().map(String::as_str).eq(document.rules()), "rules"),
    ];
    match disagreement.into_iter().find(|(disagrees, _)| *disagrees) {
        Some((_, member)) => Err(refusal(
            &format!("the module carries another policy in `{SECTION}` than it says"),
            &format!("/policy/{member}"),
        )),
        None => Ok(Some(document)),
    }
}

/// What a section holds, if it is one stream to its end, and a document can be so long. No more room is made than for that.
fn unpacked(section: &[u8]) -> Option<Vec<u8>> {
    let mut state = InflateState::new_boxed(DataFormat::Zlib);
    let (mut text, mut piece, mut rest) = (Vec::new(), vec![0; PIECE], section);
    loop {
        let step = inflate(&mut state, rest, &mut piece, MZFlush::None);
        let is_done = match step.status {
            Ok(MZStatus::StreamEnd) => true,
            Ok(MZStatus::Ok) if step.bytes_consumed + step.bytes_written > 0 => false,
            _ => return None,
        };
        rest = rest.get(step.bytes_consumed..)?;
        text.extend(piece.get(..step.bytes_written)?);
        if text.len() > MAX_DOCUMENT_BYTES {
            return None;
        }
        if is_done {
            return rest.is_empty().then_some(text);
        }
    }
}

fn wrong(what: &str) -> Error {
    Error::new(codes::MODULE_MANIFEST, format!("the section `{SECTION}`: {what}"))
}
