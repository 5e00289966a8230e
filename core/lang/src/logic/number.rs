//! Numbers: exact ones, and the floats of compat mode.
//!
//! The value of a number in a document is its shortest decimal (docs/reference/logic.md), so 0.7 - 0.6 is 0.1. Decimals are
//! stored as digits and a power of ten. Results outside of that form are fractions of 128-bit integers. Comparison is always
//! exact. Arithmetic never rounds: a result out of range is an error. The coercions of the reference are in `coerce`.

use alloc::{string::String, sync::Arc};
use core::fmt;

use serde::{Serialize, Serializer};

use super::{javascript, ratio::Ratio};
use crate::decimal::{Decimal, float};

/// A number.
///
/// ```
/// use adjudicate_lang::logic::Number;
/// let difference = Number::read("0.7").minus(&Number::read("0.6")).unwrap();
/// assert_eq!(difference.compare(&Number::read("1e-1")), Some(core::cmp::Ordering::Equal));
/// assert_eq!(Number::from(1_i64).divided_by(&Number::from(3_i64)).unwrap().to_string(), "0.3333333333333333");
/// ```
#[derive(Clone, Debug)]
pub struct Number(pub(super) Repr);

/// The representation of a number.
#[derive(Clone, Debug)]
pub(super) enum Repr {
    /// A decimal whose signed digits fit into 64 bits.
    Decimal(Decimal),
    /// Any other exact number.
    Ratio(Arc<Ratio>),
    /// A result of compat arithmetic.
    Float(f64),
}
use Repr::Float;

// The evaluator moves a value for every part of an expression, so numbers stay small.
const _: () = assert!(size_of::<Number>() == 16);

impl Number {
    /// Zero.
    pub const ZERO: Self = Self(Repr::Decimal(Decimal::ZERO));

    /// Returns the same number without shared memory.
    pub(super) fn detached(&self) -> Self {
        match &self.0 {
            Repr::Ratio(ratio) => Self(Repr::Ratio(Arc::new(**ratio))),
            plain => Self(plain.clone()),
        }
    }

    /// Returns the exact value of a JSON number.
    #[must_use]
    #[inline]
    pub fn read(text: &str) -> Self {
        match Decimal::read_short(text) {
            Some(decimal) => Self(Repr::Decimal(decimal)),
            None => Self::read_long(text),
        }
    }

    #[cold]
    #[inline(never)]
    fn read_long(text: &str) -> Self {
        match Decimal::read_long(text) {
            Some(decimal) if i64::try_from(decimal.signed_digits()).is_ok() => Self(Repr::Decimal(decimal)),
            Some(decimal) => Self::from(decimal.digits()),
            None => Self(Float(float::parse(text))),
        }
    }

    /// Returns the exact value of a float's shortest decimal. A float that is not finite stays a float.
    #[must_use]
    pub fn from_f64(value: f64) -> Self {
        Self(Decimal::from_f64(value).map_or(Float(value), Repr::Decimal))
    }

    /// Returns a number that stays a float, for compat arithmetic.
    pub(super) const fn float(value: f64) -> Self {
        Self(Float(value))
    }

    /// Returns `digits` times ten to the power of `exponent`, if its magnitude is below 1e308, and 1e-307 or more.
    pub(super) fn decimal(mut digits: i128, mut exponent: i32) -> Option<Self> {
        if digits == 0 {
            return Some(Self::ZERO);
        }
        // Most exponents are far from the ends of the range.
        if let (Ok(digits), -280..=280) = (i64::try_from(digits), exponent) {
            return Some(Self(Repr::Decimal(Decimal::signed(digits, exponent))));
        }
        let order = digits.unsigned_abs().ilog10().cast_signed() + exponent;
        if !(-307..308).contains(&order) {
            return None;
        }
        loop {
            if let Ok(digits) = i64::try_from(digits) {
                return Some(Self(Repr::Decimal(Decimal::signed(digits, exponent))));
            }
            if digits % 10 != 0 {
                return None;
            }
            (digits, exponent) = (digits / 10, exponent + 1);
        }
    }

    /// Returns the extra cost of parsing such a number. Very large or small numbers with many digits need integers of a thousand
    /// bits.
    #[inline]
    pub(super) fn reading(&self) -> usize {
        let Repr::Decimal(decimal) = self.0 else { return 1_000 };
        match decimal.exponent() {
            -40..=0 => 0,
            -280..=280 if decimal.digits() < 1_000_000_000_000_000 => 0,
            _ => 1_000,
        }
    }

    pub(super) fn ratio(&self) -> Option<Ratio> {
        match &self.0 {
            Repr::Decimal(decimal) => Ratio::decimal(*decimal),
            Repr::Ratio(ratio) => Some(**ratio),
            Float(value) => Self::from_f64(*value).exact()?.ratio(),
        }
    }

    pub(super) fn from_ratio(ratio: Ratio) -> Self {
        let whole = ratio.whole().and_then(|whole| Self::decimal(whole, 0));
        whole.unwrap_or_else(|| Self(Repr::Ratio(Arc::new(ratio))))
    }

    /// Returns the exact number, or `None` for a float that is not finite.
    pub(super) fn exact(self) -> Option<Self> {
        match self.0 {
            Float(value) if value.is_finite() => Some(Self::from_f64(value)),
            Float(_) => None,
            _ => Some(self),
        }
    }

    /// Returns whether the number is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        match &self.0 {
            Repr::Decimal(decimal) => decimal.digits() == 0,
            Repr::Ratio(_) => false,
            Float(value) => *value == 0.0,
        }
    }

    /// Returns the integer value, if a float, an `i64` or a `u64` represents it exactly.
    #[must_use]
    pub fn whole(&self) -> Option<i128> {
        let whole = match &self.0 {
            Repr::Decimal(decimal) => decimal.whole()?,
            Repr::Ratio(ratio) => ratio.whole()?,
            Float(value) => {
                // Beyond 2^53, several integers share a float.
                let whole = (value.abs() < 9_007_199_254_740_992.0).then_some(*value as i64)?;
                return (whole as f64 == *value).then_some(whole.into());
            }
        };
        (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&whole).then_some(whole)
    }

    /// Formats the nearest float as JavaScript does.
    pub(super) fn to_f64_text(&self) -> String {
        javascript::text(self.to_f64())
    }

    /// Returns the nearest float.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            Repr::Decimal(decimal) => decimal.to_f64(),
            Repr::Ratio(ratio) => ratio.to_f64(),
            Float(value) => *value,
        }
    }
}

impl From<i64> for Number {
    #[inline]
    fn from(value: i64) -> Self {
        Self(Repr::Decimal(Decimal::signed(value, 0)))
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        Self::from_ratio(Ratio::integer(value.into()))
    }
}

/// Formats integers as digits, and other numbers as the shortest digits of the nearest float, as JavaScript does.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.whole() {
            Some(whole) => write!(f, "{whole}"),
            None => f.write_str(&self.to_f64_text()),
        }
    }
}

/// Serializes integers as integers, other numbers as the nearest float, and floats that are not finite as null.
impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(whole) = self.whole() {
            return match i64::try_from(whole) {
                Ok(integer) => serializer.serialize_i64(integer),
                Err(_) => serializer.serialize_u64(u64::try_from(whole).unwrap_or(u64::MAX)),
            };
        }
        match self.to_f64() {
            value if value.is_finite() => serializer.serialize_f64(value),
            _ => serializer.serialize_unit(),
        }
    }
}
