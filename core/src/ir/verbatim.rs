//! Values as they were given: what is kept for its owner keeps its order and the digits of its numbers.

use alloc::{string::String, vec::Vec};

use adjudicate_lang::{
    json::{
        Kind, Node,
        object::{Field, Members, write_list},
        write_string,
    },
    order,
};

/// Writes a value without white space.
pub(super) fn write(value: Node<'_>, out: &mut String) {
    match value.kind() {
        Kind::Null => out.push_str("null"),
        Kind::Bool(value) => out.push_str(if value { "true" } else { "false" }),
        Kind::Integer | Kind::Float => out.push_str(value.as_number().unwrap_or_default()),
        Kind::String => write_string(value.as_str().unwrap_or_default(), out),
        Kind::Array => write_list(value.items(), out, write),
        Kind::Object => {
            out.push('{');
            for (index, (name, member)) in value.members().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_string(name, out);
                out.push(':');
                write(member, out);
            }
            out.push('}');
        }
    }
}

/// Writes the members of an object that are not declared, by name.
pub(super) fn write_others(object: Node<'_>, declared: &[Field], members: &mut Members<'_>) {
    let is_declared = |name: &str| declared.iter().any(|field| field.name() == name);
    let mut others: Vec<_> = object.members().filter(|(name, _)| !is_declared(name)).collect();
    order::sort_by(&mut others, |(left, _), (right, _)| left.cmp(right));
    for (name, value) in others {
        let mut text = String::new();
        write(value, &mut text);
        members.json(name, Some(&text));
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
