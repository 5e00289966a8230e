//! Doc comments as the texts of schemas: plain descriptions, and the examples in them.

use alloc::{borrow::ToOwned, string::String, vec::Vec};

use crate::json::{self, OwnedValue, ReadLimits};

/// The words before an example in backticks.
const EXAMPLE: &str = "or example `";

/// Returns a doc comment without headings, code blocks and the targets of links. Lines of one paragraph are joined.
///
/// ```
/// use adjudicate_lang::document::plain;
/// assert_eq!(plain("A size, see\n[`Unit`](crate::Unit).\n\n# Errors\n\nNone."), "A size, see `Unit`.");
/// ```
#[must_use]
pub fn plain(about: &str) -> String {
    let lines = about.lines().take_while(|line| !line.starts_with("```") && !line.starts_with('#'));
    let mut text = String::new();
    let mut is_apart = true;
    for line in lines {
        if line.is_empty() {
            is_apart = true;
            continue;
        }
        if !text.is_empty() {
            text.push_str(if is_apart { "\n\n" } else { " " });
        }
        is_apart = false;
        text.push_str(line);
    }
    without_links(&text)
}

/// Returns a text with each link, ``[`name`](path)`` or ``[`name`]``, as the text of the link.
fn without_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        plain.push_str(before);
        let Some((label, behind)) = after.split_once(']').filter(|_| is_outside_of_code(&plain)) else {
            plain.push('[');
            rest = after;
            continue;
        };
        let target = behind.strip_prefix('(').and_then(|target| target.split_once(')'));
        plain.push_str(label);
        rest = target.map_or(behind, |(_, rest)| rest);
    }
    plain.push_str(rest);
    plain
}

fn is_outside_of_code(text: &str) -> bool {
    text.matches('`').count().is_multiple_of(2)
}

/// Returns the first example of a doc comment: the code behind `for example`. It is a string, or else JSON.
pub(super) fn example(about: &str, is_text: bool) -> Option<OwnedValue> {
    let about = about.lines().collect::<Vec<_>>().join(" ");
    let (_, code) = about.split_once(EXAMPLE)?;
    let (code, _) = code.split_once('`')?;
    if is_text {
        return Some(OwnedValue::Text(code.to_owned()));
    }
    json::read(code.as_bytes(), ReadLimits::DOCUMENT).ok().map(|tape| OwnedValue::from(tape.root()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_plain_text() {
        for (about, expected) in [
            ("One line.", "One line."),
            ("Two\nlines.\n\nA paragraph.", "Two lines.\n\nA paragraph."),
            ("See [`Status`] and [the rules](crate::rules).", "See `Status` and the rules."),
            ("A list `[1]`, [linked].", "A list `[1]`, linked."),
            ("Before.\n\n```\ncode\n```", "Before."),
            ("Before.\n\n# Errors\n\nNone.", "Before."),
        ] {
            assert_eq!(plain(about), expected);
        }
    }

    #[test]
    fn an_example_is_a_string_or_json() {
        assert_eq!(example("The run, for example `run-42`.", true), Some(OwnedValue::text("run-42")));
        assert_eq!(example("For\nexample `3`.", false), Some(OwnedValue::count(3)));
        assert_eq!(example("The current run, for example `run-42`.", false), None);
        assert_eq!(example("For example, `3`.", false), None);
    }
}
