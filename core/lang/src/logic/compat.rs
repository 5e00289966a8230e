//! The operators of compat mode: JavaScript's coercions and floats, as the reference implementation uses them.
//!
//! `Unknown` stands for `undefined`, a missing operand.

use alloc::{borrow::Cow, string::String};
use core::cmp::Ordering;

use super::{
    coerce::{float_prefix, join, to_number, to_primitive, to_text},
    number::Number,
    operator::{Operator, computed, decided, own_operands},
    path, text,
    value::Value,
};
use crate::{error::Error, steps::Steps};

/// The functions of compat mode.
///
/// A table instead of direct calls: a program that compiles only strict expressions links none of them. Policy modules are strict,
/// and every byte of a module counts.
#[derive(Debug)]
pub(super) struct Coercions {
    /// Evaluates a comparison or a pattern.
    pub decide: fn(Operator, [&Value<'_>; 3], &mut Steps) -> Result<bool, Error>,
    /// Evaluates an operator of at most three operands.
    pub compute: for<'v> fn(Operator, [&Value<'v>; 3], &mut Steps) -> Result<Value<'v>, Error>,
    /// The initial value of an arithmetic operator.
    pub start: fn(Operator) -> f64,
    /// Combines the current value of an arithmetic operator with an operand.
    pub add: fn(Operator, f64, &Value<'_>, &mut Steps) -> Result<f64, Error>,
    /// Returns whether a value counts as true.
    pub truthy: fn(&Value<'_>) -> bool,
    /// Compares two values.
    pub relation: fn(&Value<'_>, &Value<'_>, &mut Steps) -> Result<Option<Ordering>, Error>,
    /// Converts a value to text.
    pub text: for<'a> fn(&'a Value<'_>, &mut Steps) -> Result<Cow<'a, str>, Error>,
    /// Appends a value as `Array.join` does.
    pub join: fn(&Value<'_>, &mut String, &mut Steps) -> Result<(), Error>,
    /// Returns a property of a list or a string.
    pub property: for<'v> fn(&Value<'v>, &str, &mut Steps) -> Result<Option<Value<'v>>, Error>,
}

/// The coercions of the reference implementation.
pub(super) static COERCIONS: Coercions =
    Coercions { decide, compute, start, add, truthy, relation, text: to_text, join, property };

/// Evaluates a comparison or a pattern.
fn decide(
    operator: Operator,
    [first, second, third]: [&Value<'_>; 3],
    steps: &mut Steps,
) -> Result<bool, Error> {
    match operator {
        Operator::Equal => loosely_equal(first, second, steps),
        Operator::Unequal => Ok(!loosely_equal(first, second, steps)?),
        Operator::SameAs => identical(first, second, steps),
        Operator::NotSameAs => Ok(!identical(first, second, steps)?),
        Operator::Less => chain([first, second, third], Ordering::is_lt, steps),
        Operator::AtMost => chain([first, second, third], Ordering::is_le, steps),
        Operator::Greater => Ok(relation(first, second, steps)?.is_some_and(Ordering::is_gt)),
        Operator::AtLeast => Ok(relation(first, second, steps)?.is_some_and(Ordering::is_ge)),
        Operator::Between => {
            let start = relation(second, first, steps)?.is_some_and(Ordering::is_le);
            Ok(start && relation(first, third, steps)?.is_some_and(Ordering::is_le))
        }
        Operator::Truth => Ok(truthy(first)),
        Operator::In => contains(first, second, steps),
        Operator::StartsWith => text_relation(text::starts_with, [first, second], steps),
        Operator::EndsWith => text_relation(text::ends_with, [first, second], steps),
        Operator::Glob => text_relation(text::is_in_glob, [first, second], steps),
        Operator::Regex => text_relation(text::is_in_regex, [first, second], steps),
        own_operands!() | computed!() => Ok(false),
    }
}

/// Evaluates a relation of two values as texts.
fn text_relation(
    holds: text::Relation,
    [left, right]: [&Value<'_>; 2],
    steps: &mut Steps,
) -> Result<bool, Error> {
    let (left, right) = (to_text(left, steps)?, to_text(right, steps)?);
    holds(&left, &right, steps)
}

/// Evaluates an operator of at most three operands.
fn compute<'v>(
    operator: Operator,
    [first, second, third]: [&Value<'v>; 3],
    steps: &mut Steps,
) -> Result<Value<'v>, Error> {
    let number = match operator {
        Operator::Minus if second.is_unknown() => -to_number(first, steps)?,
        Operator::Minus => to_number(first, steps)? - to_number(second, steps)?,
        Operator::Divide => to_number(first, steps)? / to_number(second, steps)?,
        Operator::Remainder => to_number(first, steps)? % to_number(second, steps)?,
        Operator::Substr => return substr(first, second, third, steps),
        Operator::Length => return Ok(text::length(first, steps)?.map_or(Value::Null, Value::Number)),
        Operator::Log => return Ok(first.clone()),
        own_operands!() | decided!() => return Ok(Value::Null),
    };
    Ok(Value::Number(Number::float(number)))
}

/// Returns whether a value counts as true. Unlike in JavaScript, an empty list does not.
fn truthy(value: &Value<'_>) -> bool {
    match value {
        Value::Unknown | Value::Null => false,
        Value::Bool(truth) => *truth,
        Value::Number(number) => {
            let number = number.to_f64();
            number != 0.0 && !number.is_nan()
        }
        other => match other.as_text() {
            Some(text) => !text.is_empty(),
            None => !other.is_empty() || other.items().is_none(),
        },
    }
}

/// Returns the initial value of `+`, `*`, `max` or `min`.
const fn start(operator: Operator) -> f64 {
    match operator {
        Operator::Plus => 0.0,
        Operator::Times => 1.0,
        Operator::Max => f64::NEG_INFINITY,
        _ => f64::INFINITY,
    }
}

/// Combines the current value with an operand.
fn add(operator: Operator, so_far: f64, value: &Value<'_>, steps: &mut Steps) -> Result<f64, Error> {
    Ok(combine(operator, so_far, operand(operator, value, steps)?))
}

/// Converts an operand of `+`, `*`, `max` or `min` to a number.
fn operand(operator: Operator, value: &Value<'_>, steps: &mut Steps) -> Result<f64, Error> {
    match (operator, value) {
        (Operator::Plus | Operator::Times, Value::Number(number)) => Ok(number.to_f64()),
        (Operator::Plus | Operator::Times, _) => Ok(float_prefix(&to_text(value, steps)?)),
        _ => to_number(value, steps),
    }
}

/// Combines two numbers.
fn combine(operator: Operator, left: f64, right: f64) -> f64 {
    match operator {
        Operator::Plus => left + right,
        Operator::Times => left * right,
        _ if left.is_nan() || right.is_nan() => f64::NAN,
        Operator::Max => left.max(right),
        _ => left.min(right),
    }
}

/// Evaluates `<` or `<=`; with a third operand, both pairs must be in order.
fn chain(
    [first, second, third]: [&Value<'_>; 3],
    accepts: fn(Ordering) -> bool,
    steps: &mut Steps,
) -> Result<bool, Error> {
    let start = relation(first, second, steps)?.is_some_and(accepts);
    Ok(start && (third.is_unknown() || relation(second, third, steps)?.is_some_and(accepts)))
}

/// Compares as `<` and `>` do: two strings by UTF-16 units, other values as numbers. Returns `None` if one is not a number.
fn relation(left: &Value<'_>, right: &Value<'_>, steps: &mut Steps) -> Result<Option<Ordering>, Error> {
    if let (Value::Number(left), Value::Number(right)) = (left, right) {
        return Ok(left.to_f64().partial_cmp(&right.to_f64()));
    }
    let (left, right) = (to_primitive(left, steps)?, to_primitive(right, steps)?);
    if let (Some(left), Some(right)) = (left.as_text(), right.as_text()) {
        steps.spend(left.len().min(right.len()))?;
        return Ok(Some(left.encode_utf16().cmp(right.encode_utf16())));
    }
    Ok(to_number(&left, steps)?.partial_cmp(&to_number(&right, steps)?))
}

/// Evaluates `==`. Lists and objects are never equal, as two separate objects of JavaScript.
fn loosely_equal(left: &Value<'_>, right: &Value<'_>, steps: &mut Steps) -> Result<bool, Error> {
    if left.types() == right.types() && !left.is_unknown() {
        return identical(left, right, steps);
    }
    let is_nothing = |value: &Value<'_>| matches!(value, Value::Unknown | Value::Null);
    if is_nothing(left) || is_nothing(right) {
        return Ok(is_nothing(left) && is_nothing(right));
    }
    if left.is_container() && right.is_container() {
        return Ok(false);
    }
    let (left, right) = (to_primitive(left, steps)?, to_primitive(right, steps)?);
    match (left.as_text(), right.as_text()) {
        (Some(_), Some(_)) => identical(&left, &right, steps),
        _ => Ok(to_number(&left, steps)? == to_number(&right, steps)?),
    }
}

/// Evaluates `===`.
fn identical(left: &Value<'_>, right: &Value<'_>, steps: &mut Steps) -> Result<bool, Error> {
    Ok(match (left, right) {
        (Value::Unknown, Value::Unknown) | (Value::Null, Value::Null) => true,
        (Value::Bool(left), Value::Bool(right)) => left == right,
        (Value::Number(left), Value::Number(right)) => left.to_f64() == right.to_f64(),
        _ => match (left.as_text(), right.as_text()) {
            (Some(left), Some(right)) => {
                steps.spend(left.len().min(right.len()))?;
                left == right
            }
            _ => false,
        },
    })
}

/// Returns whether a list has an item, or a text contains a value as text. The empty text contains nothing.
fn contains(needle: &Value<'_>, hay: &Value<'_>, steps: &mut Steps) -> Result<bool, Error> {
    if let Some(items) = hay.items() {
        steps.spend(hay.weight())?;
        for item in items {
            if identical(needle, &item, steps)? {
                return Ok(true);
            }
        }
        return Ok(false);
    }
    let Some(hay) = hay.as_text().filter(|hay| !hay.is_empty()) else { return Ok(false) };
    let needle = to_text(needle, steps)?;
    steps.spend(needle.len() + hay.len())?;
    Ok(hay.contains(&*needle))
}

fn substr<'v>(
    source: &Value<'v>,
    start: &Value<'v>,
    length: &Value<'v>,
    steps: &mut Steps,
) -> Result<Value<'v>, Error> {
    // The cast truncates toward zero, as JavaScript does for indices.
    let start = to_number(start, steps)? as i64;
    let length = match length {
        Value::Unknown => None,
        length => {
            let number = to_number(length, steps)?;
            // A negative length rounds down. JavaScript adds it to the length of the text; a negative length that is a string would
            // be concatenated, so it counts as 0.
            let floor = (number as i64).saturating_sub(i64::from((number as i64) as f64 > number));
            match length {
                _ if number.is_nan() || number >= 0.0 => Some(number as i64),
                Value::Number(_) => Some(floor),
                _ => Some(0),
            }
        }
    };
    let text = match source {
        Value::Text(_) | Value::BuiltText(_) => source.clone(),
        other => Value::BuiltText(String::from(&*to_text(other, steps)?).into()),
    };
    text::substr(&text, start, length, steps)
}

/// Returns whether a segment can be a JavaScript property: `length` or an index.
pub(super) fn is_property(segment: &str) -> bool {
    segment == "length" || path::index(segment).is_some()
}

/// Returns JavaScript's `length` of a list or string, or a character of a string.
fn property<'v>(holder: &Value<'v>, name: &str, steps: &mut Steps) -> Result<Option<Value<'v>>, Error> {
    let text = holder.as_text();
    steps.spend(text.map_or(0, str::len))?;
    if name == "length" {
        return Ok(length(holder).map(|length| Value::Number(Number::from(length as u64))));
    }
    let character = text.zip(path::index(name)).and_then(|(text, index)| text.chars().nth(index));
    Ok(character.map(|character| Value::BuiltText(String::from(character).into())))
}

/// Returns JavaScript's `length` of a list or string, which counts UTF-16 units.
pub(super) fn length(value: &Value<'_>) -> Option<usize> {
    match value.as_text() {
        Some(text) => Some(text.encode_utf16().count()),
        None => value.items().map(|_| value.len()),
    }
}
