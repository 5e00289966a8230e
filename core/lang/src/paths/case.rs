//! Upper and lower case in paths.

use alloc::borrow::Cow;

/// The comparison of letters in a list of paths.
///
/// File systems of macOS and Windows usually treat `Deploy/x` and `deploy/x` as one file. A policy for such a workspace uses
/// `ascii_insensitive`.
///
/// ```
/// use adjudicate_lang::{Steps, paths::{Glob, Path, PathCase, Pattern}};
/// let mut steps = Steps::default();
/// let pattern = Pattern::new("deploy/**").unwrap();
/// let glob = Glob::with_case(pattern, PathCase::AsciiInsensitive, &mut steps)?;
/// assert!(glob.matches(&Path::split("Deploy/x"), &mut steps)?);
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PathCase {
    /// `A` and `a` differ.
    #[default]
    Sensitive,
    /// `A` and `a` are the same, and so on to `Z`; letters beyond ASCII differ.
    AsciiInsensitive,
}

impl PathCase {
    /// All words, in the order of declaration.
    pub const WORDS: &'static [&'static str] = &["sensitive", "ascii_insensitive"];

    /// Returns the word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sensitive => "sensitive",
            Self::AsciiInsensitive => "ascii_insensitive",
        }
    }

    /// Returns a text such that those of equal texts are identical.
    pub(super) fn fold(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Sensitive => Cow::Borrowed(text),
            Self::AsciiInsensitive => Cow::Owned(text.to_ascii_lowercase()),
        }
    }

    /// Returns whether two texts are the same.
    pub(super) fn is_same(self, left: &str, right: &str) -> bool {
        match self {
            Self::Sensitive => left == right,
            Self::AsciiInsensitive => left.eq_ignore_ascii_case(right),
        }
    }

    /// Returns whether two bytes are the same.
    pub(super) const fn is_same_byte(self, left: u8, right: u8) -> bool {
        match self {
            Self::Sensitive => left == right,
            Self::AsciiInsensitive => left.eq_ignore_ascii_case(&right),
        }
    }

    /// Returns whether two characters are the same.
    pub(super) const fn is_same_char(self, left: char, right: char) -> bool {
        match self {
            Self::Sensitive => left == right,
            Self::AsciiInsensitive => left.eq_ignore_ascii_case(&right),
        }
    }
}
