//! Paths and globs: one dialect for every list of paths (SPEC section 3.2).
//!
//! Paths are normalised first: `./` and `//` go, `a/../b` is `b`, a leading or trailing `/` goes; a `..` at
//! the root stays there, so that no path escapes a pattern by leaving and coming back. A pattern without a `/` (a trailing one does not count) matches any one segment; any
//! other is matched from the root. What matches a directory matches all in it. `*` and `?` stay within a segment,
//! `**` as a whole segment stands for any number of them, `{a,b}` for either. There are no classes and no
//! negation: `[`, `]` and `!` are ordinary characters, and so is `\`. Matching is case-sensitive.

mod glob;
mod pattern;

use alloc::{borrow::Cow, vec::Vec};

pub use glob::Glob;
pub use pattern::Pattern;

/// The path in normal form.
///
/// ```
/// use adjudicate_core::paths::normalize;
/// assert_eq!(normalize("./src//a/../lib.rs"), "src/lib.rs");
/// assert_eq!(normalize("/../docs/"), "docs");
/// ```
#[must_use]
pub fn normalize(path: &str) -> Cow<'_, str> {
    if path.split('/').all(|segment| !matches!(segment, "" | "." | "..")) {
        return Cow::Borrowed(path);
    }
    Cow::Owned(segments(path).join("/"))
}

/// The segments of a path in normal form.
fn segments(path: &str) -> Vec<&str> {
    let mut kept: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                kept.pop();
            }
            other => kept.push(other),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_form() {
        for (path, expected) in [
            ("src/lib.rs", "src/lib.rs"),
            ("./src/./lib.rs", "src/lib.rs"),
            ("src//a/", "src/a"),
            ("/abs/path", "abs/path"),
            ("a/b/../../c", "c"),
            ("../../x", "x"),
            ("a/../../x", "x"),
            (".", ""),
        ] {
            assert_eq!(normalize(path), expected, "{path}");
        }
    }
}
