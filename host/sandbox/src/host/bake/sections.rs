//! The sections of a module: lists, removes and appends them.

use std::ops::Range;

use adjudicate_core::Error;
use adjudicate_trust::signature;
use wasmparser::{BinaryReaderError, Parser, Payload};

use crate::{
    codes, embedded_policy,
    manifest::{self, leb128},
};

/// Sections that describe a module and do not change its behavior. A baked module has its own, not those of the engine.
const LABELS: [&str; 3] = [manifest::SECTION, embedded_policy::SECTION, signature::SECTION];

/// A section of a module.
pub(super) struct Section<'a> {
    pub(super) id: u8,
    /// Includes the section's number and size.
    pub(super) whole: &'a [u8],
    /// For a custom section, begins with the section's name.
    pub(super) content: &'a [u8],
    is_label: bool,
}

/// Lists the sections of a module in order.
///
/// # Errors
///
/// [`codes::MODULE_MALFORMED`] if the bytes cannot be read section by section.
pub(super) fn all(module: &[u8]) -> Result<Vec<Section<'_>>, Error> {
    let mut sections = Vec::new();
    let mut end = 0;
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload.map_err(unreadable)?;
        if let Payload::Version { range, .. } = &payload {
            end = range.end;
        }
        let Some((id, content)) = payload.as_section() else { continue };
        let bytes = |range: Range<usize>| module.get(range).unwrap_or_default();
        let whole = bytes(end..content.end);
        end = content.end;
        let is_label =
            matches!(&payload, Payload::CustomSection(section) if LABELS.contains(&section.name()));
        sections.push(Section { id, whole, content: bytes(content), is_label });
    }
    Ok(sections)
}

/// Returns the module without manifest, policy document and signatures. All other bytes are unchanged.
///
/// # Errors
///
/// Those of [`all`].
pub(super) fn without_labels(module: &[u8]) -> Result<Vec<u8>, Error> {
    let mut kept = module.get(..8).unwrap_or_default().to_vec();
    for section in all(module)?.iter().filter(|section| !section.is_label) {
        kept.extend(section.whole);
    }
    Ok(kept)
}

/// The content of the first section with that number, or empty bytes.
pub(super) fn content(module: &[u8], id: u8) -> Result<&[u8], Error> {
    Ok(all(module)?.into_iter().find(|section| section.id == id).map_or(&[], |section| section.content))
}

/// Appends a section.
pub(super) fn push(module: &mut Vec<u8>, id: u8, content: &[u8]) {
    module.push(id);
    module.extend(leb128(content.len()));
    module.extend(content);
}

/// Returns the module with a custom section at its end.
pub(super) fn append(module: &[u8], name: &str, data: &[u8]) -> Vec<u8> {
    let mut out = module.to_vec();
    push(&mut out, 0, &[&leb128(name.len()), name.as_bytes(), data].concat());
    out
}

pub(super) fn unreadable(error: BinaryReaderError) -> Error {
    let message = format!("the sections of the module cannot be read: {}", error.message());
    Error::new(codes::MODULE_MALFORMED, message).with_source(error)
}
