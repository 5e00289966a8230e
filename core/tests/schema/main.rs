//! Schemas from the outside: the public suite, tables, hostile input, laws.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "the whole binary is tests: to panic is how they fail"
)]

mod compile;
mod hostile;
mod laws;
mod suite;
mod violations;

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

/// Compiles a schema, beside the meta-schemas if it may mean one of them.
fn compiled(schema: &str, draft: Draft, steps: &mut Steps) -> Result<Schema, Error> {
    let used = META_SCHEMAS.into_iter().filter(|_| schema.contains("json-schema.org"));
    let tapes: Vec<_> = used.map(|(uri, text)| (uri, read(text))).collect();
    let mut documents = Documents::default();
    for (uri, tape) in &tapes {
        documents = documents.with(uri, tape.root());
    }
    Schema::compile(read(schema).root(), &documents, Options { draft, formats: true }, steps)
}

/// What is wrong with an instance.
fn found(schema: &str, draft: Draft, instance: &str) -> Result<Vec<Violation>, Error> {
    let schema = compiled(schema, draft, &mut Steps::default())?;
    let instance = read(instance);
    let found = schema.validate(instance.root(), &mut Steps::default())?;
    assert_eq!(schema.is_valid(instance.root(), &mut Steps::default())?, found.is_empty());
    Ok(found)
}
