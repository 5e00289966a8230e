//! The built-in meta-schemas of both drafts and their vocabularies.
//!
//! The texts in `meta/` are those that json-schema.org publishes, without the white space between their tokens. Copyright
//! (c) JSON Schema Specification Authors, used under the BSD 3-Clause License (`meta/LICENSE`). They are 10.6 KB of the engine
//! module, 1.4 KB of it under brotli; a schema that does not refer to them does not pay for reading them.

use core::cell::OnceCell;

use crate::{
    error::Error,
    json::{self, Node, ReadLimits, Tape},
    steps::Steps,
};

/// Each text with its URI.
const TEXTS: [(&str, &str); 10] = [
    ("http://json-schema.org/draft-07/schema", include_str!("meta/draft-07.json")),
    ("https://json-schema.org/draft/2020-12/schema", include_str!("meta/2020-12.json")),
    ("https://json-schema.org/draft/2020-12/meta/core", include_str!("meta/2020-12-core.json")),
    ("https://json-schema.org/draft/2020-12/meta/applicator", include_str!("meta/2020-12-applicator.json")),
    ("https://json-schema.org/draft/2020-12/meta/unevaluated", include_str!("meta/2020-12-unevaluated.json")),
    ("https://json-schema.org/draft/2020-12/meta/validation", include_str!("meta/2020-12-validation.json")),
    ("https://json-schema.org/draft/2020-12/meta/meta-data", include_str!("meta/2020-12-meta-data.json")),
    (
        "https://json-schema.org/draft/2020-12/meta/format-annotation",
        include_str!("meta/2020-12-format-annotation.json"),
    ),
    (
        "https://json-schema.org/draft/2020-12/meta/format-assertion",
        include_str!("meta/2020-12-format-assertion.json"),
    ),
    ("https://json-schema.org/draft/2020-12/meta/content", include_str!("meta/2020-12-content.json")),
];

/// The meta-schemas that one compilation refers to, each read at its first use.
#[derive(Debug, Default)]
pub(super) struct MetaSchemas([OnceCell<Tape<'static>>; TEXTS.len()]);

impl MetaSchemas {
    /// Returns the meta-schema of a URI without a fragment.
    ///
    /// # Errors
    ///
    /// [`limit_exceeded`](crate::codes::LIMIT_EXCEEDED) if the budget does not suffice to read it.
    pub(super) fn find(&self, uri: &str, steps: &mut Steps) -> Result<Option<Node<'_>>, Error> {
        let mut rows = self.0.iter().zip(TEXTS);
        let Some((cell, (_, text))) = rows.find(|(_, (name, _))| *name == uri) else { return Ok(None) };
        if cell.get().is_none() {
            steps.spend(text.len())?;
            // The cell is empty.
            let _ = cell.set(json::read(text.as_bytes(), ReadLimits::DOCUMENT)?);
        }
        Ok(cell.get().map(Tape::root))
    }
}
