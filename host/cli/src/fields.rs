//! Fields of an answer, which may be missing.

use adjudicate_core::json::{Kind, Node};

/// The string under a key, empty if there is none.
pub(crate) fn text<'t>(node: Node<'t>, key: &str) -> &'t str {
    node.member(key).and_then(Node::as_str).unwrap_or_default()
}

/// Whether the flag under a key is set.
pub(crate) fn is_set(node: Node<'_>, key: &str) -> bool {
    node.member(key).map(Node::kind) == Some(Kind::Bool(true))
}

/// The items of the list under a key.
pub(crate) fn items<'t>(node: Node<'t>, key: &str) -> impl Iterator<Item = Node<'t>> {
    node.member(key).into_iter().flat_map(Node::items)
}
