//! Paths of variables.

use alloc::{boxed::Box, sync::Arc, vec::Vec};
use core::fmt;

/// The path of a variable, split at its dots. The empty path is all data.
///
/// ```
/// use adjudicate_lang::logic::VariablePath;
/// let path = VariablePath::new("items.0.name");
/// assert_eq!(path.segments().len(), 3);
/// assert_eq!(path.to_string(), "items.0.name");
/// assert!(VariablePath::new("").segments().is_empty());
/// ```
///
/// Clones share memory, because a policy reads few variables in many places.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VariablePath(Arc<[Box<str>]>);

impl VariablePath {
    /// Splits a path. A name cannot contain a dot.
    #[must_use]
    pub fn new(text: &str) -> Self {
        if text.is_empty() {
            return Self::from_segments(&[]);
        }
        Self(text.split('.').map(Box::from).collect::<Vec<_>>().into())
    }

    pub(super) fn from_segments(segments: &[Box<str>]) -> Self {
        Self(segments.into())
    }

    /// Returns the same path without shared memory.
    #[must_use]
    pub fn detached(&self) -> Self {
        Self::from_segments(self.segments())
    }

    /// Returns the names and list indices, outermost first.
    #[must_use]
    pub fn segments(&self) -> &[Box<str>] {
        &self.0
    }
}

/// Formats the path with dots.
impl fmt::Display for VariablePath {
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

/// Parses a segment as a list index: digits without a leading zero.
pub(super) fn index(segment: &str) -> Option<usize> {
    let is_index =
        segment.bytes().all(|byte| byte.is_ascii_digit()) && (segment == "0" || !segment.starts_with('0'));
    // Parsing fails for other characters and for too many digits.
    segment.parse().ok().filter(|_| is_index)
}
