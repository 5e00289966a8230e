//! Paths and globs: one dialect for every list of paths (SPEC section 3.2).
//!
//! Paths are normalised first: `./` and `//` go, `a/../b` is `b`, a leading or trailing `/` goes; a `..` at
//! the root stays there, so that no path escapes a pattern by leaving and coming back.
//!
//! A pattern without a `/` (a trailing one does not count) matches any one segment; any other is matched from the
//! root. What matches a directory matches all in it. `*` and `?` stay within a segment, `**` as a whole segment stands
//! for any number of them, `{a,b}` for either. There are no classes and no negation: `[`, `]` and `!` are ordinary
//! characters, and so is `\`. Matching is case-sensitive.

mod braces;
mod glob;
mod pattern;
mod segment;

use alloc::{borrow::Cow, vec::Vec};

pub(crate) use braces::expand as alternatives;
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
    if split(path).all(|segment| !matches!(segment, "" | "." | "..")) {
        return Cow::Borrowed(path);
    }
    Cow::Owned(segments(path).join("/"))
}

/// A path split at its slashes, once for any number of comparisons.
///
/// ```
/// use adjudicate_core::paths::Path;
/// assert_eq!(Path::split("src/lib.rs").segments(), ["src", "lib.rs"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Path<'a>(Vec<&'a str>);

impl<'a> Path<'a> {
    /// Splits a path, which should be in [normal form](normalize).
    #[must_use]
    pub fn split(path: &'a str) -> Self {
        let mut split = Self::default();
        split.read(path);
        split
    }

    /// Splits another path, in the same place.
    pub(crate) fn read(&mut self, path: &'a str) {
        self.0.clear();
        self.0.extend(split(path));
    }

    /// Goes to something in this directory whose name is not known: patterns match it that match any name.
    pub(crate) fn enter(&mut self) {
        self.0.push("");
    }

    /// What is between the slashes.
    #[must_use]
    pub fn segments(&self) -> &[&'a str] {
        &self.0
    }
}

/// What is between the slashes of a path; one loop over bytes, where `str::split` searches anew for each slash.
fn split(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(path);
    core::iter::from_fn(move || {
        let text = rest?;
        let end = text.bytes().position(|byte| byte == b'/');
        let (segment, after) = match end {
            Some(end) => (text.get(..end), text.get(end + 1..)),
            None => (Some(text), None),
        };
        rest = after;
        segment
    })
}

/// The segments of a path in normal form.
fn segments(path: &str) -> Vec<&str> {
    let mut kept: Vec<&str> = Vec::new();
    for segment in split(path) {
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
