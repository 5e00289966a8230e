//! Floats in JavaScript's notation.

use alloc::{format, string::String};

use crate::decimal::Decimal;

/// Formats a float as JavaScript does.
pub(super) fn text(value: f64) -> String {
    let Some(decimal) = Decimal::from_f64(value) else {
        let name = if value.is_nan() { "NaN" } else { "Infinity" };
        return format!("{}{name}", if value < 0.0 { "-" } else { "" });
    };
    let sign = if decimal.is_negative() { "-" } else { "" };
    let digits = format!("{}", decimal.digits());
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    // The position of the decimal point, counted from before the first digit.
    let point = count + decimal.exponent();
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
    fn floats_are_formatted_as_in_javascript() {
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
            assert_eq!(text(value), expected);
        }
    }
}
