//! JSON text: serialization, and white space between tokens. Tokens of foreign text stay unchanged.

use serde::Serialize;

/// Returns a report as JSON text on one line.
pub(crate) fn json(value: &impl Serialize) -> String {
    // Reports contain only strings, numbers, lists, objects and JSON values, which always have a JSON form.
    serde_json::to_string(value).unwrap_or_default()
}

/// Returns the text on one line, without white space between tokens.
pub(crate) fn compact(json: &str) -> String {
    tokens(json).map(|(_, token)| token).collect()
}

/// Returns the text with one line for each field and item, two spaces of indentation, and `[]` and `{}` on one line.
pub(crate) fn pretty(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let mut depth = 0_usize;
    let mut tokens = tokens(json).map(|(_, token)| token).peekable();
    while let Some(token) = tokens.next() {
        let next = tokens.peek().copied();
        out.push_str(token);
        let closes = matches!(next, Some("]" | "}"));
        match token {
            "[" | "{" if closes => {}
            "[" | "{" => {
                depth += 1;
                new_line(&mut out, depth);
            }
            "," => new_line(&mut out, depth),
            ":" => out.push(' '),
            _ if closes => {
                depth = depth.saturating_sub(1);
                new_line(&mut out, depth);
            }
            _ => {}
        }
    }
    out
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

/// Returns the tokens of a JSON text with their offsets: brackets, commas, colons, strings, and other scalars.
pub(crate) fn tokens(json: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = json;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        let start = json.len() - rest.len();
        let end = token_end(rest)?;
        let (token, after) = rest.split_at_checked(end)?;
        rest = after;
        Some((start, token))
    })
}

/// Returns the end of the first token; `None` at the end of the text.
fn token_end(text: &str) -> Option<usize> {
    let mut bytes = text.bytes().enumerate();
    match bytes.next()?.1 {
        b'"' => {
            while let Some((at, byte)) = bytes.next() {
                match byte {
                    b'\\' => drop(bytes.next()),
                    b'"' => return Some(at + 1),
                    _ => {}
                }
            }
            Some(text.len())
        }
        b'[' | b']' | b'{' | b'}' | b',' | b':' => Some(1),
        _ => {
            let ends =
                |c: char| matches!(c, '[' | ']' | '{' | '}' | ',' | ':' | '"' | ' ' | '\t' | '\r' | '\n');
            Some(text.find(ends).unwrap_or(text.len()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_white_space_changes() {
        let text = r#" { "a\"b: [" : [ 1.50 , -2e+1,null, { } ,[ ]] ,
            "\\":"é, \u00e9", "c":{"d":[[0]]}} "#;
        let one_line = r#"{"a\"b: [":[1.50,-2e+1,null,{},[]],"\\":"é, \u00e9","c":{"d":[[0]]}}"#;
        assert_eq!(compact(text), one_line);
        assert_eq!(compact(&pretty(text)), one_line);
        assert_eq!(compact(one_line), one_line);
    }

    #[test]
    fn pretty_json_has_one_line_per_field() {
        let expected = "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": {\n    \"c\": []\n  }\n}";
        assert_eq!(pretty(r#"{"a":[1,{}],"b":{"c":[]}}"#), expected);
        assert_eq!((pretty("{}"), pretty("null")), ("{}".to_owned(), "null".to_owned()));
    }

    #[test]
    fn text_that_is_not_json_does_not_panic() {
        for text in
            ["", "\"", "\"\\", "]]", "}{", "a b", "é", "\u{0}", "{", "{a", "{\"a\"", "{\"a\":]", "{\"a\":1"]
        {
            let _ = (compact(text), pretty(text));
        }
    }
}
