//! Decimals: digits times a power of ten, and how floats are written as such.

use alloc::{format, string::String};
use core::cmp::Ordering;

use crate::json::float;

/// Digits and the power of ten that they are multiplied with.
pub(super) type Decimal = (i64, i16);

/// Up to 15 significant digits and no exponent: no other float has a decimal that short, so the text says it.
#[inline]
pub(super) fn short(text: &str) -> Option<Decimal> {
    let (negative, unsigned) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (mut digits, mut exponent, mut significant) = (0_i64, 0_i16, 0);
    let mut point = false;
    for byte in unsigned.bytes() {
        match byte {
            b'0'..=b'9' => digits = digits * 10 + i64::from(byte - b'0'),
            b'.' => {
                point = true;
                continue;
            }
            _ => return None,
        }
        significant += i32::from(digits != 0);
        exponent -= i16::from(point);
        if significant > 15 || exponent < -290 {
            return None;
        }
    }
    let exponent = if digits == 0 { 0 } else { exponent };
    Some((if negative { -digits } else { digits }, exponent))
}

/// The shortest decimal that reads back as the float; `None` for what is not finite.
pub(super) fn shortest(value: f64) -> Option<Decimal> {
    if !value.is_finite() {
        return None;
    }
    let (digits, exponent) = float::shortest(value);
    // Up to 17 digits, and an exponent of up to three.
    let (digits, exponent) = (i64::try_from(digits).ok()?, i16::try_from(exponent).ok()?);
    Some((if value < 0.0 { -digits } else { digits }, exponent))
}

/// Compares exactly, whatever the exponents.
#[inline]
pub(super) fn compare(left: Decimal, right: Decimal) -> Ordering {
    if left.1 == right.1 { left.0.cmp(&right.0) } else { compare_aligned(left, right) }
}

fn compare_aligned(left: Decimal, right: Decimal) -> Ordering {
    match align(left, right) {
        Some((left, right, _)) => left.cmp(&right),
        // So far apart that the one with the larger exponent is the larger in magnitude.
        None if left.1 > right.1 => left.0.cmp(&0),
        None => 0.cmp(&right.0),
    }
}

/// Powers of ten.
const POWERS: [i64; 19] = [
    1,
    10,
    100,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
    1_000_000_000,
    10_000_000_000,
    100_000_000_000,
    1_000_000_000_000,
    10_000_000_000_000,
    100_000_000_000_000,
    1_000_000_000_000_000,
    10_000_000_000_000_000,
    100_000_000_000_000_000,
    1_000_000_000_000_000_000,
];

/// Both as integers times ten to the power of the smaller exponent, if there is room for that.
pub(super) fn align(left: Decimal, right: Decimal) -> Option<(i128, i128, i32)> {
    let ((digits, exponent), (others, power)) = (left, right);
    if exponent == power {
        return Some((digits.into(), others.into(), exponent.into()));
    }
    match (digits, others) {
        (0, _) => return Some((0, others.into(), power.into())),
        (_, 0) => return Some((digits.into(), 0, exponent.into())),
        _ => {}
    }
    let floor = exponent.min(power);
    let scaled = |digits: i64, exponent: i16| {
        let places = exponent.abs_diff(floor);
        match POWERS.get(usize::from(places)) {
            // No product of two of 64 bits is too large.
            Some(power) => Some(i128::from(*power) * i128::from(digits)),
            None => 10_i128.checked_pow(places.into())?.checked_mul(digits.into()),
        }
    };
    Some((scaled(digits, exponent)?, scaled(others, power)?, floor.into()))
}

/// The integer that a decimal is, if it is one and not a very large one.
pub(super) fn whole(digits: i64, exponent: i16) -> Option<i128> {
    let power = 10_i128.checked_pow(u32::from(exponent.unsigned_abs()))?;
    match exponent {
        0.. => power.checked_mul(digits.into()),
        _ if i128::from(digits) % power == 0 => Some(i128::from(digits) / power),
        _ => None,
    }
}

/// The nearest float.
pub(super) fn to_f64(digits: i64, exponent: i16) -> f64 {
    let magnitude = float::from_decimal(digits.unsigned_abs(), exponent.into());
    if digits < 0 { -magnitude } else { magnitude }
}

/// A float as JavaScript writes it.
pub(super) fn javascript(value: f64) -> String {
    let Some((digits, exponent)) = shortest(value) else {
        let name = if value.is_nan() { "NaN" } else { "Infinity" };
        return format!("{}{name}", if value < 0.0 { "-" } else { "" });
    };
    let sign = if digits < 0 { "-" } else { "" };
    let digits = format!("{}", digits.unsigned_abs());
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    // Where the point is, counted from before the first digit.
    let point = count + i32::from(exponent);
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or_default());
    if point > 21 || point <= -6 {
        let (first, rest) = digits.split_at_checked(1).unwrap_or_default();
        let dot = if rest.is_empty() { "" } else { "." };
        return format!("{sign}{first}{dot}{rest}e{:+}", point - 1);
    }
    if point <= 0 {
        return format!("{sign}0.{}{digits}", zeros(-point));
    }
    match digits.split_at_checked(usize::try_from(point).unwrap_or_default()) {
        Some((whole, "")) => format!("{sign}{whole}"),
        Some((whole, fraction)) => format!("{sign}{whole}.{fraction}"),
        None => format!("{sign}{digits}{}", zeros(point - count)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_as_javascript_writes_them() {
        for (value, expected) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (-1.5, "-1.5"),
            (100.0, "100"),
            (0.000_001, "0.000001"),
            (1e-7, "1e-7"),
            (-1.25e-7, "-1.25e-7"),
            (1e20, "100000000000000000000"),
            (123_456_789_012_345_680_000.0, "123456789012345680000"),
            (1e21, "1e+21"),
            (1.234e21, "1.234e+21"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(javascript(value), expected);
        }
    }
}
