//! Values as they were given: what is kept for its owner keeps its order and the digits of its numbers.

use alloc::string::String;

use crate::json::{
    Kind, Node,
    object::{Members, extensions, write_list},
    write_string,
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

/// Writes the members of an object whose names begin with `x-`, by name.
pub(super) fn write_extensions(object: Node<'_>, members: &mut Members<'_>) {
    for (name, value) in extensions(object) {
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
