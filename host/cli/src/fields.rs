//! Readers of fields of an answer, which may be missing.

use adjudicate_core::json::Node;

/// Returns the string under a key, or an empty one.
pub(crate) fn text<'t>(node: Node<'t>, key: &str) -> &'t str {
    node.member(key).and_then(Node::as_str).unwrap_or_default()
}

/// Returns the items of the list under a key.
pub(crate) fn items<'t>(node: Node<'t>, key: &str) -> impl Iterator<Item = Node<'t>> {
    node.member(key).into_iter().flat_map(Node::items)
}
