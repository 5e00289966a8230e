//! Paths of variables.

use alloc::{boxed::Box, sync::Arc, vec::Vec};
use core::fmt;

/// The path of a variable, split at its dots; an empty one is all of the data.
///
/// ```
/// use adjudicate_lang::logic::Path;
/// let path = Path::new("items.0.name");
/// assert_eq!(path.segments().len(), 3);
/// assert_eq!(path.to_string(), "items.0.name");
/// assert!(Path::new("").segments().is_empty());
/// ```
///
/// Clones share what they are made of: a policy asks for few variables, each in many places.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path(Arc<[Box<str>]>);

impl Path {
    /// Splits a path; a dot cannot be part of a name.
    #[must_use]
    pub fn new(text: &str) -> Self {
        if text.is_empty() {
            return Self::of(&[]);
        }
        Self(text.split('.').map(Box::from).collect::<Vec<_>>().into())
    }

    pub(super) fn of(segments: &[Box<str>]) -> Self {
        Self(segments.into())
    }

    /// The same path, sharing nothing with this one.
    #[must_use]
    pub fn detached(&self) -> Self {
        Self::of(self.segments())
    }

    /// The names and list indices on the way, outermost first.
    #[must_use]
    pub fn segments(&self) -> &[Box<str>] {
        &self.0
    }
}

/// As it is written.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, segment) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(".")?;
            }
            f.write_str(segment)?;
        }
        Ok(())
    }
}

/// The list index that a segment is: digits without a leading zero.
pub(super) fn index(segment: &str) -> Option<usize> {
    let is_index =
        segment.bytes().all(|byte| byte.is_ascii_digit()) && (segment == "0" || !segment.starts_with('0'));
    // Anything but digits, and too many of them, is no number.
    segment.parse().ok().filter(|_| is_index)
}
