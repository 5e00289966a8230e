//! `#[derive(Document)]` generates the reader and the shape of a document from a struct or an enum.
//!
//! The generated code is small. It fills one variable for each field; `adjudicate_lang::document::Reader` does everything else,
//! in code that all documents share. Most attributes are those of serde, because serde writes the types and tsify describes them
//! for TypeScript, and both read the same attributes:
//!
//! | attribute | meaning |
//! | --- | --- |
//! | `#[serde(default)]` on a field | the field may be absent, and then has the value of `Default` |
//! | `#[serde(skip)]` on a field | the field is not part of the document, and has the value of `Default` |
//! | `#[serde(rename = "name")]` on a field or variant | the name in the document |
//! | `#[serde(rename_all = "snake_case")]` on a type | the names of all fields or variants; also `camelCase`, `SCREAMING_SNAKE_CASE` |
//! | `#[serde(rename_all_fields = "camelCase")]` on an enum | the names of all fields of its variants |
//! | `#[serde(tag = "kind")]` on an enum | an object in which this field has the name of the variant, next to the variant's fields |
//! | `#[document(default = 1)]` on a field | the field may be absent, and then has this value |
//! | `#[document(source)]` on a field | the field is not part of the document, and has the whole object as it was written |
//! | `#[document(expecting = "an edit object")]` on a type | the expected value in the error for a value that is not an object |
//! | `#[document(root)]` on a type | the document may name its JSON Schema in `$schema`, which is ignored |
//! | `#[document(closed)]` on a type | fields whose names begin with `x-` are errors, too |
//! | `#[document(open)]` on a type | other fields are ignored, unless their names are close to a declared one |
//! | `#[document(carried)]` on a type | other fields are ignored |
//! | `#[document(check = "path")]` on a type | `fn(&Self) -> Result<(), Error>`, called for each value without other errors |
//! | `#[document(name = "Entry")]` on a type | the name in descriptions, if the type has another one |
//! | `#[document(described = "Type")]` on a field | the type that describes the field, if its own says less |
//! | `#[document(schema = "{...}")]` on a type or field | further keywords of the JSON Schema, for rules that the types do not say |
//! | `#[document(owned)]` on a struct | the struct has an owned form; `owned(Default)` adds derives to it |
//! | `#[document(owned)]` on a field | the type has an owned form, although it borrows nothing |
//! | `#[document(answer(AnswerEdit, "an edit object"))]` on a struct | the struct has an answer form of this name |
//! | `#[document(answer)]` on a field | the type has an answer form, although it borrows nothing |
//! | `#[document(accepts = "Type")]` on a field | the type of the field in the answer form, if it is wider |
//!
//! Both derives also implement `Describe`, from doc comments, for generators of schemas. An example in a doc comment, `For
//! example `run-42``, is an example in the schema. A type that the engine writes and never reads derives `Describe` alone, which
//! reads `skip_serializing_if` as serde does: a field that has it may be absent, and any other `Option` may be null. In such a type,
//! `#[serde(flatten)]` puts the fields of another struct in the place of a field.
//!
//! The owned form of `Envelope<'a>`, and of `AnswerEnvelope<'a>`, is a struct `OwnedEnvelope` with the same documentation and the
//! same fields in the same order. `String` stands for `&'a str`, `OwnedValue` for a JSON value, and `OwnedX` for `X<'a>`. A field
//! that may be absent is an `Option`, and so is a value that may be null. The field `extra` has all fields that are not declared.
//! Serde writes an owned form; the reader of the borrowed form reads it. The owned form of a type that the attribute does not
//! stand on is an alias of the same name, for example `type OwnedId = String`.
//!
//! The answer form of an `Edit<'a>` that derives `Describe` is a struct `AnswerEdit<'a>` that derives `Document`: the same fields as a
//! host reads them from the answer of any engine. `&'a str` stands for a text, `Nullable` for an `Option`, `Node<'a>` for a JSON
//! value, and `AnswerX<'a>` for `X<'a>`. A field with `skip_serializing_if` may be absent. With `owned`, the answer form has an owned
//! form.
//!
//! A field of type `Option` may be absent without an attribute, but tsify needs the attribute. A field of type `Nullable` may be
//! null. A field with the name `$schema` is not part of the shape. `deny_unknown_fields` is for serde's reader. `skip_serializing`, `skip_serializing_if` and `serialize_with` are
//! for the writer; the last needs `described`. Any other attribute of serde is an error, because the reader would not do what it says.

mod answer;
mod attributes;
mod describe;
mod fields;
mod names;
mod owned;
mod variants;
mod words;

use attributes::TypeAttributes;
use describe::{Side, describe};
use proc_macro::TokenStream;
use syn::{Data, DeriveInput, Error, Fields, Result, parse_macro_input};

/// Implements `adjudicate_lang::document::Document` and `Describe` for a struct with named fields, an enum whose variants have no
/// fields, or an enum with a tag.
#[proc_macro_derive(Document, attributes(document, serde))]
pub fn document(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let generated = read(&input).and_then(|mut generated| {
        generated.extend(describe(&input, Side::Read)?);
        Ok(generated)
    });
    generated.unwrap_or_else(Error::into_compile_error).into()
}

/// Implements `adjudicate_lang::document::Describe` for a type that serde writes.
#[proc_macro_derive(Describe, attributes(document, serde))]
pub fn described(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let generated = describe(&input, Side::Written).and_then(|mut generated| {
        generated.extend(answer::form(&input)?);
        Ok(generated)
    });
    generated.unwrap_or_else(Error::into_compile_error).into()
}

/// Generates the reader and the shape.
fn read(input: &DeriveInput) -> Result<proc_macro2::TokenStream> {
    match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => {
                let mut generated = fields::read(input, fields)?;
                generated.extend(owned::form(input, fields)?);
                Ok(generated)
            }
            _ => Err(Error::new_spanned(&input.ident, "a document needs named fields")),
        },
        Data::Enum(data) => match TypeAttributes::read(&input.attrs)? {
            TypeAttributes { owned: Some(_), .. } => {
                Err(Error::new_spanned(&input.ident, "only a struct has an owned form"))
            }
            TypeAttributes { tag: Some(tag), .. } => variants::read(input, data, &tag),
            _ => words::read(input, data),
        },
        Data::Union(_) => Err(Error::new_spanned(&input.ident, "a document is a struct or an enum")),
    }
}
