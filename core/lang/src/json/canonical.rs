//! Canonical JSON and digests (docs/reference/policies.md).
//!
//! Keys are sorted by code point, and there is no white space. Integers of the `i64` and `u64` ranges are digits. Every other
//! number is an `f64` with the shortest digits that read back to it. This crate defines every byte of the form, so no new version
//! of a library can change a digest.

use alloc::{format, string::String, vec::Vec};
use core::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use super::{
    float_text::float_text,
    tape::{Kind, Node},
    write::JsonWriter,
};
use crate::{decimal::float, order};

/// Returns the canonical text of a value.
///
/// ```
/// use adjudicate_lang::json::{self, ReadLimits};
/// let tape = json::read(br#"{"b": 1.50, "a": [1e20, -0.0, 18446744073709551615]}"#, ReadLimits::DOCUMENT)?;
/// assert_eq!(json::canonical(tape.root()), r#"{"a":[1e+20,-0.0,18446744073709551615],"b":1.5}"#);
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
#[must_use]
pub fn canonical(value: Node<'_>) -> String {
    let mut out = String::new();
    write_value(value, number, &mut out);
    out
}

/// Returns the canonical text of a value, in which a number that an `f64` would round stays as it is written. So a digest of it covers
/// every digit.
///
/// ```
/// use adjudicate_lang::json::{self, ReadLimits};
/// let tape = json::read(b"[1.50, 1e20, 1.00000000000000000001, 18446744073709551617]", ReadLimits::DOCUMENT)?;
/// assert_eq!(json::exact(tape.root()), "[1.5,1e+20,1.00000000000000000001,18446744073709551617]");
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
#[must_use]
pub fn exact(value: Node<'_>) -> String {
    let mut out = String::new();
    write_value(value, unrounded, &mut out);
    out
}

/// Returns `sha256:` and the hexadecimal SHA-256 of the canonical text.
///
/// ```
/// use adjudicate_lang::json::{self, ReadLimits};
/// let spaced = json::read(br#"{ "b": 2.0, "a": 1 }"#, ReadLimits::DOCUMENT)?;
/// let dense = json::read(br#"{"a":1,"b":2.00}"#, ReadLimits::DOCUMENT)?;
/// assert_eq!(json::digest(spaced.root()), json::digest(dense.root()));
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
#[must_use]
pub fn digest(value: Node<'_>) -> String {
    let mut text = String::from("sha256:");
    for byte in Sha256::digest(canonical(value).as_bytes()) {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn write_value(value: Node<'_>, number: fn(&str) -> String, out: &mut String) {
    match value.kind() {
        Kind::Null => out.push_str("null"),
        Kind::Bool(value) => out.push_str(if value { "true" } else { "false" }),
        Kind::Integer | Kind::Float => out.push_str(&number(value.as_number().unwrap_or_default())),
        Kind::String => write_string(value.as_str().unwrap_or_default(), out),
        Kind::Array => {
            out.push('[');
            for (index, item) in value.items().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_value(item, number, out);
            }
            out.push(']');
        }
        Kind::Object => {
            let mut members: Vec<_> = value.members().collect();
            order::sort_by(&mut members, |(left, _), (right, _)| left.cmp(right));
            out.push('{');
            for (index, (key, member)) in members.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_string(key, out);
                out.push(':');
                write_value(member, number, out);
            }
            out.push('}');
        }
    }
}

/// Appends a text to `out` as a JSON string.
pub fn write_string(text: &str, out: &mut String) {
    // A text always has a JSON form.
    let _ = JsonWriter(out, usize::MAX).string(text);
}

/// Returns the canonical form of a number from its text.
fn number(text: &str) -> String {
    if let Ok(integer) = text.parse::<i64>()
        && text != "-0"
    {
        return format!("{integer}");
    }
    if let Ok(integer) = text.parse::<u64>() {
        return format!("{integer}");
    }
    float_text(float::parse(text))
}

/// Returns the canonical form of a number, or its text if that form has other digits.
fn unrounded(text: &str) -> String {
    let canonical = number(text);
    if digits(&canonical) == digits(text) { canonical } else { text.into() }
}

/// Returns the digits of a number, without zeros before and after the others.
fn digits(text: &str) -> String {
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pins the canonical form of numbers, independent of libraries.
    #[test]
    fn numbers_have_one_canonical_form() {
        for (text, expected) in [
            ("0", "0"),
            ("-0", "-0.0"),
            ("-0.0", "-0.0"),
            ("0.0", "0.0"),
            ("12", "12"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("18446744073709551615", "18446744073709551615"),
            ("18446744073709551616", "1.8446744073709552e+19"),
            ("-9223372036854775809", "-9.223372036854776e+18"),
            ("997236866281730.2", "997236866281730.2"),
            ("997236866281730.75", "997236866281730.8"),
            ("1.0", "1.0"),
            ("1.50", "1.5"),
            ("0.1", "0.1"),
            ("0.30000000000000004", "0.30000000000000004"),
            ("1e2", "100.0"),
            ("1e15", "1000000000000000.0"),
            ("9007199254740993.0", "9007199254740992.0"),
            ("9999999999999998.0", "9999999999999998.0"),
            ("1e16", "1e+16"),
            ("1.5e16", "1.5e+16"),
            ("1e-5", "0.00001"),
            ("1.5e-5", "0.000015"),
            ("9.9e-6", "9.9e-6"),
            ("1e-6", "1e-6"),
            ("5e-324", "5e-324"),
            ("1.7976931348623157e308", "1.7976931348623157e+308"),
            ("2.2250738585072011e-308", "2.225073858507201e-308"),
        ] {
            assert_eq!(number(text), expected, "{text}");
        }
    }

    #[test]
    fn rounded_numbers_stay_as_they_are_written() {
        for text in [
            "1.00000000000000000001",
            "18446744073709551616",
            "-9223372036854775809",
            "0.10000000000000001e1",
        ] {
            assert_eq!(unrounded(text), text);
        }
        for text in [
            "0",
            "-0",
            "-0e99",
            "0.00",
            "10e-1",
            "1.50",
            "1E2",
            "18446744073709551615",
            "5e-324",
            "0.30000000000000004",
        ] {
            assert_eq!(unrounded(text), number(text));
        }
    }
}
