//! Texts of error messages.

use alloc::{
    borrow::Cow,
    format,
    string::{String, ToString},
};

use super::{
    suggest::closest,
    tape::{Kind, Node},
};

impl Node<'_> {
    /// Returns a short description for messages, such as `` the string `a` ``, `` `12` `` or `a list`.
    #[must_use]
    pub fn describe(self) -> String {
        match self.kind() {
            Kind::Null => "null".to_string(),
            Kind::Bool(value) => format!("`{value}`"),
            Kind::Integer | Kind::Float => format!("`{}`", shorten(self.as_number().unwrap_or_default())),
            Kind::String => format!("the string `{}`", shorten(self.as_str().unwrap_or_default())),
            Kind::Array => "a list".to_string(),
            Kind::Object => "an object".to_string(),
        }
    }
}

/// Returns a message such as `` unknown field `a`, did you mean `b`? ``. `what` is the kind of name, `expected` the known names.
#[must_use]
pub fn unknown(what: &str, found: &str, expected: &[&str]) -> String {
    format!("unknown {what} `{}`{}", shorten(found), hint(found, expected))
}

pub(crate) fn hint(found: &str, expected: &[&str]) -> String {
    closest(found, expected).map_or_else(String::new, |name| format!(", did you mean `{name}`?"))
}

/// Formats names as in `` `a`, `b` or `c` ``.
pub(crate) fn list(names: &[&str]) -> String {
    let mut text = String::new();
    for (index, name) in names.iter().enumerate() {
        let separator = match index {
            0 => "",
            _ if index + 1 == names.len() => " or ",
            _ => ", ",
        };
        text.push_str(separator);
        text.push('`');
        text.push_str(name);
        text.push('`');
    }
    text
}

/// Returns at most 60 characters of `text`, for messages. `...` replaces the rest.
#[must_use]
pub fn shorten(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(60) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}...", text.get(..end).unwrap_or_default())),
    }
}
