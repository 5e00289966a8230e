//! Escapes text for XML, in the JUnit reports.

use adjudicate_core::is_hidden;

/// Escapes text for attributes and elements. Characters that XML does not allow, and invisible ones, become Rust
/// escapes.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            '\u{fffe}' | '\u{ffff}' => out.extend(c.escape_unicode()),
            _ if is_hidden(c) => out.extend(c.escape_unicode()),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_stays_in_its_attribute_or_element() {
        let text = "a<b>&\"'\n\t\u{0}\u{1b}\u{202e}\u{e0041}\u{ffff}é]]>";
        let expected = r#"a&lt;b&gt;&amp;&quot;'&#10;&#9;\u{0}\u{1b}\u{202e}\u{e0041}\u{ffff}é]]&gt;"#;
        assert_eq!(escaped(text), expected);
    }
}
