//! Changes a JSON value at a JSON Pointer (RFC 6901). Missing containers are errors, and are not created.

use serde_json::Value;

/// Sets the value at a pointer: replaces a value, adds a field to an object, or, with the index `-` or the length,
/// appends to a list.
///
/// # Errors
///
/// The error for an invalid pointer.
pub(super) fn set(document: &mut Value, pointer: &str, new: Value) -> Result<(), String> {
    let (parent, last) = parent(document, pointer)?;
    match parent {
        Value::Object(members) => drop(members.insert(last, new)),
        Value::Array(items) => match index(&last, items.len()) {
            Some(index) => match items.get_mut(index) {
                Some(item) => *item = new,
                None => items.push(new),
            },
            None => return Err(format!("`{pointer}` leads beyond the end of its list")),
        },
        _ => return Err(leads_nowhere(pointer)),
    }
    Ok(())
}

/// Removes the value at a pointer.
///
/// # Errors
///
/// The error for an invalid pointer, or for one without a value to remove.
pub(super) fn remove(document: &mut Value, pointer: &str) -> Result<(), String> {
    let (parent, last) = parent(document, pointer)?;
    let gone = match parent {
        Value::Object(members) => members.remove(&last),
        Value::Array(items) => {
            index(&last, items.len()).filter(|index| *index < items.len()).map(|index| items.remove(index))
        }
        _ => None,
    };
    gone.map(drop).ok_or_else(|| leads_nowhere(pointer))
}

/// Returns the container of a pointer's last segment, and the segment.
fn parent<'v>(document: &'v mut Value, pointer: &str) -> Result<(&'v mut Value, String), String> {
    let Some((parent, last)) = pointer.rsplit_once('/').filter(|_| pointer.starts_with('/')) else {
        return Err(format!("`{pointer}` is not a JSON Pointer to a part of the input"));
    };
    let found = document.pointer_mut(parent).ok_or_else(|| leads_nowhere(pointer))?;
    Ok((found, adjudicate_core::json::unescape_segment(last)))
}

/// Parses an index of a list; `-` is the index after the last item.
fn index(segment: &str, length: usize) -> Option<usize> {
    let is_plain = segment == "0" || !segment.starts_with(['0', '+']);
    let index = if segment == "-" { Some(length) } else { segment.parse().ok().filter(|_| is_plain) };
    index.filter(|index| *index <= length)
}

fn leads_nowhere(pointer: &str) -> String {
    format!("`{pointer}` leads to nothing in the input")
}
