//! JSON values as text: a table with one line per scalar, or one line for all.

use adjudicate_core::{
    Error,
    json::{self, Kind, Node, OwnedValue, ReadLimits},
};

use super::{
    page::{Line, Page},
    style::{DIM, PLAIN},
};

/// The longest name that indents its value; longer names push it to the right.
const WIDEST_NAME: usize = 24;

/// Returns the table of an answer: all its values.
pub(crate) fn answer(answer: &str) -> Result<Page, Error> {
    Ok(value(Some(json::read(answer.as_bytes(), ReadLimits::ANSWER)?.root())))
}

/// Returns the table of a value.
pub(crate) fn value(value: Option<Node<'_>>) -> Page {
    let mut page = Page::default();
    if let Some(value) = value {
        lines(&mut page, 0, None, value);
    }
    page
}

/// Adds the lines of a value and its parts. The recursion is bounded by the depth limit of documents.
fn lines(page: &mut Page, indent: usize, label: Option<&str>, value: Node<'_>) {
    let line = Line::at(indent);
    let line = match label {
        Some(label) => line.label(label, DIM, indent + label.chars().count().min(WIDEST_NAME) + 1),
        None => line,
    };
    match value.kind() {
        Kind::Object if !value.is_empty() => {
            label.is_some().then(|| page.push(line));
            let indent = if label.is_some() { indent + 2 } else { indent };
            value.members().for_each(|(name, member)| lines(page, indent, Some(&format!("{name}:")), member));
        }
        Kind::Array if !value.is_empty() => {
            label.is_some().then(|| page.push(line));
            let indent = if label.is_some() { indent + 2 } else { indent };
            value.items().for_each(|item| lines(page, indent, Some("-"), item));
        }
        Kind::String => page.push(line.text(value.as_str().unwrap_or_default(), PLAIN)),
        _ => page.push(line.text(&json::canonical(value), PLAIN)),
    }
}

/// Returns a value on one line: a string or a number unchanged, a list as its items with `between` between them,
/// everything else as JSON.
pub(super) fn shown(value: Node<'_>, between: &str) -> String {
    match value.kind() {
        Kind::String => value.as_str().unwrap_or_default().to_owned(),
        Kind::Integer | Kind::Float => value.as_number().unwrap_or_default().to_owned(),
        Kind::Array if !value.is_empty() => {
            value.items().map(|item| shown(item, ", ")).collect::<Vec<_>>().join(between)
        }
        _ => json::canonical(value),
    }
}

/// Returns a value on one line, as [`shown`].
pub(super) fn owned(value: &OwnedValue, between: &str) -> String {
    match value {
        OwnedValue::Text(text) => text.clone(),
        OwnedValue::List(items) if !items.is_empty() => {
            items.iter().map(|item| owned(item, ", ")).collect::<Vec<_>>().join(between)
        }
        _ => value.to_text(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_in_a_line_is_never_empty_unless_it_is_an_empty_text() {
        for (value, line) in [
            (r#""a b""#, "a b"),
            (r#""""#, ""),
            (r#"["a",["b",1.50],true]"#, "a -> b, 1.50 -> true"),
            ("[]", "[]"),
            ("{}", "{}"),
            ("null", "null"),
            (r#"{"b":[1, 2],"a":null}"#, r#"{"a":null,"b":[1,2]}"#),
        ] {
            let tape = json::read(value.as_bytes(), ReadLimits::DOCUMENT).unwrap();
            assert_eq!(shown(tape.root(), " -> "), line);
        }
    }
}
