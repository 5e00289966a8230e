//! One validation, JSON in and JSON out.

use alloc::{format, string::String, vec::Vec};

use serde::Serialize;

use super::{
    Documents, Draft, Options, Schema, Violation,
    violation::{AnswerViolation, OwnedViolation},
};
use crate::{
    codes,
    document::{self, Describe, Document, Reader, Shape, Type},
    error::Error,
    json::{self, MAX_DOCUMENT_BYTES, Node, ReadLimits, shorten},
    steps::Steps,
};

/// The fields that are documents of their own: pointers and depth begin inside of them.
const DOCUMENTS: &[&str] = &["schema", "instance"];

/// The input of a validation.
#[derive(Document)]
#[document(root, expecting = "an object")]
struct Call<'t> {
    /// The schema.
    schema: Node<'t>,
    /// The value to validate.
    instance: Node<'t>,
    /// The draft of documents that do not name theirs with `$schema`.
    #[serde(default)]
    draft: Draft,
    /// The other schemas that references may lead to, by their URIs.
    #[serde(default)]
    documents: Documents<'t>,
}

/// Validates `{"schema", "instance", "draft"?, "documents"?}` and answers `{"valid", "errors"}` (docs/reference/schema.md).
///
/// `draft` is the draft of documents that do not name theirs with `$schema`: `7` (or `draft-07`), which it is without `draft`,
/// `2020-12`, or the URI of either meta-schema. `documents` has the other schemas that references may lead to, by their URIs.
/// `format` annotates. `errors` is empty for a valid instance; otherwise each is
/// `{"instance_path", "schema_path", "keyword", "expected"}`, the fields and the order of [`Schema::validate`].
///
/// # Errors
///
/// Those of [`json::read`], the first of the call in document order, those of [`Schema::compile`] and of
/// [`Schema::validate`]. If the schema is at fault, the message begins with `schema:` and the path begins at it.
///
/// ```
/// use adjudicate_lang::{codes, schema::check_text};
/// let call = br#"{"schema": {"items": {"minimum": 0}}, "instance": [1, -1]}"#;
/// assert_eq!(
///     check_text(call)?,
///     r#"{"valid":false,"errors":[{"instance_path":"/1","schema_path":"/items/minimum","keyword":"minimum","expected":"0 or more"}]}"#
/// );
/// let call = br#"{"schema": {"$ref": "names.json"}, "instance": "", "documents": {"names.json": {"maxLength": 3}}}"#;
/// assert_eq!(check_text(call)?, r#"{"valid":true,"errors":[]}"#);
///
/// let error = check_text(br#"{"schema": {"minimum": "0"}, "instance": 1, "draft": "2020-12"}"#).unwrap_err();
/// assert_eq!((error.code(), error.path()), (codes::INVALID_SCHEMA, "/minimum"));
/// assert_eq!(error.message(), "schema: `minimum` takes a number");
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
pub fn check_text(input: &[u8]) -> Result<String, Error> {
    let tape = json::read(input, ReadLimits { documents: DOCUMENTS, bytes: MAX_DOCUMENT_BYTES })?;
    let call: Call<'_> = document::read(tape.root())?;
    let steps = &mut Steps::default();
    let options = Options { draft: call.draft, formats: false };
    let errors = Schema::compile(call.schema, &call.documents, options, steps)
        .map_err(|error| error.within("schema"))?
        .validate(call.instance, steps)
        .map_err(|error| error.within("instance"))?;
    Ok(json::write(&SchemaCheck { valid: errors.is_empty(), errors }))
}

impl Document<'_> for Draft {
    const SHAPE: Shape = Shape::Text;

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        reader.parsed(node, |name| match name {
            "7" | "draft-07" => Ok(Self::Draft7),
            "2020-12" => Ok(Self::Draft2020),
            uri => Self::from_meta_schema(uri).ok_or_else(|| {
                let message = format!(
                    "`{}` is not one of `7`, `2020-12` and the URIs of their meta-schemas",
                    shorten(uri)
                );
                Error::new(codes::INVALID_VALUE, message)
            }),
        })
    }
}

impl Describe for Draft {
    #[inline]
    fn describe() -> Type {
        let pattern = r"^(7|draft-07|2020-12|https?://json-schema\.org/draft-07/schema#?|https://json-schema\.org/draft/2020-12/schema#?)$";
        Type::Text { min_length: 0, pattern }
    }
}

impl<'t: 'd, 'd> Document<'t> for Documents<'d> {
    const SHAPE: Shape = Shape::Map(&Shape::Any);

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        let mut documents = Self::default();
        let is_object = reader.members(node, &mut |uri, document, _| documents.push(uri, document));
        is_object.then_some(documents)
    }
}

impl Describe for Documents<'_> {
    #[inline]
    fn describe() -> Type {
        Type::Object
    }
}

/// The answer of [`check_text`].
#[derive(Clone, Debug, Describe, Serialize)]
#[document(answer(AnswerSchemaCheck, "an object with `valid` and `errors`"), owned)]
pub struct SchemaCheck {
    /// True if the instance is valid.
    pub valid: bool,
    /// The violations.
    #[document(answer)]
    pub errors: Vec<Violation>,
}
