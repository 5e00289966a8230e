//! JavaScript's conversions between types.

use alloc::{borrow::Cow, string::String, vec::Vec};

use super::{
    cost::{BUILT_BYTE, PART},
    value::Value,
};
use crate::{error::Error, steps::Steps};

/// Converts a value to text, as JavaScript's `String(value)`.
pub(super) fn to_text<'a>(value: &'a Value<'_>, steps: &mut Steps) -> Result<Cow<'a, str>, Error> {
    Ok(match value {
        Value::Unknown => Cow::Borrowed("undefined"),
        Value::Null => Cow::Borrowed("null"),
        _ => match value.as_text() {
            Some(text) => Cow::Borrowed(text),
            None => {
                let mut text = String::new();
                join(value, &mut text, steps)?;
                Cow::Owned(text)
            }
        },
    })
}

/// Appends a value as `Array.join` does: null as nothing, the items of a list separated by commas.
pub(super) fn join(value: &Value<'_>, out: &mut String, steps: &mut Steps) -> Result<(), Error> {
    // An explicit stack, because lists can nest deeply. `None` stands for a comma.
    let mut pending = Vec::from([Some(value.clone())]);
    while let Some(next) = pending.pop() {
        let before = out.len();
        match next {
            None => out.push(','),
            Some(Value::Unknown | Value::Null) => {}
            Some(Value::Bool(truth)) => out.push_str(if truth { "true" } else { "false" }),
            Some(Value::Number(number)) => out.push_str(&number.to_f64_text()),
            Some(value) => match (value.as_text(), value.items()) {
                (Some(text), _) => out.push_str(text),
                (None, Some(items)) => {
                    steps.spend(value.weight())?;
                    let from = pending.len();
                    for item in items {
                        pending.extend([Some(item), None]);
                    }
                    pending.truncate(pending.len().saturating_sub(1).max(from));
                    pending.get_mut(from..).unwrap_or_default().reverse();
                }
                (None, None) => out.push_str("[object Object]"),
            },
        }
        steps.spend(PART + (out.len() - before) * BUILT_BYTE)?;
    }
    Ok(())
}

/// Converts a list or an object to text, as operators do first. Returns other values unchanged.
pub(super) fn to_primitive<'v>(value: &Value<'v>, steps: &mut Steps) -> Result<Value<'v>, Error> {
    if value.is_container() {
        return Ok(Value::BuiltText(to_text(value, steps)?.into()));
    }
    Ok(value.clone())
}

/// Converts a value to a number, as JavaScript's `Number(value)`.
pub(super) fn to_number(value: &Value<'_>, steps: &mut Steps) -> Result<f64, Error> {
    Ok(match value {
        Value::Unknown => f64::NAN,
        Value::Null => 0.0,
        Value::Bool(truth) => f64::from(u8::from(*truth)),
        Value::Number(number) => number.to_f64(),
        other => {
            let text = to_text(other, steps)?;
            steps.spend(text.len())?;
            whole_text(&text)
        }
    })
}

/// Parses a whole text as a number. The empty text is zero.
fn whole_text(text: &str) -> f64 {
    let text = text.trim_matches(is_space);
    let radix = [("0x", 16), ("0X", 16), ("0o", 8), ("0O", 8), ("0b", 2), ("0B", 2)];
    for (prefix, radix) in radix {
        if let Some(digits) = text.strip_prefix(prefix) {
            return integer(digits, radix).unwrap_or(f64::NAN);
        }
    }
    match decimal_prefix(text) {
        _ if text.is_empty() => 0.0,
        prefix if prefix == text => prefix.parse().unwrap_or(f64::NAN),
        _ => f64::NAN,
    }
}

/// Parses digits without a sign.
fn integer(digits: &str, radix: u32) -> Option<f64> {
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    match u128::from_str_radix(digits, radix) {
        Ok(integer) => Some(integer as f64),
        // So large that the last digits do not matter.
        Err(_) => Some(
            digits
                .chars()
                .filter_map(|digit| digit.to_digit(radix))
                .fold(0.0, |value, digit| value * f64::from(radix) + f64::from(digit)),
        ),
    }
}

/// Parses the number at the start of a text, as JavaScript's `parseFloat`.
pub(super) fn float_prefix(text: &str) -> f64 {
    decimal_prefix(text.trim_start_matches(is_space)).parse().unwrap_or(f64::NAN)
}

/// Returns the longest prefix that is a decimal number or `Infinity`, with an optional sign.
fn decimal_prefix(text: &str) -> &str {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
    let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    if text.get(sign..).is_some_and(|rest| rest.starts_with("Infinity")) {
        return text.get(..sign + "Infinity".len()).unwrap_or_default();
    }
    let whole = digits(sign);
    let mut end = sign + whole;
    if bytes.get(end) == Some(&b'.') {
        let fraction = digits(end + 1);
        if whole + fraction == 0 {
            return "";
        }
        end += 1 + fraction;
    } else if whole == 0 {
        return "";
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        match digits(end + 1 + sign) {
            0 => {}
            exponent => end += 1 + sign + exponent,
        }
    }
    text.get(..end).unwrap_or_default()
}

/// White space and line terminators of ECMA-262.
fn is_space(character: char) -> bool {
    (character.is_whitespace() && character != '\u{85}') || character == '\u{feff}'
}
