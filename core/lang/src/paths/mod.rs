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
mod equivalence;
mod glob;
mod outside;
mod pattern;
mod segment;
mod text_pattern;
mod verdict;

use alloc::{borrow::Cow, vec::Vec};

pub use artifact::Artifacts;
pub use braces::expand as alternatives;
pub use case::PathCase;
pub use equivalence::{is_unstable, skeleton};
pub use glob::Glob;
pub use outside::is_outside;
pub use pattern::Pattern;
pub use text_pattern::TextPattern;
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
    if is_plain(path) || split(path).all(|segment| !matches!(segment, "" | "." | "..")) {
        return Cow::Borrowed(path);
    }
    Cow::Owned(segments(path).join("/"))
}

/// Returns true only if a path is in [normal form](normalize), is no directory, and [is inside](is_outside) of the workspace. This
/// looks at eight bytes at a time and answers for most paths; names that begin with a dot need the other functions.
///
/// ```
/// use adjudicate_lang::paths::is_plain;
/// assert!(is_plain("src/lib.rs") && !is_plain("src/../lib.rs") && !is_plain("src/.gitignore"));
/// ```
#[must_use]
pub fn is_plain(path: &str) -> bool {
    let bytes = path.as_bytes();
    let (words, rest) = bytes.as_chunks::<8>();
    let end = match bytes.last_chunk() {
        // The last eight bytes begin in a word before, so their first byte is compared there.
        Some(last) => {
            let end = words.iter().try_fold(BEGIN, |begin, word| plain_word(*word, begin));
            end.and_then(|_| plain_word(*last, 0))
        }
        None => {
            // A letter is plain everywhere.
            let mut word = [b'a'; 8];
            word.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
            plain_word(word, BEGIN)
        }
    };
    end.is_some() && !matches!(bytes.last(), None | Some(b'/'))
}

/// The bit of the first byte of a word, if a name begins there.
const BEGIN: u64 = 0x80;

/// Returns whether a name begins after eight bytes of a path, as [`BEGIN`] or 0. `None` if they may need the other functions.
const fn plain_word(word: [u8; 8], begin: u64) -> Option<u64> {
    let word = u64::from_le_bytes(word);
    let is_ascii = !word & !LOW;
    let slashes = !differing(word, b'/') & is_ascii;
    let controls = !((word & LOW) + 0x60 * ONES);
    let tilde_or_delete = (word & LOW) + 2 * ONES;
    let never = !(differing(word, b'\\') & differing(word, b':')) | controls | tilde_or_delete;
    // A dot is one less than a slash, which is odd.
    let first = (slashes << 8 | begin) & !differing(word | ONES, b'/');
    if (never | first) & is_ascii == 0 { Some(slashes >> 56) } else { None }
}

const ONES: u64 = u64::from_le_bytes([1; 8]);
const LOW: u64 = 0x7f * ONES;

/// Sets the highest bit of each ASCII byte that differs from `byte`.
const fn differing(word: u64, byte: u8) -> u64 {
    // The sum reaches the highest bit unless the byte is zero.
    ((word & LOW) ^ (byte as u64 * ONES)) + LOW
}

/// A path, for comparisons with any number of patterns.
///
/// ```
/// use adjudicate_lang::paths::Path;
/// assert!(Path::split("src/lib.rs").segments().eq(["src", "lib.rs"]));
/// assert!(Path::split("").is_directory(), "the root");
/// ```
#[derive(Clone, Debug)]
pub struct Path<'a> {
    text: &'a str,
    /// The [traits](name_traits) of all names, which exclude most patterns at once.
    traits: u64,
    is_directory: bool,
}

impl<'a> Path<'a> {
    /// Reads the path of a file, which should be in [normal form](normalize). The empty path is the root, a directory.
    #[must_use]
    pub fn split(path: &'a str) -> Self {
        Self::read(path, false)
    }

