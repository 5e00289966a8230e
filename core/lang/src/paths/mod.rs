//! Paths and globs: one dialect for every list of paths (SPEC section 3.2).
//!
//! Paths are normalised first: `./` and `//` go, `a/../b` is `b`, a leading or trailing `/` goes; a `..` at
//! the root stays there, so that no path escapes a pattern by leaving and coming back. A changed path that leaves the
//! workspace as it is written [is outside](is_outside), and policies choose what that means.
//!
//! A pattern without a `/` (a trailing one does not count) matches any one segment; any other is matched from the
//! root. A pattern that matches a directory matches all in it. A pattern that ends in `/` matches the contents of
//! directories only, never a plain file of that name. `*` and `?` stay within a segment, `**` as a whole segment stands
//! for any number of them, `{a,b}` for either: braces are resolved first, and each result is a pattern of its own. There
//! are no classes and no negation: `[`, `]` and `!` are ordinary characters, and so is `\`. Matching is case-sensitive
//! unless a policy [says otherwise](PathCase).
//!
//! An entry of a list of required artifacts is a path or a pattern, and [looks at files](Glob::is_met_by).
//!
//! A diff may name a directory without its files. [`Glob::verdict`] tells what a pattern knows of such a path.

mod artifact;
mod braces;
mod case;
mod glob;
mod outside;
mod pattern;
mod segment;
mod verdict;

use alloc::{borrow::Cow, vec::Vec};

pub use braces::expand as alternatives;
pub use case::PathCase;
pub use glob::Glob;
pub use outside::is_outside;
pub use pattern::Pattern;
pub use verdict::PathVerdict;

/// The path in normal form.
///
/// ```
/// use adjudicate_lang::paths::normalize;
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
/// use adjudicate_lang::paths::Path;
/// assert_eq!(Path::split("src/lib.rs").segments(), ["src", "lib.rs"]);
/// assert!(Path::split("").is_directory(), "the root");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Path<'a> {
    segments: Vec<&'a str>,
    is_directory: bool,
}

impl<'a> Path<'a> {
    /// Splits the path of a file, which should be in [normal form](normalize). The empty path is the root, a directory.
    #[must_use]
    pub fn split(path: &'a str) -> Self {
        let mut split = Self::default();
        split.read(path, false);
        split
    }

    /// Splits the path of a directory of which only the name is known.
    ///
    /// ```
    /// use adjudicate_lang::{Steps, paths::{Glob, Path, Pattern}};
    /// let mut steps = Steps::default();
    /// let glob = Glob::compile(Pattern::new("build/").unwrap(), &mut steps)?;
    /// assert!(glob.matches(&Path::directory("build"), &mut steps)?);
    /// assert!(!glob.matches(&Path::split("build"), &mut steps)?, "a file of that name");
    /// # Ok::<(), adjudicate_lang::Error>(())
    /// ```
    #[must_use]
    pub fn directory(path: &'a str) -> Self {
        let mut split = Self::default();
        split.read(path, true);
        split
    }

    /// Splits another path in place, without new memory. `is_directory`: of the path only the name of a directory is known.
    pub fn read(&mut self, path: &'a str, is_directory: bool) {
        self.is_directory = is_directory || path.is_empty();
        self.segments.clear();
        if !path.is_empty() {
            // Exactly, because many paths are kept.
            self.segments.reserve_exact(path.bytes().filter(|byte| *byte == b'/').count() + 1);
            self.segments.extend(split(path));
        }
    }

    /// What is between the slashes.
    #[must_use]
    pub fn segments(&self) -> &[&'a str] {
        &self.segments
    }

    /// Returns whether it is a directory of which only the name is known.
    #[must_use]
    pub const fn is_directory(&self) -> bool {
        self.is_directory
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
