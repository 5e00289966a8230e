//! Paths of URIs.

use alloc::{
    string::{String, ToString as _},
    vec::Vec,
};

/// Returns the path of a relative URI or of a `file` URI. Other URIs stay.
pub(super) fn path(uri: &str) -> String {
    let rest = match uri.strip_prefix("file:") {
        None => uri,
        // `file://HOST/path` and `file:/path`
        Some(rest) => rest
            .strip_prefix("//")
            .and_then(|host| host.find('/').and_then(|at| host.get(at..)))
            .unwrap_or(rest),
    };
    let path = decode(rest).unwrap_or_else(|| rest.to_string());
    let is_drive = matches!(path.as_bytes(), [b'/', letter, b':', ..] if letter.is_ascii_alphabetic());
    if is_drive { path.get(1..).unwrap_or_default().to_string() } else { path }
}

/// Decodes `%XX`. Returns `None` if the result is not UTF-8.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, behind)) = rest.split_first() {
        let digits =
            behind.get(..2).filter(|digits| *byte == b'%' && digits.iter().all(u8::is_ascii_hexdigit));
        let code = digits.and_then(|digits| u8::from_str_radix(core::str::from_utf8(digits).ok()?, 16).ok());
        bytes.push(code.unwrap_or(*byte));
        rest = if code.is_some() { behind.get(2..).unwrap_or_default() } else { behind };
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_become_paths() {
        for (uri, expected) in [
            ("src/a%20b.js", "src/a b.js"),
            ("file:///work/app/a.js", "/work/app/a.js"),
            ("file:///C:/app/a.js", "C:/app/a.js"),
            ("file://host/share/a.js", "/share/a.js"),
            ("file:/a.js", "/a.js"),
            ("https://example.com/a.js", "https://example.com/a.js"),
            ("100%", "100%"),
            ("a%ff", "a%ff"),
        ] {
            assert_eq!(path(uri), expected);
        }
    }
}
