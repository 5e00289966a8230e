//! The number of tests fixed: computed from test results, and claimed by a log or a receipt.

use alloc::format;
use core::fmt;

use adjudicate_lang::{
    Error,
    document::{self, Document, Reader, Shape},
    json::{Kind, Node},
};

/// The numbers of tests that failed before and after the plan was carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Document)]
#[document(name = "FailingTests", expecting = "an object", root)]
pub struct Tests {
    /// The number of failing tests before.
    failing_before: u64,
    /// The number of failing tests after.
    failing_after: u64,
}

impl Tests {
    /// The numbers of failing tests before and after the run.
    #[must_use]
    pub const fn new(failing_before: u64, failing_after: u64) -> Self {
        Self { failing_before, failing_after }
    }

    /// Reads `{failing_before, failing_after}`.
    ///
    /// # Errors
    ///
    /// The first error in document order, with the others; paths begin at the tests.
    pub fn read(tests: Node<'_>) -> Result<Self, Error> {
        document::read(tests)
    }

    /// `failing_before` - `failing_after`: below zero if more tests fail.
    ///
    /// ```
    /// use adjudicate_core::ir::replay::Tests;
    /// assert_eq!(Tests::new(3, 0).delta(), 3);
    /// assert_eq!(Tests::new(0, u64::MAX).delta(), -18_446_744_073_709_551_615);
    /// ```
    #[must_use]
    pub fn delta(self) -> i128 {
        i128::from(self.failing_before) - i128::from(self.failing_after)
    }

    /// The delta in the form in which it is written and claimed.
    pub(crate) const fn difference(self) -> Delta {
        let Self { failing_before: before, failing_after: after } = self;
        Delta { is_negative: before < after, size: before.abs_diff(after) }
    }
}

/// A delta as sign and 64-bit number, because printing wider integers takes much code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delta {
    is_negative: bool,
    size: u64,
}

/// Reads an integer within the range of deltas.
impl Document<'_> for Delta {
    const SHAPE: Shape = Shape::Integer;

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        let digits = if node.kind() == Kind::Integer { node.as_number().unwrap_or_default() } else { "" };
        let (is_negative, digits) = match digits.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, digits),
        };
        match digits.parse() {
            // `-0` is no integer in any document.
            Ok(size) if size > 0 || !is_negative => Some(Self { is_negative, size }),
            _ => {
                reader.refuse(node, &format!("an integer from -{0} to {0}", u64::MAX));
                None
            }
        }
    }
}

impl fmt::Display for Delta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.is_negative { "-" } else { "" }, self.size)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;

    use adjudicate_lang::json::{self, ReadLimits};

    use super::*;

    #[test]
    fn claims_are_integers_that_tests_can_make() {
        for (claim, expected) in [
            ("0", true),
            ("-3", true),
            ("18446744073709551615", true),
            ("-18446744073709551615", true),
            ("18446744073709551616", false),
            ("-18446744073709551616", false),
            ("-0", false),
            ("3.0", false),
            ("3e0", false),
            ("null", false),
            (r#""3""#, false),
            ("[]", false),
        ] {
            let tape = json::read(claim.as_bytes(), ReadLimits::DOCUMENT).unwrap();
            let read = document::read::<Delta>(tape.root()).map(|delta| delta.to_string());
            assert_eq!(read.ok(), expected.then(|| claim.into()), "{claim}");
        }
    }
}
