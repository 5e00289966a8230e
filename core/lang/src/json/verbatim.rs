//! The verbatim text of values.

use alloc::string::String;

use super::{
    canonical::write_string,
    object::{ObjectWriter, write_list},
    tape::{Kind, Node},
};

/// Returns the text of a value with its order and its spelling of numbers, without the white space between tokens.
///
/// ```
/// use adjudicate_lang::json::{self, ReadLimits};
/// let tape = json::read(br#" {"b": [1.50, -0, null], "a": {"\u00e9": "\u0041\n"}} "#, ReadLimits::DOCUMENT)?;
/// assert_eq!(json::verbatim(tape.root()), r#"{"b":[1.50,-0,null],"a":{"é":"A\n"}}"#);
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
#[must_use]
pub fn verbatim(value: Node<'_>) -> String {
    let mut out = String::new();
    write_verbatim(value, &mut out);
    out
}

/// Appends a value to `out` as [`verbatim`] writes it.
pub fn write_verbatim(value: Node<'_>, out: &mut String) {
    match value.kind() {
        Kind::Null => out.push_str("null"),
        Kind::Bool(value) => out.push_str(if value { "true" } else { "false" }),
        Kind::Integer | Kind::Float => out.push_str(value.as_number().unwrap_or_default()),
        Kind::String => write_string(value.as_str().unwrap_or_default(), out),
        Kind::Array => write_list(value.items(), out, write_verbatim),
        Kind::Object => {
            let mut members = ObjectWriter::open(out);
            for (name, member) in value.members() {
                members.part(name, |out| write_verbatim(member, out));
            }
            members.close();
        }
    }
}
