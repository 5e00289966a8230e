//! White space between the tokens of a JSON text: added for people, removed for comparison.
//!
//! Both directions change no other byte. So you can read an answer file, and the file still pins every digit and
//! escape of the answer. This module parses nothing: a text that is not JSON comes back with other white space.

/// The number of spaces of one level of nesting.
const INDENT: usize = 2;

/// Returns the text without insignificant white space: the bytes that an engine must answer.
///
/// ```
/// use adjudicate_tests::text::compact;
/// assert_eq!(compact("{\n  \"a b\": [1, 2.0]\n}\n"), r#"{"a b":[1,2.0]}"#);
/// ```
#[must_use]
pub fn compact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut quotes = Quotes::default();
    for character in text.chars() {
        if quotes.inside_after(character) || !character.is_ascii_whitespace() {
            out.push(character);
        }
    }
    out
}

/// Returns the text formatted for people: one field or item a line, two spaces a level, a final newline.
///
/// ```
/// use adjudicate_tests::text::{compact, pretty};
/// let answer = r#"{"a":[1,{}],"b":"x: {"}"#;
/// assert_eq!(pretty(answer), "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": \"x: {\"\n}\n");
/// assert_eq!(compact(&pretty(answer)), answer);
/// ```
#[must_use]
pub fn pretty(text: &str) -> String {
    let compacted = compact(text);
    let mut out = String::with_capacity(compacted.len() * 2);
    let mut quotes = Quotes::default();
    let mut depth = 0_usize;
    let mut characters = compacted.chars().peekable();
    while let Some(character) = characters.next() {
        if quotes.inside_after(character) {
            out.push(character);
            continue;
        }
        match character {
            '{' | '[' => {
                out.push(character);
                if let Some(close) = characters.next_if(|next| matches!(next, '}' | ']')) {
                    out.push(close);
                } else {
                    depth += 1;
                    break_line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                break_line(&mut out, depth);
                out.push(character);
            }
            ',' => {
                out.push(character);
                break_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            _ => out.push(character),
        }
    }
    out.push('\n');
    out
}

fn break_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', depth * INDENT));
}

/// The state of a reader: whether it is inside of a string.
#[derive(Default)]
struct Quotes {
    open: bool,
    escaped: bool,
}

impl Quotes {
    /// Takes the next character. Returns true if a string is open before or after it, quotes included.
    fn inside_after(&mut self, character: char) -> bool {
        let was_open = self.open;
        match character {
            _ if self.escaped => self.escaped = false,
            '\\' if self.open => self.escaped = true,
            '"' => self.open = !self.open,
            _ => {}
        }
        was_open || self.open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_keep_their_white_space_and_escapes() {
        let text = r#"{ "a \" b\\" : "c\n  , d" , "e" : [ ] }"#;
        assert_eq!(compact(text), r#"{"a \" b\\":"c\n  , d","e":[]}"#);
    }

    #[test]
    fn laying_out_is_undone_by_compacting() {
        for text in [r#"{}"#, r#"[]"#, r#"null"#, r#"[[],{},[1,[2]],"]{"]"#, r#"{"a":{"b":{"c":-1.5e3}}}"#] {
            assert_eq!(compact(&pretty(text)), text);
            assert_eq!(pretty(&pretty(text)), pretty(text), "laying out twice changes nothing");
        }
    }

    #[test]
    fn text_that_is_not_json_does_not_panic() {
        for text in ["", "\"", "}}}}", "\\", "[{\"", "\u{1f600}\u{a0}"] {
            let _ = pretty(text);
        }
    }
}
