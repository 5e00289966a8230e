//! What operators make of their operands in compat mode: JavaScript's coercions, as the reference relies on them.
//!
//! Arithmetic is that of floats. `Unknown` stands for `undefined`, an operand that is not there.

use alloc::{borrow::Cow, string::String};
use core::cmp::Ordering;

use super::{
    coerce::{float_prefix, join, to_number, to_primitive, to_text},
    number::Number,
    operator::Operator,
    path, text,
    value::Value,
};
use crate::{error::Error, steps::Steps};

/// What a program in compat mode is evaluated with.
///
/// A table, and not plain calls, so that whoever compiles strict expressions alone links none of this: a policy's
/// conditions are strict, and a module pays for every byte.
#[derive(Debug)]
pub(super) struct Coercions {
    /// What a comparison says, or a pattern.
    pub decide: fn(Operator, [&Value<'_>; 3], &mut Steps) -> Result<bool, Error>,
    /// What an operator makes of its operands, of which it looks at three at most.
    pub compute: for<'v> fn(Operator, [&Value<'v>; 3], &mut Steps) -> Result<Value<'v>, Error>,
    /// The number that arithmetic begins with.
    pub start: fn(Operator) -> f64,
    /// What arithmetic makes of the number so far and an operand.
    pub add: fn(Operator, f64, &Value<'_>, &mut Steps) -> Result<f64, Error>,
    /// Whether a value counts as true.
    pub truthy: fn(&Value<'_>) -> bool,
    /// How two values compare.
    pub relation: fn(&Value<'_>, &Value<'_>, &mut Steps) -> Result<Option<Ordering>, Error>,
    /// A value as text.
    pub text: for<'a> fn(&'a Value<'_>, &mut Steps) -> Result<Cow<'a, str>, Error>,
    /// Appends a value as lists are written.
    pub join: fn(&Value<'_>, &mut String, &mut Steps) -> Result<(), Error>,
    /// A property of lists and strings.
    pub property: for<'v> fn(&Value<'v>, &str, &mut Steps) -> Result<Option<Value<'v>>, Error>,
}

/// The reference's.
pub(super) static COERCIONS: Coercions =
    Coercions { decide, compute, start, add, truthy, relation, text: to_text, join, property };

/// What a comparison says, or a pattern.
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
        _ => {
            let (left, right) = (to_text(first, steps)?, to_text(second, steps)?);
            text::relation(operator, &left, &right, steps)
        }
    }
}

/// What an operator makes of its operands, of which it looks at three at most.
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
        _ => return Ok(first.clone()),
    };
    Ok(Value::Number(Number::float(number)))
}

/// Whether a value counts as true: an empty list does not, as the reference has it and JavaScript has not.
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

/// What `+`, `*`, `max` and `min` begin with.
const fn start(operator: Operator) -> f64 {
    match operator {
        Operator::Plus => 0.0,
        Operator::Times => 1.0,
        Operator::Max => f64::NEG_INFINITY,
        _ => f64::INFINITY,
    }
}

/// What they make of a number and an operand.
fn add(operator: Operator, so_far: f64, value: &Value<'_>, steps: &mut Steps) -> Result<f64, Error> {
    Ok(combine(operator, so_far, operand(operator, value, steps)?))
}

/// The number that they see in an operand.
fn operand(operator: Operator, value: &Value<'_>, steps: &mut Steps) -> Result<f64, Error> {
    match (operator, value) {
        (Operator::Plus | Operator::Times, Value::Number(number)) => Ok(number.to_f64()),
        (Operator::Plus | Operator::Times, _) => Ok(float_prefix(&to_text(value, steps)?)),
        _ => to_number(value, steps),
    }
}

/// What they make of two numbers.
fn combine(operator: Operator, left: f64, right: f64) -> f64 {
    match operator {
        Operator::Plus => left + right,
        Operator::Times => left * right,
        _ if left.is_nan() || right.is_nan() => f64::NAN,
        Operator::Max => left.max(right),
        _ => left.min(right),
    }
}

/// `<` and `<=`, of which a third operand makes two.
fn chain(
    [first, second, third]: [&Value<'_>; 3],
    accepts: fn(Ordering) -> bool,
    steps: &mut Steps,
) -> Result<bool, Error> {
    let start = relation(first, second, steps)?.is_some_and(accepts);
    Ok(start && (third.is_unknown() || relation(second, third, steps)?.is_some_and(accepts)))
}

/// How `<` and its like compare: two strings by their UTF-16 units, anything else as numbers; `None` for what is
/// not a number.
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

/// `==`. Lists and objects are no more equal than two of JavaScript's that were not made as one.
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

/// `===`
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

/// Whether a value, as text, is part of a text, or is one of a list. Nothing is part of the empty text.
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
    // The nearest integer towards zero, as JavaScript takes places.
    let start = to_number(start, steps)? as i64;
    let length = match length {
        Value::Unknown => None,
        length => {
            let number = to_number(length, steps)?;
            // What is cut off at the end is rounded up. JavaScript adds the length of the text, which with a string
            // is no addition.
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

/// Whether a segment may be a property of a list or a string, and not only a name.
pub(super) fn is_property(segment: &str) -> bool {
    segment == "length" || path::index(segment).is_some()
}

/// JavaScript's `length` of lists and strings, and the characters of a string.
fn property<'v>(holder: &Value<'v>, name: &str, steps: &mut Steps) -> Result<Option<Value<'v>>, Error> {
    let text = holder.as_text();
    steps.spend(text.map_or(0, str::len))?;
    if name == "length" {
        return Ok(length(holder).map(|length| Value::Number(Number::from(length as u64))));
    }
    let character = text.zip(path::index(name)).and_then(|(text, index)| text.chars().nth(index));
    Ok(character.map(|character| Value::BuiltText(String::from(character).into())))
}

/// JavaScript's `length` of lists and strings, which counts UTF-16 units.
pub(super) fn length(value: &Value<'_>) -> Option<usize> {
    match value.as_text() {
        Some(text) => Some(text.encode_utf16().count()),
        None => value.items().map(|_| value.len()),
    }
}