    /// Reads the path of a directory whose contents are unknown.
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
        Self::read(path, true)
    }

    /// Reads a path. With `is_directory`, it is a directory whose contents are unknown.
    #[must_use]
    pub fn read(text: &'a str, is_directory: bool) -> Self {
        let (mut rest, mut start, mut traits) = (text, 0, 0);
        // With `for`, each step would ask all parts of the iterator again.
        slashes(text).for_each(|at| {
            if let Some((name, after)) = rest.split_at_checked(at - start) {
                traits |= name_traits(name);
                rest = after.get(1..).unwrap_or_default();
            }
            start = at + 1;
        });
        Self { text, traits: traits | name_traits(rest), is_directory: is_directory || text.is_empty() }
    }

    /// Returns the names between the slashes.
    pub fn segments(&self) -> impl Iterator<Item = &'a str> + Clone + use<'a> {
        split_some(Some(self.text).filter(|text| !text.is_empty()))
    }

    /// Returns whether the path is a directory whose contents are unknown.
    #[must_use]
    pub const fn is_directory(&self) -> bool {
        self.is_directory
    }
}

/// Returns one bit for the last byte of a name, and one for its ends and its length. Upper and lower case have the same bits.
fn name_traits(name: &str) -> u64 {
    let (Some(first), Some(last)) = (name.as_bytes().first(), name.as_bytes().last()) else { return 0 };
    let whole = usize::from(*first) + usize::from(*last) + 7 * name.len();
    last_trait(*last) | 1 << (32 + whole % 32)
}

/// Returns the bit of [`name_traits`] for the last byte of a name.
const fn last_trait(last: u8) -> u64 {
    1 << (last % 32)
}

/// Returns the places of the slashes in a path, from eight bytes at a time.
fn slashes(path: &str) -> impl Iterator<Item = usize> {
    let (words, rest) = path.as_bytes().as_chunks::<8>();
    let of_words = words.iter().enumerate().flat_map(|(word, bytes)| {
        let bytes = u64::from_le_bytes(*bytes);
        let mut found = !(differing(bytes, b'/') | bytes | LOW);
        core::iter::from_fn(move || {
            let bit = (found != 0).then(|| found.trailing_zeros() as usize)?;
            found &= found - 1;
            Some(word * 8 + bit / 8)
        })
    });
    let begin = path.len() - rest.len();
    let of_rest = rest.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    of_words.chain(of_rest.map(move |(at, _)| begin + at))
}

/// Splits a path at its slashes, in one loop over the bytes. `str::split` starts a new search for each slash.
fn split(path: &str) -> impl Iterator<Item = &str> + Clone {
    split_some(Some(path))
}

/// The same, without any name if there is no path.
fn split_some(mut rest: Option<&str>) -> impl Iterator<Item = &str> + Clone {
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

    #[test]
    fn plain_paths_are_normal_and_inside() {
        let parts = ["a", "é", ".", "..", "/", "~", ":", "\\", "\n", "\u{7f}", " "];
        // All texts of four of these parts, or fewer, after up to nine letters.
        let count = (parts.len() + 1).pow(4);
        for number in 0..10 * count {
            let part = |place| parts.get(number / (parts.len() + 1).pow(place) % (parts.len() + 1));
            let path = "b".repeat(number / count);
            let path = path + &(0..4).filter_map(part).copied().collect::<alloc::string::String>();
            let is_never = path.contains(['~', ':', '\\', '\n', '\u{7f}']);
            let is_regular = path.split('/').all(|name| !name.is_empty() && !name.starts_with('.'));
            assert_eq!(is_plain(&path), is_regular && !is_never, "{path:?}");
            if is_plain(&path) {
                assert!(!is_outside(&path) && !path.ends_with('/') && !path.is_empty(), "{path:?}");
                assert_eq!(segments(&path).join("/"), path);
            }
        }
        assert!(is_plain("a b/c.d/é-1") && !is_plain(""));
    }
}
