//! The little that plans read off a schema's own text: which members it names, and where a member's schema is.
//!
//! Nothing is concluded from what stands beside a `$ref`, which one of the drafts ignores.

use adjudicate_lang::{
    Error, Steps,
    json::{Kind, Node},
    schema::{Documents, Options, Schema},
};

use crate::codes;

/// Compiles a schema, or says why it does not compile. No other document is at hand, so that whatever it refers to must be
/// its own.
///
/// # Errors
///
/// Running out of the budget.
pub(super) fn compile(schema: Node<'_>, steps: &mut Steps) -> Result<Result<Schema, Error>, Error> {
    match Schema::compile(schema, &Documents::default(), Options::default(), steps) {
        Err(error) if error.code() != codes::INVALID_SCHEMA => Err(error),
        compiled => Ok(compiled),
    }
}

/// The members that a schema describes at its top level; one that can have no value is none.
pub(super) fn properties(schema: Node<'_>) -> impl Iterator<Item = &str> {
    let described = schema.member("properties").filter(|_| !refers(schema));
    let members = described.into_iter().flat_map(Node::members);
    members.filter(|(_, value)| value.kind() != Kind::Bool(false)).map(|(name, _)| name)
}

/// The members that a schema requires at its top level; beside a `$ref` too, for to ask for too much accepts nothing.
pub(super) fn required(schema: Node<'_>) -> impl Iterator<Item = &str> {
    schema.member("required").into_iter().flat_map(Node::items).filter_map(Node::as_str)
}

/// The schema of a member of whatever a schema describes, if it is described and, where that is asked for, cannot be absent.
pub(super) fn member<'t>(schema: Node<'t>, name: &str, is_needed: bool) -> Option<Node<'t>> {
    if refers(schema) {
        return None;
    }
    let is_present = || has_type(schema, "object") && required(schema).any(|required| required == name);
    let member = schema.member("properties")?.member(name)?;
    (!is_needed || is_present()).then_some(member).filter(|member| !refers(*member))
}

/// Whether values of that type alone are allowed.
pub(super) fn has_type(schema: Node<'_>, name: &str) -> bool {
    schema.member("type").and_then(Node::as_str) == Some(name)
}

/// Whether a schema names that type, alone or among others.
pub(super) fn names_type(schema: Node<'_>, name: &str) -> bool {
    let types = schema.member("type").filter(|_| !refers(schema));
    types.is_some_and(|types| {
        types.as_str() == Some(name) || types.items().any(|one| one.as_str() == Some(name))
    })
}

fn refers(schema: Node<'_>) -> bool {
    schema.members().any(|(name, _)| matches!(name, "$ref" | "$dynamicRef" | "$recursiveRef"))
}
