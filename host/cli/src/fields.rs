//! Readers of fields of an answer, which may be missing.

use adjudicate_core::{
    document::{self, Document},
    json::{Kind, Node},
};

/// Returns the value under a key, unless it is missing or of another form.
pub(crate) fn value<'t, T: Document<'t>>(node: Node<'t>, key: &str) -> Option<T> {
    document::read(node.member(key)?).ok()
}

/// Returns the string under a key, or an empty one.
pub(crate) fn text<'t>(node: Node<'t>, key: &str) -> &'t str {
    node.member(key).and_then(Node::as_str).unwrap_or_default()
}

/// Returns whether the field under a key is `true`.
pub(crate) fn is_set(node: Node<'_>, key: &str) -> bool {
    node.member(key).map(Node::kind) == Some(Kind::Bool(true))
}

/// Returns the items of the list under a key.
pub(crate) fn items<'t>(node: Node<'t>, key: &str) -> impl Iterator<Item = Node<'t>> {
    node.member(key).into_iter().flat_map(Node::items)
}
