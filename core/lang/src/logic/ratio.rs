//! Fractions of 128-bit integers, with comparison in 256 bits.

use core::cmp::Ordering;

use crate::decimal::Decimal;

/// A fraction in lowest terms with a positive denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ratio {
    numerator: i128,
    denominator: i128,
}

impl Ratio {
    pub(super) const fn integer(value: i128) -> Self {
        Self { numerator: value, denominator: 1 }
    }

    /// Reduces a fraction. Returns `None` if it is out of range or the denominator is zero.
    pub(super) fn new(numerator: i128, denominator: i128) -> Option<Self> {
        let divisor =
            i128::try_from(common_divisor(numerator.unsigned_abs(), denominator.unsigned_abs())).ok()?;
        let divisor = if denominator < 0 { -divisor } else { divisor };
        if denominator == 0 {
            return None;
        }
        let numerator = numerator.checked_div(divisor)?;
        let denominator = denominator.checked_div(divisor)?;
        (numerator != i128::MIN && denominator > 0).then_some(Self { numerator, denominator })
    }

    pub(super) fn decimal(decimal: Decimal) -> Option<Self> {
        let power = 10_i128.checked_pow(decimal.exponent().unsigned_abs())?;
        match decimal.exponent() {
            0.. => Self::new(decimal.signed_digits().checked_mul(power)?, 1),
            _ => Self::new(decimal.signed_digits(), power),
        }
    }

    pub(super) fn whole(self) -> Option<i128> {
        (self.denominator == 1).then_some(self.numerator)
    }

    pub(super) fn plus(self, other: Self) -> Option<Self> {
        let (left, right) = self.over_one_denominator(other)?;
        Self::new(left.0.checked_add(right)?, left.1)
    }

    pub(super) fn times(self, other: Self) -> Option<Self> {
        // Reduction before multiplication keeps the products small.
        let left = Self::new(self.numerator, other.denominator)?;
        let right = Self::new(other.numerator, self.denominator)?;
        Self::new(
            left.numerator.checked_mul(right.numerator)?,
            left.denominator.checked_mul(right.denominator)?,
        )
    }

    pub(super) fn divided_by(self, other: Self) -> Option<Self> {
        self.times(Self::new(other.denominator, other.numerator)?)
    }

    pub(super) fn remainder(self, other: Self) -> Option<Self> {
        let (left, right) = self.over_one_denominator(other)?;
        Self::new(left.0.checked_rem(right)?, left.1)
    }

    /// Returns the first numerator with the common denominator, and the second numerator.
    fn over_one_denominator(self, other: Self) -> Option<((i128, i128), i128)> {
        let divisor = common_divisor(self.denominator.unsigned_abs(), other.denominator.unsigned_abs());
        let divisor = i128::try_from(divisor).ok()?;
        let (left, right) = (other.denominator.checked_div(divisor)?, self.denominator.checked_div(divisor)?);
        let denominator = self.denominator.checked_mul(left)?;
        Some(((self.numerator.checked_mul(left)?, denominator), other.numerator.checked_mul(right)?))
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let signs = self.numerator.signum().cmp(&other.numerator.signum());
        let magnitudes = product(self.numerator.unsigned_abs(), other.denominator.unsigned_abs())
            .cmp(&product(other.numerator.unsigned_abs(), self.denominator.unsigned_abs()));
        signs.then(if self.numerator < 0 { magnitudes.reverse() } else { magnitudes })
    }

    /// Returns the nearest float, ties to even.
    pub(super) fn to_f64(self) -> f64 {
        let divisor = self.denominator.unsigned_abs();
        let mut quotient = self.numerator.unsigned_abs() / divisor;
        let mut rest = self.numerator.unsigned_abs() % divisor;
        let mut scale = 1.0;
        // Long division to more bits than a float has. Of the rest, only its presence affects rounding.
        while quotient < 1 << 60 && rest != 0 {
            rest <<= 1;
            quotient <<= 1;
            if rest >= divisor {
                rest -= divisor;
                quotient |= 1;
            }
            scale /= 2.0;
        }
        let magnitude = (quotient | u128::from(rest != 0)) as f64 * scale;
        if self.numerator < 0 { -magnitude } else { magnitude }
    }
}

/// Compares a decimal of any magnitude with a fraction.
pub(super) fn compare_decimal(decimal: Decimal, ratio: &Ratio) -> Ordering {
    let (digits, exponent) = (decimal.digits(), decimal.exponent());
    let signs = decimal.signed_digits().signum().cmp(&ratio.numerator.signum());
    if signs.is_ne() || digits == 0 {
        return signs;
    }
    let (numerator, denominator) = (ratio.numerator.unsigned_abs(), ratio.denominator.unsigned_abs());
    let magnitudes = if exponent >= 0 {
        let power = 10_u128.checked_pow(exponent.unsigned_abs());
        match power.and_then(|power| power.checked_mul(digits.into())) {
            Some(whole) => product(whole, denominator).cmp(&(0, numerator)),
            // Greater than every numerator.
            None => Ordering::Greater,
        }
    } else {
        let left = product(digits.into(), denominator);
        // The power can need two factors. A product that overflows is at least 10^38 times 2^128, and `left` is below 2^191.
        let first = exponent.unsigned_abs().min(38);
        let second = 10_u128.checked_pow(exponent.unsigned_abs() - first);
        match second.and_then(|second| second.checked_mul(numerator)) {
            Some(scaled) => left.cmp(&product(scaled, 10_u128.pow(first))),
            None => Ordering::Less,
        }
    };
    if decimal.is_negative() { magnitudes.reverse() } else { magnitudes }
}

/// Euclid's algorithm. The divisor of a number and zero is the number.
const fn common_divisor(mut left: u128, mut right: u128) -> u128 {
    while right > u64::MAX as u128 {
        (left, right) = (right, left % right);
    }
    if right == 0 {
        return left;
    }
    // 64 bits from here, which machines can divide.
    let (mut left, mut right) = (right as u64, (left % right) as u64);
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left as u128
}

/// Returns the product in 256 bits, the upper half first.
const fn product(left: u128, right: u128) -> (u128, u128) {
    const LOW: u128 = u64::MAX as u128;
    let (a, b) = (left >> 64, left & LOW);
    let (c, d) = (right >> 64, right & LOW);
    let middle = a * d + ((b * d) >> 64);
    let other = b * c + (middle & LOW);
    (a * c + (middle >> 64) + (other >> 64), other << 64 | ((b * d) & LOW))
}
