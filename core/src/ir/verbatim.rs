//! Undeclared fields of an object, written verbatim.

use alloc::vec::Vec;

use adjudicate_lang::{
    document::Member,
    json::{Kind, Node, object::ObjectWriter, write_verbatim},
    order,
};

/// Writes the undeclared fields of an object, by name.
pub(super) fn write_others(object: Node<'_>, declared: &[Member], members: &mut ObjectWriter<'_>) {
    let is_declared = |name: &str| declared.iter().any(|field| field.name == name);
    let mut others: Vec<_> = object.members().filter(|(name, _)| !is_declared(name)).collect();
    order::sort_by(&mut others, |(left, _), (right, _)| left.cmp(right));
    for (name, value) in others {
        members.part(name, |out| write_verbatim(value, out));
    }
}

/// The nesting depth of a value, including itself.
pub(super) fn depth(value: Node<'_>) -> usize {
    let inner = match value.kind() {
        Kind::Array => value.items().map(depth).max(),
        Kind::Object => value.members().map(|(_, member)| depth(member)).max(),
        _ => return 0,
    };
    1 + inner.unwrap_or_default()
}
