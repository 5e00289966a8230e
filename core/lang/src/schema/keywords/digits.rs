//! Numbers as documents write them: their digits, and how they compare, without making a float of them.

use core::cmp::Ordering;

use crate::json::{Beyond, EXACT_DIGITS, Glance, Node, float};

/// How a number compares with an integer, if that can be told at a glance.
#[inline]
pub(super) fn compare(number: Glance, with: i64) -> Option<Ordering> {
    let floor = i64::from(number.floor);
    match floor.cmp(&with) {
        _ if number.beyond == Beyond::Long && (with == floor || with == floor + 1) => None,
        Ordering::Equal if number.beyond != Beyond::Nothing => Some(Ordering::Greater),
        order => Some(order),
    }
}

/// Digits and a power of ten that a number is, whatever its sign; the digits may end in zeros.
#[inline]
pub(super) fn written(number: Node<'_>) -> (u64, i32) {
    match number.glance() {
        Some(Glance { floor, beyond: Beyond::Nothing }) => (u64::from(floor.unsigned_abs()), 0),
        Some(Glance { beyond: Beyond::Fraction, .. }) => {
            plain(number.name().trim_start_matches('-')).unwrap_or_default()
        }
        _ => digits(number.name()),
    }
}

/// The integer that a limit is, if floats tell it from its neighbours.
pub(super) fn whole(text: &str) -> Option<i64> {
    let (digits, exponent) = digits(text);
    let whole =
        10_i64.checked_pow(u32::try_from(exponent).ok()?)?.checked_mul(i64::try_from(digits).ok()?)?;
    let signed = if text.starts_with('-') { -whole } else { whole };
    (whole < 1 << 53).then_some(signed)
}

/// The float nearest to a number.
#[inline]
pub(super) fn near(text: &str) -> f64 {
    let (negative, unsigned) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    // With a point.
    let short = if unsigned.len() <= EXACT_DIGITS + 1 { plain(unsigned) } else { None };
    match short {
        Some((digits, exponent)) if negative => -float::from_decimal(digits, exponent),
        Some((digits, exponent)) => float::from_decimal(digits, exponent),
        None => float::parse(text),
    }
}

/// The magnitude of a number of a document: digits that do not end in zero, and the power of ten of the last of them.
/// It is whole if that is not negative. As everywhere, what has more digits than integers can hold or floats can tell
/// apart is the float that it reads as.
pub(in crate::schema) fn digits(text: &str) -> (u64, i32) {
    let (negative, unsigned) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    if unsigned.len() <= EXACT_DIGITS
        && let Some(digits) = short(unsigned)
    {
        return digits;
    }
    match unsigned.parse::<u64>() {
        Ok(integer) if !negative || integer <= i64::MIN.unsigned_abs() => without_zeros(integer, 0),
        _ => float::shortest(float::parse(text)),
    }
}

/// What has no exponent, and so few digits that no other float is as near.
fn short(text: &str) -> Option<(u64, i32)> {
    plain(text).map(|(digits, exponent)| without_zeros(digits, exponent))
}

/// Digits and a power of ten, as they are written.
#[inline]
fn plain(text: &str) -> Option<(u64, i32)> {
    let (mut digits, mut exponent, mut beyond) = (0, 0, false);
    for byte in text.bytes() {
        match byte {
            b'0'..=b'9' => {
                digits = digits * 10 + u64::from(byte - b'0');
                exponent -= i32::from(beyond);
            }
            b'.' => beyond = true,
            _ => return None,
        }
    }
    Some((digits, exponent))
}

fn without_zeros(mut digits: u64, mut exponent: i32) -> (u64, i32) {
    if digits == 0 {
        return (0, 0);
    }
    while digits.is_multiple_of(10) {
        (digits, exponent) = (digits / 10, exponent + 1);
    }
    (digits, exponent)
}

/// Whether a magnitude is another one a whole number of times.
pub(super) fn is_multiple((digits, exponent): (u64, i32), (of, power): (u64, i32)) -> bool {
    if digits == 0 {
        return true;
    }
    let Ok(places) = u32::try_from(exponent - power) else {
        // It has places beyond those of the divisor's last digit, which must be zeros.
        let factor = 10_u64.checked_pow(power.abs_diff(exponent));
        return factor.and_then(|factor| factor.checked_mul(of)).is_some_and(|of| digits.is_multiple_of(of));
    };
    let written = 10_u64.checked_pow(places).and_then(|power| power.checked_mul(digits));
    if let Some(written) = written {
        return written.is_multiple_of(of);
    }
    let of = u128::from(of);
    let (mut rest, mut factor, mut places) = (u128::from(digits) % of, 10 % of, places);
    while places > 0 {
        if places & 1 == 1 {
            rest = rest * factor % of;
        }
        factor = factor * factor % of;
        places >>= 1;
    }
    rest == 0
}

/// The amount that a number says, if it is one.
pub(in crate::schema) fn amount(text: &str) -> Option<u32> {
    let (digits, exponent) = digits(text);
    if exponent < 0 || (text.starts_with('-') && digits != 0) {
        return None;
    }
    let power = 10_u64.checked_pow(exponent.unsigned_abs());
    let amount =
        power.and_then(|power| power.checked_mul(digits)).and_then(|amount| u32::try_from(amount).ok());
    Some(amount.unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_and_amounts() {
        for (text, expected, count) in [
            ("0", (0, 0), Some(0)),
            ("-0.0", (0, 0), Some(0)),
            ("120", (12, 1), Some(120)),
            ("2.0", (2, 0), Some(2)),
            ("-2", (2, 0), None),
            ("2.50", (25, -1), None),
            ("1e3", (1, 3), Some(1_000)),
            ("1e308", (1, 308), Some(u32::MAX)),
            ("5e-324", (5, -324), None),
            ("18446744073709551615", (u64::MAX, 0), Some(u32::MAX)),
            ("12345678910111213141516", (12_345_678_910_111_212, 6), Some(u32::MAX)),
            ("0.30000000000000004", (30_000_000_000_000_004, -17), None),
        ] {
            assert_eq!((digits(text), amount(text)), (expected, count), "{text}");
        }
    }

    #[test]
    fn multiples() {
        for (text, of, expected) in [
            ("10", "2", true),
            ("7", "2", false),
            ("0", "0.3", true),
            ("4.5", "1.5", true),
            ("-4.5", "1.5", true),
            ("0.0075", "0.0001", true),
            ("0.00751", "0.0001", false),
            ("1e308", "0.123456789", false),
            ("1e308", "0.5", true),
            ("1e308", "1e-300", true),
            ("12391239123", "1e-8", true),
            ("1", "3", false),
            ("0.3", "0.1", true),
            ("19.99", "0.01", true),
            ("18446744073709551615", "18446744073709551615", true),
            ("18446744073709551614", "18446744073709551615", false),
            ("3e10", "7", false),
            ("1", "10", false),
            ("30", "1.5e1", true),
        ] {
            assert_eq!(is_multiple(digits(text), digits(of)), expected, "{text} {of}");
        }
    }
}
