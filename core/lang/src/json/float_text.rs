//! The canonical text of a float.

use alloc::{format, string::String};

use crate::decimal::float;

/// Formats a float: positional for `1e-5 <= |x| < 1e16`, otherwise with an exponent that has a sign.
pub(super) fn float_text(value: f64) -> String {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let (digits, exponent) = float::shortest(value);
    let digits = format!("{digits}");
    // The number of digits before the point.
    let places = exponent + i32::try_from(digits.len()).unwrap_or_default();
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or_default());
    if value == 0.0 {
        return format!("{sign}0.0");
    }
    if !(-4..=16).contains(&places) {
        let (first, rest) = digits.split_at_checked(1).unwrap_or_default();
        let point = if rest.is_empty() { "" } else { "." };
        return format!("{sign}{first}{point}{rest}e{:+}", places - 1);
    }
    if places <= 0 {
        return format!("{sign}0.{}{digits}", zeros(-places));
    }
    match digits.split_at_checked(usize::try_from(places).unwrap_or_default()) {
        Some((whole, "")) => format!("{sign}{whole}.0"),
        Some((whole, fraction)) => format!("{sign}{whole}.{fraction}"),
        None => format!("{sign}{digits}{}.0", zeros(exponent)),
    }
}
