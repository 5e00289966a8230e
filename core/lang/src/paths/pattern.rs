//! Well-formed patterns.

use super::split;

/// The text of a well-formed pattern. [`super::Glob`] is its compiled form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern<'a>(&'a str);

impl<'a> Pattern<'a> {
    /// Returns the pattern as written.
    #[must_use]
    pub const fn text(self) -> &'a str {
        self.0
    }

    /// Checks a pattern.
    ///
    /// # Errors
    ///
    /// A message for humans if braces do not pair or the pattern is empty.
    pub fn new(text: &'a str) -> Result<Self, &'static str> {
        let (mut depth, mut dots, mut has_name) = (0_usize, 0, false);
        for byte in text.bytes() {
            match byte {
                b'{' => depth += 1,
                b'}' => depth = depth.checked_sub(1).ok_or("a `}` without `{` in a pattern")?,
                b',' if depth > 0 => {}
                b'/' => {}
                b'.' => dots += 1,
                _ => has_name = true,
            }
        }
        if depth > 0 {
            return Err("a `{` without `}` in a pattern");
        }
        // Without two dots, nothing leaves the folder of a name.
        if has_name && dots < 2 {
            return Ok(Self(text));
        }
        let segments = split(text).fold(0_usize, |count, segment| match segment {
            "" | "." => count,
            ".." => count.saturating_sub(1),
            _ => count + 1,
        });
        // One or two dots are no name, wherever the braces divide them.
        if segments == 0 || !has_name && dots < 3 {
            return Err("an empty pattern");
        }
        Ok(Self(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_patterns_are_errors() {
        for pattern in ["", "/", "./", "{a", "a}", "{a}}", "{,}", "{,/}/", "{.,}{.,}", "..", "a/{b"] {
            assert!(Pattern::new(pattern).is_err(), "{pattern}");
        }
        for pattern in ["{a,}", ",", ",{,}", "...", "{,..a}", "*", "{,}x"] {
            assert!(Pattern::new(pattern).is_ok(), "{pattern}");
        }
    }
}
