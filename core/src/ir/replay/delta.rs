//! How many tests fewer fail: as tests say, and as a log or a receipt claims.

use alloc::format;
use core::fmt;

use adjudicate_lang::{
    Error,
    json::{
        Kind, Node,
        object::{Field, Form, count, read_document, refuse, required},
    },
};

/// How many tests failed before the plan was carried out, and how many after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tests {
    failing_before: u64,
    failing_after: u64,
}

const TESTS: &[Field] = &[required("failing_before", Form::Count), required("failing_after", Form::Count)];

impl Tests {
    /// That many failed before, and that many after.
    #[must_use]
    pub const fn new(failing_before: u64, failing_after: u64) -> Self {
        Self { failing_before, failing_after }
    }

    /// Reads `{failing_before, failing_after}`.
    ///
    /// # Errors
    ///
    /// The first in document order; paths begin at the tests.
    pub fn read(tests: Node<'_>) -> Result<Self, Error> {
        let mut read = Self::default();
        read_document(tests, TESTS, &mut |at, member| {
            let place = if at == 0 { &mut read.failing_before } else { &mut read.failing_after };
            *place = count(member).unwrap_or_default();
            Ok(())
        })?;
        Ok(read)
    }

    /// How many fewer fail: `failing_before` - `failing_after`, below zero if more do.
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

    /// The same as it is written and claimed.
    pub(super) const fn difference(self) -> Delta {
        let Self { failing_before: before, failing_after: after } = self;
        Delta { is_negative: before < after, size: before.abs_diff(after) }
    }
}

/// A delta: a sign and a number of 64 bits, because wider integers take much code to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Delta {
    is_negative: bool,
    size: u64,
}

impl Delta {
    /// Reads a claim.
    ///
    /// # Errors
    ///
    /// [`invalid_value`](crate::codes::INVALID_VALUE) for anything but an integer that tests can make.
    pub(super) fn read(claim: Node<'_>) -> Result<Self, Error> {
        let digits = if claim.kind() == Kind::Integer { claim.as_number().unwrap_or_default() } else { "" };
        let (is_negative, digits) = match digits.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, digits),
        };
        match digits.parse() {
            // `-0` is no integer here, as it is none elsewhere.
            Ok(size) if size > 0 || !is_negative => Ok(Self { is_negative, size }),
            _ => Err(refuse(claim, &format!("an integer from -{0} to {0}", u64::MAX))),
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

    use adjudicate_lang::json::{self, Limits};

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
            let tape = json::read(claim.as_bytes(), Limits::DOCUMENT).unwrap();
            let read = Delta::read(tape.root()).map(|delta| delta.to_string());
            assert_eq!(read.ok(), expected.then(|| claim.into()), "{claim}");
        }
    }
}
