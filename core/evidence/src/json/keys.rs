//! The keys of a JSON text, found without a parser, because a text that was cut must be recognized, too.

/// Calls `visit` with each key of the two outer levels of objects and its level, 1 or 2. Escapes stay as written.
pub(crate) fn keys<'t>(text: &'t str, mut visit: impl FnMut(usize, &'t str)) {
    let bytes = text.as_bytes();
    let (mut at, mut level) = (0, 0_usize);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => level += 1,
            b'}' | b']' => level = level.saturating_sub(1),
            b'"' => {
                let end = end_of_string(bytes, at);
                if level <= 2 && is_before_colon(bytes, end + 1) {
                    visit(level, text.get(at + 1..end).unwrap_or_default());
                }
                at = end;
            }
            _ => {}
        }
        at += 1;
    }
}

/// Returns whether a line is an event: an object with all of these keys.
pub(crate) fn is_event(line: &str, expected: &[&str]) -> bool {
    let mut found = 0;
    if line.trim_start().starts_with('{') {
        keys(line, |level, key| found += usize::from(level == 1 && expected.contains(&key)));
    }
    found >= expected.len()
}

/// Returns the index of the quote that ends the string at `start`, or the end of the text.
pub(super) fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    loop {
        match bytes.get(at) {
            Some(b'\\') => at += 2,
            Some(b'"') => return at,
            Some(_) => at += 1,
            None => return bytes.len(),
        }
    }
}

/// Returns whether the next character that is not white space is a colon.
pub(super) fn is_before_colon(bytes: &[u8], at: usize) -> bool {
    bytes.iter().skip(at).find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn keys_of_two_levels_are_found_in_cut_texts() {
        let mut found = Vec::new();
        keys(r#"{"a": [{"no": 1}], "b\"" : {"c": {"no": "d:"}}, "e": "f": "g"#, |level, key| {
            found.push((level, key))
        });
        assert_eq!(found, [(1, "a"), (1, "b\\\""), (2, "c"), (1, "e"), (1, "f")]);
    }
}
