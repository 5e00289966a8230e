//! Lone surrogates: escapes such as `\ud83d` without their other half. Python and JavaScript write them where a message was cut
//! inside of a character, and the JSON reader of the core rejects them.

use alloc::{borrow::Cow, string::String};

/// Replaces each lone surrogate by the replacement character, U+FFFD. Other text stays.
pub(super) fn replace_lone(text: &str) -> Cow<'_, str> {
    if !text.contains("\\ud") && !text.contains("\\uD") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        let (replaced, length) = match (unit(escape), unit(escape.get(6..).unwrap_or_default())) {
            (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => (None, 12),
            (Some(0xd800..0xe000), _) => (Some("\\ufffd"), 6),
            // A backslash and the character that it escapes, which may be a backslash.
            _ => (None, 1 + escape.chars().nth(1).map_or(0, char::len_utf8)),
        };
        let (escape, behind) = escape.split_at_checked(length).unwrap_or((escape, ""));
        out.push_str(replaced.unwrap_or(escape));
        rest = behind;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Returns the code unit of the escape `\uXXXX` at the beginning of a text.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lone_surrogates_are_replaced() {
        for (text, expected) in [
            (r#""a\ud83d\ude00b""#, r#""a\ud83d\ude00b""#),
            (r#""a\ud83d...""#, r#""a\ufffd...""#),
            (r#""\ude00\ud83d""#, r#""\ufffd\ufffd""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\\ud83d""#, r#""\\ud83d""#),
            (r#""\ud83d\"#, r#""\ufffd\"#),
            (r#""\ud8"#, r#""\ud8"#),
            ("\"\\ud83d\\é\"", "\"\\ufffd\\é\""),
        ] {
            assert_eq!(replace_lone(text), expected);
        }
    }
}
