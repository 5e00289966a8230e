//! What is kept of an object for its owner, written verbatim.

use alloc::vec::Vec;

use adjudicate_lang::{
    json::{
        Kind, Node,
        object::{Field, Members},
        write_verbatim,
    },
    order,
};

/// Writes the members of an object that are not declared, by name.
pub(super) fn write_others(object: Node<'_>, declared: &[Field], members: &mut Members<'_>) {
    let is_declared = |name: &str| declared.iter().any(|field| field.name() == name);
    let mut others: Vec<_> = object.members().filter(|(name, _)| !is_declared(name)).collect();
    order::sort_by(&mut others, |(left, _), (right, _)| left.cmp(right));
    for (name, value) in others {
        members.part(name, |out| write_verbatim(value, out));
    }
}

/// How deeply containers are nested in a value, itself counted.
pub(super) fn depth(value: Node<'_>) -> usize {
    let inner = match value.kind() {
        Kind::Array => value.items().map(depth).max(),
        Kind::Object => value.members().map(|(_, member)| depth(member)).max(),
        _ => return 0,
    };
    1 + inner.unwrap_or_default()
}
