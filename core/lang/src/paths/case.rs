//! Upper and lower case in paths.

use serde::Deserialize;

/// How a list of paths compares letters (SPEC section 18.1).
///
/// File systems of macOS and Windows usually take `Deploy/x` and `deploy/x` for one file: a policy for such a workspace
/// says `ascii_insensitive`.
///
/// ```
/// use adjudicate_lang::{Steps, paths::{Glob, Path, PathCase, Pattern}};
/// let mut steps = Steps::default();
/// let pattern = Pattern::new("deploy/**").unwrap();
/// let glob = Glob::with_case(pattern, PathCase::AsciiInsensitive, &mut steps)?;
/// assert!(glob.matches(&Path::split("Deploy/x"), &mut steps)?);
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum PathCase {
    /// `A` and `a` differ.
    #[default]
    Sensitive,
    /// `A` and `a` are the same, and so on to `Z`; letters beyond ASCII differ.
    AsciiInsensitive,
}

impl PathCase {
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
