//! Canonical equality keys: two JSON values are equal if and only if their keys are.
//!
//! A key is JSON without white space, its fields sorted by name. Each number has one form: `1`, `1.0` and `10e-1` are `1`. Digests
//! use another canonical form, which distinguishes `1` from `1.0`.

use alloc::{
    borrow::Cow,
    string::{String, ToString as _},
    vec::Vec,
};

use crate::{
    decimal::Decimal,
    json::{self, Beyond, Glance, Kind, Node},
    logic::Number,
    order,
};

/// The key of a value, with text only where a scalar does not suffice.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EqualityKey<'t> {
    String(&'t [u8]),
    Number(Decimal),
    Other(Cow<'t, str>),
}

impl<'t> EqualityKey<'t> {
    pub(super) fn new(value: Node<'t>) -> Self {
        match value.kind() {
            Kind::String => Self::String(value.bytes()),
            Kind::Integer | Kind::Float => Self::Number(value.as_decimal().unwrap_or_default()),
            _ => Self::Other(equality_key(value)),
        }
    }
}

/// Returns a hash: equal values have equal hashes, and most different values have different ones.
pub(super) fn fingerprint(value: Node<'_>) -> u64 {
    let state = match value.kind() {
        Kind::String => text_key(value),
        Kind::Integer | Kind::Float => number_key(value),
        Kind::Array => value.items().fold(1, |state, item| mix(state, fingerprint(item))),
        // A sum, because the order of fields does not matter.
        Kind::Object => value.pairs().fold(2, |state: u64, (name, member)| {
            state.wrapping_add(mix(text_key(name), fingerprint(member)))
        }),
        Kind::Null => 3,
        Kind::Bool(truth) => 4 + u64::from(truth),
    };
    // Without this, values that differ only in their highest bits would share the lowest.
    let state = (state ^ state >> 32).wrapping_mul(FACTOR);
    state ^ state >> 32
}

/// A multiplier that spreads every input bit into the highest bits: 2^64 divided by the golden ratio, an odd number.
pub(super) const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

#[inline]
fn mix(state: u64, word: u64) -> u64 {
    (state.rotate_left(5) ^ word).wrapping_mul(FACTOR)
}

#[inline]
fn text_key(value: Node<'_>) -> u64 {
    let (bytes, (first, last)) = value.text_and_ends();
    // The first and the last word cover the rest.
    let (middle, _) = bytes.get(8..bytes.len().max(16) - 8).unwrap_or_default().as_chunks::<8>();
    let state = mix(mix(bytes.len() as u64, first), last);
    middle.iter().fold(state, |state, word| mix(state, u64::from_le_bytes(*word)))
}

/// Hashes a number independent of its notation: integers directly, other numbers by digits and exponent.
fn number_key(value: Node<'_>) -> u64 {
    if let Some(Glance { floor, beyond: Beyond::Nothing }) = value.glance() {
        return mix(u64::from(floor < 0), u64::from(floor.unsigned_abs()));
    }
    let number = value.as_decimal().unwrap_or_default().reduced();
    let (digits, exponent) = (number.digits(), number.exponent());
    let state = u64::from(number.is_negative());
    match u32::try_from(exponent).ok().and_then(|exponent| 10_u64.checked_pow(exponent)?.checked_mul(digits))
    {
        Some(whole) => mix(state, whole),
        None => mix(mix(state, digits), u64::from(exponent.cast_unsigned())),
    }
}

/// Returns the key of a value that is not a string.
pub(super) fn equality_key(value: Node<'_>) -> Cow<'_, str> {
    match value.kind() {
        Kind::Null => "null".into(),
        Kind::Bool(true) => "true".into(),
        Kind::Bool(false) => "false".into(),
        // A short integer is its own key, except `-0`.
        Kind::Integer if value.bytes().len() < 19 && value.bytes() != b"-0" => {
            value.as_number().unwrap_or_default().into()
        }
        Kind::Integer | Kind::Float => Number::read(value.as_number().unwrap_or_default()).to_string().into(),
        Kind::String | Kind::Array | Kind::Object => {
            let mut text = String::new();
            write(value, &mut text);
            text.into()
        }
    }
}

fn write(value: Node<'_>, out: &mut String) {
    match value.kind() {
        Kind::String => out.push_str(&json::write(&value.as_str().unwrap_or_default())),
        Kind::Array => {
            out.push('[');
            for (index, item) in value.items().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                write(item, out);
            }
            out.push(']');
        }
        Kind::Object => {
            let mut members: Vec<_> = value.members().collect();
            order::sort_by(&mut members, |(left, _), (right, _)| left.cmp(right));
            out.push('{');
            for (index, (name, member)) in members.into_iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                out.push_str(&json::write(&name));
                out.push(':');
                write(member, out);
            }
            out.push('}');
        }
        _ => out.push_str(&equality_key(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::ReadLimits;

    #[test]
    fn equal_values_have_equal_keys() {
        for (text, expected) in [
            ("1.0", "1"),
            ("10e-1", "1"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("1e3", "1000"),
            ("0.10", "0.1"),
            ("18446744073709551615", "18446744073709551615"),
            (
                r#"{"b": [1.0, "\u0061"], "a": {"d": null, "c": false}}"#,
                r#"{"a":{"c":false,"d":null},"b":[1,"a"]}"#,
            ),
        ] {
            let tape = json::read(text.as_bytes(), ReadLimits::DOCUMENT).unwrap();
            assert_eq!(equality_key(tape.root()), expected, "{text}");
        }
    }
}
