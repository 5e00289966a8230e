//! The policy document inside a module: a custom section that hosts read without running anything.
//!
//! The section is the document as canonical JSON, compressed with zlib (RFC 1950) and without trailing bytes. The manifest has the
//! SHA-256 of the canonical JSON, so everyone can check the digest. A composition reads from it the parts of its base that it
//! needs, above all the routes.

use std::sync::Arc;

use adjudicate_core::{
    Error, Policy,
    json::{self, MAX_DOCUMENT_BYTES, ReadLimits},
};
use miniz_oxide::{
    DataFormat, MZFlush, MZStatus,
    deflate::compress_to_vec_zlib,
    inflate::stream::{InflateState, inflate},
};

use crate::{
    Digest, codes,
    manifest::{Manifest, refusal},
};

/// The name of the custom section that holds the document.
pub const SECTION: &str = "adjudicate.policy";

/// Size of the buffer for decompression.
const PIECE: usize = 64 << 10;

/// The compression level, of 10. Documents are small.
const EFFORT: u8 = 9;

/// A policy from a module, with its document.
#[derive(Clone, Debug)]
pub struct EmbeddedPolicy {
    inner: Arc<EmbeddedPolicyState>,
}

#[derive(Debug)]
struct EmbeddedPolicyState {
    text: String,
    digest: Digest,
    policy: Policy,
    description: Option<String>,
}

impl EmbeddedPolicy {
    /// Reads a policy document from JSON in any layout.
    ///
    /// # Errors
    ///
    /// Those of [`Policy::parse`].
    pub(crate) fn read(document: &[u8]) -> Result<Self, Error> {
        let policy = Policy::parse(document)?;
        // The document is read a second time because a policy does not keep it.
        let tape = json::read(document, ReadLimits::DOCUMENT)?;
        let description = tape.root().member("description").and_then(|node| node.as_str()).map(str::to_owned);
        let text = json::canonical(tape.root());
        let digest = Digest::sha256(text.as_bytes());
        Ok(Self { inner: Arc::new(EmbeddedPolicyState { text, digest, policy, description }) })
    }

    /// The document as canonical JSON.
    pub(crate) fn text(&self) -> &str {
        &self.inner.text
    }

    /// The content of the section.
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

    /// The ids of the policy's rules, in document order.
    pub(crate) fn rules(&self) -> impl Iterator<Item = &str> {
        self.policy().rules().iter().map(adjudicate_core::policy::Rule::id)
    }
}

impl PartialEq for EmbeddedPolicy {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Eq for EmbeddedPolicy {}

/// Reads the policy document from the sections of a module and compares it with the manifest.
///
/// Returns `None` if the module has no such section.
///
/// # Errors
///
/// [`codes::MODULE_MANIFEST`] if there are several sections, if the section is not a policy in canonical JSON, or if the manifest
/// names another policy.
pub(crate) fn embedded_policy(
    sections: &[&[u8]],
    manifest: &Manifest,
) -> Result<Option<EmbeddedPolicy>, Error> {
    let section = match sections {
        [] => return Ok(None),
        [section] => section,
        _ => return Err(wrong(&format!("there are {} of them; keep one", sections.len()))),
    };
    let Some(label) = &manifest.policy else {
        return Err(refusal(
            &format!("the section `{SECTION}` has a policy, and the manifest has no `policy`"),
            "/policy",
        ));
    };
    let text = unpacked(section)
        .ok_or_else(|| wrong("it is not one zlib stream, or has over 8 MiB uncompressed"))?;
    let document =
        EmbeddedPolicy::read(&text).map_err(|error| wrong(&error.to_string()).with_source(error))?;
    if document.text().as_bytes() != text {
        return Err(wrong("it is not canonical JSON"));
    }
    let policy = document.policy();
    let disagreement = [
        (label.digest != document.digest(), "digest"),
        (label.name.0 != policy.name(), "name"),
        (label.version.to_string() != policy.version(), "version"),
        (!label.rules.iter().map(String::as_str).eq(document.rules()), "rules"),
    ];
    match disagreement.into_iter().find(|(disagrees, _)| *disagrees) {
        Some((_, member)) => Err(refusal(
            &format!("the policy in the section `{SECTION}` is not the one that the manifest describes"),
            &format!("/policy/{member}"),
        )),
        None => Ok(Some(document)),
    }
}

/// Decompresses a section. Returns `None` unless it is one whole stream of at most the length of a document. Allocates no more than
/// that length.
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
