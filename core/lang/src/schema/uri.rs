//! URI references: resolution (RFC 3986 section 5) and fragments.

use alloc::{string::String, vec::Vec};

/// The components of a URI reference without its fragment.
struct UriReference<'a> {
    scheme: Option<&'a str>,
    authority: Option<&'a str>,
    path: &'a str,
    query: Option<&'a str>,
}

impl<'a> UriReference<'a> {
    fn parse(text: &'a str) -> Self {
        let (text, query) = text.split_once('?').map_or((text, None), |(text, query)| (text, Some(query)));
        let (scheme, rest) = match text.split_once(':') {
            Some((scheme, rest)) if is_scheme(scheme) => (Some(scheme), rest),
            _ => (None, text),
        };
        let Some(beyond) = rest.strip_prefix("//") else {
            return Self { scheme, authority: None, path: rest, query };
        };
        let (authority, path) =
            beyond.split_at_checked(beyond.find('/').unwrap_or(beyond.len())).unwrap_or_default();
        Self { scheme, authority: Some(authority), path, query }
    }

    fn write(&self, path: &str) -> String {
        let mut text = String::new();
        if let Some(scheme) = self.scheme {
            text.extend([scheme, ":"]);
        }
        if let Some(authority) = self.authority {
            text.extend(["//", authority]);
        }
        text.push_str(path);
        if let Some(query) = self.query {
            text.extend(["?", query]);
        }
        text
    }
}

pub(super) fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

/// Splits a reference at `#`. A missing fragment is empty.
pub(super) fn split(reference: &str) -> (&str, &str) {
    reference.split_once('#').unwrap_or((reference, ""))
}

/// Resolves a reference without a fragment against a base.
pub(super) fn resolve(base: &str, reference: &str) -> String {
    if reference.is_empty() {
        return base.into();
    }
    let (base, mut parts) = (UriReference::parse(base), UriReference::parse(reference));
    if parts.scheme.is_some() {
        return parts.write(&without_dots(parts.path));
    }
    parts.scheme = base.scheme;
    if parts.authority.is_some() {
        return parts.write(&without_dots(parts.path));
    }
    parts.authority = base.authority;
    if parts.path.is_empty() {
        parts.query = parts.query.or(base.query);
        return parts.write(base.path);
    }
    if parts.path.starts_with('/') {
        return parts.write(&without_dots(parts.path));
    }
    let folder = match base.path.rfind('/') {
        Some(end) => base.path.get(..=end).unwrap_or_default(),
        None if base.authority.is_some() => "/",
        None => "",
    };
    let mut path = String::from(folder);
    path.push_str(parts.path);
    parts.write(&without_dots(&path))
}

/// Removes the segments `.` and `..`.
fn without_dots(path: &str) -> String {
    if !path.contains("/.") && !path.starts_with('.') {
        return path.into();
    }
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = path.split('/').peekable();
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        match segment {
            "." | ".." => {
                // The empty segment before a leading slash stays.
                if segment == ".." && kept.last().is_some_and(|last| !last.is_empty() || kept.len() > 1) {
                    kept.pop();
                }
                if is_last {
                    kept.push("");
                }
            }
            _ => kept.push(segment),
        }
    }
    kept.join("/")
}

/// Decodes percent-encoded characters. Returns `None` for invalid encoding or invalid UTF-8.
pub(super) fn decoded(fragment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes().iter();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let [high, low] = [rest.next()?, rest.next()?].map(|digit| char::from(*digit).to_digit(16));
                u8::try_from(high? << 4 | low?).ok()?
            }
            plain => *plain,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_resolve_as_in_the_rfc() {
        for (reference, expected) in [
            ("g:h", "g:h"),
            ("g", "http://a/b/c/g"),
            ("./g", "http://a/b/c/g"),
            ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g"),
            ("?y", "http://a/b/c/d;p?y"),
            ("g?y", "http://a/b/c/g?y"),
            (";x", "http://a/b/c/;x"),
            ("", "http://a/b/c/d;p?q"),
            (".", "http://a/b/c/"),
            ("./", "http://a/b/c/"),
            ("..", "http://a/b/"),
            ("../g", "http://a/b/g"),
            ("../..", "http://a/"),
            ("../../g", "http://a/g"),
            ("../../../g", "http://a/g"),
            ("/./g", "http://a/g"),
            ("/../g", "http://a/g"),
            ("g.", "http://a/b/c/g."),
            ("..g", "http://a/b/c/..g"),
            ("./../g", "http://a/b/g"),
            ("./g/.", "http://a/b/c/g/"),
            ("g/../h", "http://a/b/c/h"),
        ] {
            assert_eq!(resolve("http://a/b/c/d;p?q", reference), expected, "{reference}");
        }
        for (base, reference, expected) in [
            ("", "a/b.json", "a/b.json"),
            ("a/b.json", "c.json", "a/c.json"),
            ("http://a", "b", "http://a/b"),
            ("urn:a:b", "urn:c", "urn:c"),
            ("urn:a:b?+c", "", "urn:a:b?+c"),
            ("file:///c:/d/e", "f", "file:///c:/d/f"),
        ] {
            assert_eq!(resolve(base, reference), expected, "{base} {reference}");
        }
    }

    #[test]
    fn fragments_are_percent_decoded() {
        for (text, expected) in [
            ("a%25b", Some("a%b")),
            ("%C3%A9", Some("é")),
            ("%C3", None),
            ("%g0", None),
            ("%2", None),
            ("", Some("")),
        ] {
            assert_eq!(decoded(text).as_deref(), expected);
        }
        assert_eq!(crate::json::unescape_segment("a~1b~0c~01"), "a/b~c~1");
        assert_eq!(split("a#b#c"), ("a", "b#c"));
    }
}
