//! One validation, JSON in and JSON out.

use alloc::{format, string::String};

use super::{Documents, Draft, Options, Schema, Violation};
use crate::{
    codes,
    error::Error,
    json::{
        self, Limits, MAX_DOCUMENT_BYTES, Node,
        object::{Field, Form, Members, optional, read_document, required, write_list},
        shorten,
    },
    steps::Steps,
};

/// The members that are documents of their own: pointers and depth begin inside of them.
const DOCUMENTS: &[&str] = &["schema", "instance"];

/// In the order of [`Call`]'s members.
const CALL: &[Field] = &[
    required("schema", Form::Any),
    required("instance", Form::Any),
    optional("draft", Form::Text),
    optional("documents", Form::Object),
];

/// What is asked.
struct Call<'t> {
    schema: Node<'t>,
    instance: Node<'t>,
    draft: Draft,
    documents: Documents<'t>,
}

/// Validates `{"schema", "instance", "draft"?, "documents"?}` and answers `{"valid", "errors"}` (SPEC section 14).
///
/// `draft` is the draft of documents that do not name theirs with `$schema`: `7` (or `draft-07`), which it is without `draft`,
/// `2020-12`, or the URI of either meta-schema. `documents` has the other schemas that references may lead to, by their URIs.
/// `format` annotates. `errors` is empty for what is valid; otherwise each is
/// `{"instance_path", "schema_path", "keyword", "expected"}`, the members and the order of [`Schema::validate`].
///
/// # Errors
///
/// Those of [`json::read`], the first of the call in document order, those of [`Schema::compile`] and of
/// [`Schema::validate`]. Where the schema is at fault, the message begins with `schema:` and the path begins at it.
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
    let tape = json::read(input, Limits { documents: DOCUMENTS, bytes: MAX_DOCUMENT_BYTES })?;
    let call = Call::read(tape.root())?;
    let steps = &mut Steps::default();
    let options = Options { draft: call.draft, formats: false };
    let found = Schema::compile(call.schema, &call.documents, options, steps)
        .map_err(|error| error.within("schema"))?
        .validate(call.instance, steps)
        .map_err(|error| error.within("instance"))?;
    Ok(answer(&found))
}

impl<'t> Call<'t> {
    fn read(root: Node<'t>) -> Result<Self, Error> {
        // The first two are required, and replace these.
        let mut call =
            Self { schema: root, instance: root, draft: Draft::default(), documents: Documents::default() };
        read_document(root, CALL, &mut |at, value| {
            match at {
                0 => call.schema = value,
                1 => call.instance = value,
                2 => call.draft = draft(value.as_str().unwrap_or_default())?,
                _ => {
                    for (uri, document) in value.members() {
                        call.documents = core::mem::take(&mut call.documents).with(uri, document);
                    }
                }
            }
            Ok(())
        })?;
        Ok(call)
    }
}

/// The draft of that name.
fn draft(name: &str) -> Result<Draft, Error> {
    match name {
        "7" | "draft-07" => Ok(Draft::Draft7),
        "2020-12" => Ok(Draft::Draft2020),
        uri => Draft::of_meta_schema(uri).ok_or_else(|| {
            let message =
                format!("`{}` is not one of `7`, `2020-12` and the URIs of their meta-schemas", shorten(uri));
            Error::new(codes::INVALID_VALUE, message)
        }),
    }
}

fn answer(found: &[Violation]) -> String {
    let mut errors = String::new();
    write_list(found, &mut errors, Violation::write);
    let mut out = String::new();
    let mut members = Members::open(&mut out);
    members.flag("valid", found.is_empty());
    members.json("errors", Some(&errors));
    members.close();
    out
}

impl Violation {
    fn write(&self, out: &mut String) {
        let mut members = Members::open(out);
        members.text("instance_path", Some(&self.instance_path));
        members.text("schema_path", Some(&self.schema_path));
        members.text("keyword", Some(self.keyword));
        members.text("expected", Some(&self.expected));
        members.close();
    }
}
