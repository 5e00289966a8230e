//! What parts of conditions are to come to.

use adjudicate_lang::logic::Expression;

/// What a part of a condition is to come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    True,
    False,
    /// True or unknown, or a type error, which counts as unknown past an unknown operand.
    NotFalse,
    /// False or unknown, or a type error.
    NotTrue,
}

impl Want {
    /// What the operand of `!` is to come to then.
    pub(super) const fn negated(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::NotFalse => Self::NotTrue,
            Self::NotTrue => Self::NotFalse,
        }
    }

    /// Whether it has to be known.
    pub(super) const fn is_strict(self) -> bool {
        matches!(self, Self::True | Self::False)
    }

    /// Whether it has to hold where it is known.
    pub(super) const fn holds(self) -> bool {
        matches!(self, Self::True | Self::NotFalse)
    }

    /// Whether an outcome is one of those that are wanted.
    pub(super) const fn admits(self, outcome: Option<bool>) -> bool {
        match outcome {
            Some(truth) => truth == self.holds(),
            None => !self.is_strict(),
        }
    }
}

/// A condition over what is looked at, and what it is to come to.
pub(super) type Test<'p> = (Expression<'p>, Want);
