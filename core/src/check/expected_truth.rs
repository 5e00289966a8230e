//! The expected truth values of conditions.

use adjudicate_lang::logic::Expression;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExpectedTruth {
    True,
    False,
    /// True or unknown, or a type error, which counts as unknown after an unknown operand.
    NotFalse,
    /// False or unknown, or a type error.
    NotTrue,
}

impl ExpectedTruth {
    /// The expected truth value of the operand of `!`.
    pub(super) const fn negated(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::NotFalse => Self::NotTrue,
            Self::NotTrue => Self::NotFalse,
        }
    }

    /// Returns true if the result must be known.
    pub(super) const fn is_strict(self) -> bool {
        matches!(self, Self::True | Self::False)
    }

    /// The truth value that a known result must have.
    pub(super) const fn holds(self) -> bool {
        matches!(self, Self::True | Self::NotFalse)
    }

    /// Returns true if a result is as expected.
    pub(super) const fn admits(self, outcome: Option<bool>) -> bool {
        match outcome {
            Some(truth) => truth == self.holds(),
            None => !self.is_strict(),
        }
    }
}

/// A condition with its expected truth value.
pub(crate) type ExpectedCondition<'p> = (Expression<'p>, ExpectedTruth);
