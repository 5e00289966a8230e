//! Paths and globs: one dialect for every list of paths (docs/reference/text-formats.md).
//!
//! Paths are normalized first: `./`, `//` and a leading or trailing `/` are removed, `a/../b` becomes `b`, and a `..` at the root
//! has no effect. So a path cannot avoid a pattern by leaving the workspace and returning. [`is_outside`] detects changed paths
//! that leave the workspace, and policies determine the consequence.
//!
//! A pattern without a `/`, except at its end, matches any one segment. Any other pattern matches from the root. A pattern that
//! matches a directory matches everything in it. A pattern that ends in `/` matches only the contents of directories, and no file
//! of that name.
//!
//! - `*` and `?` match within a segment.
//! - `**` as a whole segment matches any number of segments.
//! - `{a,b}` matches either. Braces are expanded first, and each result is a pattern of its own.
//!
//! There are no classes, negation or escapes: `[`, `]`, `!` and `\` are ordinary characters. Matching is case-sensitive unless a
//! policy sets [another case](PathCase).
//!
//! An entry of the required artifacts is a path or a pattern, and [matches files](Glob::is_met_by).
//!
//! A diff can name a directory without its files. [`Glob::verdict`] returns the result of a pattern for such a path.

mod artifact;
mod braces;
mod case;
mod glob;
mod outside;
mod pattern;
mod segment;
mod verdict;

use alloc::{borrow::Cow, vec::Vec};

pub use artifact::Artifacts;
pub use braces::expand as alternatives;
pub use case::PathCase;
pub use glob::Glob;
pub use outside::is_outside;
pub use pattern::Pattern;
pub use verdict::PathVerdict;

/// Returns the path in normal form.
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

/// A path split at its slashes, for any number of comparisons.
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

    /// Splits the path of a directory whose contents are unknown.
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

    /// Splits another path in place, without a new allocation. With `is_directory`, the path is a directory whose contents are
    /// unknown.
    pub fn read(&mut self, path: &'a str, is_directory: bool) {
        self.is_directory = is_directory || path.is_empty();
        self.segments.clear();
        if !path.is_empty() {
            // Exactly, because many paths stay in memory.
            self.segments.reserve_exact(path.bytes().filter(|byte| *byte == b'/').count() + 1);
            self.segments.extend(split(path));
        }
    }

    /// Returns the names between the slashes.
    #[must_use]
    pub fn segments(&self) -> &[&'a str] {
        &self.segments
    }

    /// Returns whether the path is a directory whose contents are unknown.
    #[must_use]
    pub const fn is_directory(&self) -> bool {
        self.is_directory
    }
}

/// Splits a path at its slashes, in one loop over the bytes. `str::split` starts a new search for each slash.
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

/// Returns the segments of a path in normal form.
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
    fn paths_are_normalized() {
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
