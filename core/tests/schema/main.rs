//! Schemas from the outside: the public suite, tables, hostile input, laws.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "the whole binary is tests: to panic is how they fail"
)]

mod suite;

use adjudicate_core::{
    Error, Steps,
    json::{self, Limits, Tape},
    schema::{Documents, Draft, Options, Schema, Violation},
};

/// The meta-schemas of both drafts, by their URIs.
const META_SCHEMAS: [(&str, &str); 10] = [
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

/// A document.
fn read(text: &str) -> Tape<'_> {
    json::read(text.as_bytes(), Limits::DOCUMENT).expect("it is JSON")
}
