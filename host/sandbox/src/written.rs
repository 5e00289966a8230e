//! A JSON value, written again as it stands in its document.

use adjudicate_core::json::{self, Kind, Node};

/// The value in its own order, with its own spelling of numbers, without the white space between tokens.
pub(crate) fn as_written(value: Node<'_>) -> String {
    let mut out = String::new();
    write(&mut out, value);
    out
}

fn write(out: &mut String, value: Node<'_>) {
    match value.kind() {
        Kind::Null => out.push_str("null"),
        Kind::Bool(value) => out.push_str(if value { "true" } else { "false" }),
        Kind::Integer | Kind::Float => out.push_str(value.as_number().unwrap_or_default()),
        Kind::String => out.push_str(&json::write(&value.as_str().unwrap_or_default())),
        Kind::Array => list(out, ['[', ']'], value.items(), write),
        Kind::Object => list(out, ['{', '}'], value.members(), |out, (name, member)| {
            out.push_str(&json::write(&name));
            out.push(':');
            write(out, member);
        }),
    }
}

fn list<T>(
    out: &mut String,
    [open, close]: [char; 2],
    items: impl Iterator<Item = T>,
    mut write: impl FnMut(&mut String, T),
) {
    out.push(open);
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(out, item);
    }
    out.push(close);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_spelling_stay() {
        let text = r#" {"b": [1.50, -0, true, null, []], "a": {"\u00e9": "\u0041\n", "x": {}}} "#;
        let tape = json::read(text.as_bytes(), json::Limits::DOCUMENT).unwrap();
        assert_eq!(as_written(tape.root()), r#"{"b":[1.50,-0,true,null,[]],"a":{"é":"A\n","x":{}}}"#);
    }
}
