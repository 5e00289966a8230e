//! The few JSON Schema keywords that plan validation reads itself: fields, required fields and types.
//!
//! Siblings of a `$ref` do not count, because one draft ignores them.

use adjudicate_lang::{
    Error, Steps,
    json::{Kind, Node},
    schema::{Documents, Options, Schema},
};

use crate::codes;

/// Compiles a schema; the inner error says why it does not compile. References must stay inside the schema, because no other
/// document is available.
///
/// # Errors
///
/// When the budget runs out.
pub(super) fn compile(schema: Node<'_>, steps: &mut Steps) -> Result<Result<Schema, Error>, Error> {
    match Schema::compile(schema, &Documents::default(), Options::default(), steps) {
        Err(error) if error.code() != codes::INVALID_SCHEMA => Err(error),
        compiled => Ok(compiled),
    }
}

/// The fields that a schema declares at its top level, except those whose schema is `false`.
pub(super) fn properties(schema: Node<'_>) -> impl Iterator<Item = &str> {
    let described = schema.member("properties").filter(|_| !refers(schema));
    let members = described.into_iter().flat_map(Node::members);
    members.filter(|(_, value)| value.kind() != Kind::Bool(false)).map(|(name, _)| name)
}

/// The fields that a schema requires at its top level, even next to a `$ref`: requiring too much accepts nothing wrongly.
pub(super) fn required(schema: Node<'_>) -> impl Iterator<Item = &str> {
    schema.member("required").into_iter().flat_map(Node::items).filter_map(Node::as_str)
}

/// The schema of a declared field; with `is_needed`, only if the field is required.
pub(super) fn member<'t>(schema: Node<'t>, name: &str, is_needed: bool) -> Option<Node<'t>> {
    if refers(schema) {
        return None;
    }
    let is_present = || has_type(schema, "object") && required(schema).any(|required| required == name);
    let member = schema.member("properties")?.member(name)?;
    (!is_needed || is_present()).then_some(member).filter(|member| !refers(*member))
}

/// Returns true if `name` is the only allowed type.
pub(super) fn has_type(schema: Node<'_>, name: &str) -> bool {
    schema.member("type").and_then(Node::as_str) == Some(name)
}

/// Returns true if `name` is among the allowed types.
pub(super) fn names_type(schema: Node<'_>, name: &str) -> bool {
    let types = schema.member("type").filter(|_| !refers(schema));
    types.is_some_and(|types| {
        types.as_str() == Some(name) || types.items().any(|one| one.as_str() == Some(name))
    })
}

fn refers(schema: Node<'_>) -> bool {
    schema.members().any(|(name, _)| matches!(name, "$ref" | "$dynamicRef" | "$recursiveRef"))
}
