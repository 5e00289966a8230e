//! Exact arithmetic: on the digits of decimals if possible, otherwise on fractions.

use core::cmp::Ordering;

use super::{
    number::{
        Number,
        Repr::{self, Decimal, Float},
    },
    ratio::{Ratio, compare_decimal},
};

impl Number {
    /// Compares two numbers exactly. Returns `None` if one of them is a float that is not finite.
    #[must_use]
    #[inline]
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        match (&self.0, &other.0) {
            (Decimal(left), Decimal(right)) => Some(left.cmp(right)),
            _ => self.compare_fractions(other),
        }
    }

    /// Compares two numbers of which one is not a decimal.
    #[inline(never)]
    fn compare_fractions(&self, other: &Self) -> Option<Ordering> {
        match (&self.0, &other.0) {
            (Decimal(left), Decimal(right)) => Some(left.cmp(right)),
            (Float(_), _) | (_, Float(_)) => self.clone().exact()?.compare(&other.clone().exact()?),
            (Repr::Ratio(left), Repr::Ratio(right)) => Some(left.compare(right)),
            (Decimal(left), Repr::Ratio(right)) => Some(compare_decimal(*left, right)),
            (Repr::Ratio(left), Decimal(right)) => Some(compare_decimal(*right, left).reverse()),
        }
    }

    /// Returns the exact sum, or `None` if it is out of range.
    #[must_use]
    #[inline]
    pub fn plus(&self, other: &Self) -> Option<Self> {
        self.quickly(other, i64::checked_add).or_else(|| self.plus_aligned(other))
    }

    /// Applies an operation to the digits of two decimals with equal exponents. Returns `None` if that does not apply or overflows.
    #[inline]
    fn quickly(&self, other: &Self, operation: impl Fn(i64, i64) -> Option<i64>) -> Option<Self> {
        match (&self.0, &other.0) {
            (Decimal(left), Decimal(right))
                if left.exponent() == right.exponent() && (-280..=280).contains(&left.exponent()) =>
            {
                let digits = |number: &crate::Decimal| i64::try_from(number.signed_digits()).ok();
                let digits = operation(digits(left)?, digits(right)?)?;
                Some(Self(Decimal(crate::Decimal::signed(digits, left.exponent()))))
            }
            _ => None,
        }
    }

    #[inline(never)]
    fn plus_aligned(&self, other: &Self) -> Option<Self> {
        self.aligned(other)
            .and_then(|(left, right, exponent)| Self::decimal(left.checked_add(right)?, exponent))
            .or_else(|| Some(Self::from_ratio(self.ratio()?.plus(other.ratio()?)?)))
    }

    /// Returns the exact difference, or `None` if it is out of range.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Option<Self> {
        let quick = self.quickly(other, i64::checked_sub);
        quick.or_else(|| self.plus(&other.times(&Self::from(-1_i64))?))
    }

    /// Returns the exact product, or `None` if it is out of range.
    #[must_use]
    pub fn times(&self, other: &Self) -> Option<Self> {
        let decimal = match (&self.0, &other.0) {
            (Decimal(left), Decimal(right)) => {
                let digits = left.signed_digits() * right.signed_digits();
                Self::decimal(digits, left.exponent() + right.exponent())
            }
            _ => None,
        };
        decimal.or_else(|| Some(Self::from_ratio(self.ratio()?.times(other.ratio()?)?)))
    }

    /// Returns the exact quotient, or `None` if it is out of range or `other` is zero.
    #[must_use]
    pub fn divided_by(&self, other: &Self) -> Option<Self> {
        let quotient = match self.aligned(other) {
            Some((left, right, _)) => Ratio::new(left, right),
            None => self.ratio()?.divided_by(other.ratio()?),
        };
        Some(Self::from_ratio(quotient?))
    }

    /// Returns the remainder of a truncated division, which has the sign of `self`. Returns `None` if it is out of range or `other`
    /// is zero.
    #[must_use]
    pub fn remainder(&self, other: &Self) -> Option<Self> {
        self.aligned(other)
            .and_then(|(left, right, exponent)| Self::decimal(left.checked_rem(right)?, exponent))
            .or_else(|| Some(Self::from_ratio(self.ratio()?.remainder(other.ratio()?)?)))
    }

    /// Returns both as integers times a common power of ten, if they are decimals with close exponents.
    fn aligned(&self, other: &Self) -> Option<(i128, i128, i32)> {
        match (&self.0, &other.0) {
            (Decimal(left), Decimal(right)) => left.aligned(*right),
            _ => None,
        }
    }
}
