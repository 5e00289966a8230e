//! Patterns as they are written, known to be well formed.

use serde::{Deserialize, de};

use super::segments;

/// The text of a pattern that is known to be well formed; [`super::Glob`] is its compiled form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern<'a>(&'a str);

impl<'a> Pattern<'a> {
    /// The pattern as it was written.
    #[must_use]
    pub const fn text(self) -> &'a str {
        self.0
    }

    /// Checks a pattern; the fault is for people.
    ///
    /// # Errors
    ///
    /// Braces that do not pair, or nothing to match.
    pub fn new(text: &'a str) -> Result<Self, &'static str> {
        let mut depth = 0_usize;
        for byte in text.bytes() {
            match byte {
                b'{' => depth += 1,
                b'}' => depth = depth.checked_sub(1).ok_or("a `}` without `{` in a pattern")?,
                _ => {}
            }
        }
        if depth > 0 {
            return Err("a `{` without `}` in a pattern");
        }
        if segments(text).is_empty() {
            return Err("an empty pattern");
        }
        Ok(Self(text))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Pattern<'a> {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(<&str>::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_patterns() {
        for pattern in ["", "/", "./", "{a", "a}", "{a}}"] {
            assert!(Pattern::new(pattern).is_err(), "{pattern}");
        }
    }
}
