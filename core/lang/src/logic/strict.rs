//! The operators of strict mode: no coercions, exact arithmetic, and unknown operands give unknown results.

use alloc::{format, string::String};
use core::cmp::Ordering;

use super::{
    equal::equal,
    number::Number,
    operator::{Operator, computed, decided, own_operands},
    text,
    types::Types,
    value::Value,
};
use crate::{codes, error::Error, steps::Steps};

/// Returns the orderings for which a comparison of two numbers is true, or `None` for other operators.
#[inline]
pub(super) fn accepts(operator: Operator) -> Option<fn(Ordering) -> bool> {
    match operator {
        Operator::Equal | Operator::SameAs => Some(Ordering::is_eq),
        Operator::Unequal | Operator::NotSameAs => Some(Ordering::is_ne),
        Operator::Less => Some(Ordering::is_lt),
        Operator::AtMost => Some(Ordering::is_le),
        Operator::Greater => Some(Ordering::is_gt),
        Operator::AtLeast => Some(Ordering::is_ge),
        _ => None,
    }
}

/// Returns `true` for equality, `false` for inequality, and `None` for other operators.
#[inline]
pub(super) const fn equates(operator: Operator) -> Option<bool> {
    match operator {
        Operator::Equal | Operator::SameAs => Some(true),
        Operator::Unequal | Operator::NotSameAs => Some(false),
        _ => None,
    }
}

/// Evaluates a comparison or a pattern. Returns `None` if the result is unknown.
pub(super) fn decide(
    operator: Operator,
    [first, second, third]: [&Value<'_>; 3],
    count: u32,
    steps: &mut Steps,
) -> Result<Option<bool>, Error> {
    match operator {
        Operator::Equal | Operator::SameAs => same(first, second, steps),
        Operator::Unequal | Operator::NotSameAs => Ok(same(first, second, steps)?.map(|same| !same)),
        Operator::Less | Operator::AtMost => {
            let accepts = if operator == Operator::Less { Ordering::is_lt } else { Ordering::is_le };
            let start = order(operator, first, second, steps)?.map(accepts);
            let end =
                if count > 2 { order(operator, second, third, steps)?.map(accepts) } else { Some(true) };
            Ok(both(start, end))
        }
        Operator::Greater => Ok(order(operator, first, second, steps)?.map(Ordering::is_gt)),
        Operator::AtLeast => Ok(order(operator, first, second, steps)?.map(Ordering::is_ge)),
        Operator::Between => {
            let start = order(operator, second, first, steps)?.map(Ordering::is_le);
            let end = order(operator, first, third, steps)?.map(Ordering::is_le);
            Ok(both(start, end))
        }
        Operator::In => contains(first, second, steps),
        Operator::Truth => match first {
            Value::Bool(truth) => Ok(Some(*truth)),
            other => unfit(operator, Types::BOOL, other),
        },
        Operator::StartsWith => relation(operator, text::starts_with, [first, second], steps),
        Operator::EndsWith => relation(operator, text::ends_with, [first, second], steps),
        Operator::Glob => relation(operator, text::is_in_glob, [first, second], steps),
        Operator::Regex => relation(operator, text::is_in_regex, [first, second], steps),
        own_operands!() | computed!() => Ok(None),
    }
}

/// Evaluates a relation of two texts.
fn relation(
    operator: Operator,
    holds: text::Relation,
    [left, right]: [&Value<'_>; 2],
    steps: &mut Steps,
) -> Result<Option<bool>, Error> {
    match (left.as_text(), right.as_text()) {
        (Some(left), Some(right)) => holds(left, right, steps).map(Some),
        (None, _) if !left.is_unknown() => unfit(operator, Types::TEXT, left),
        (_, Some(_)) => Ok(None),
        (_, None) => unfit(operator, Types::TEXT, right),
    }
}

/// Evaluates an operator of at most three operands.
pub(super) fn compute<'v>(
    operator: Operator,
    [first, second, third]: [&Value<'v>; 3],
    count: u32,
    steps: &mut Steps,
) -> Result<Value<'v>, Error> {
    match operator {
        Operator::Minus if count == 1 => difference(operator, &Value::Number(Number::ZERO), first),
        Operator::Minus | Operator::Divide | Operator::Remainder => difference(operator, first, second),
        Operator::Substr => substr(first, second, (count > 2).then_some(third), steps),
        Operator::Length => match text::length(first, steps)? {
            Some(length) => Ok(Value::Number(length)),
            None => Ok(unfit(operator, operator.signature().takes_at(0), first)?.into()),
        },
        Operator::Log => Ok(first.clone()),
        own_operands!() | decided!() => Ok(Value::Unknown),
    }
}

/// Returns whether two values are equal, or `None` if one is unknown.
fn same(left: &Value<'_>, right: &Value<'_>, steps: &mut Steps) -> Result<Option<bool>, Error> {
    if left.is_unknown() || right.is_unknown() {
        return Ok(None);
    }
    equal(left, right, steps).map(Some)
}

/// Kleene's conjunction.
fn both(left: Option<bool>, right: Option<bool>) -> Option<bool> {
    match (left, right) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// Compares two numbers, or two strings by code point. Returns `None` if one is unknown.
fn order(
    operator: Operator,
    left: &Value<'_>,
    right: &Value<'_>,
    steps: &mut Steps,
) -> Result<Option<Ordering>, Error> {
    if let (Value::Number(left), Value::Number(right)) = (left, right) {
        return Ok(left.compare(right));
    }
    if let (Some(left), Some(right)) = (left.as_text(), right.as_text()) {
        steps.spend(left.len().min(right.len()))?;
        return Ok(Some(left.cmp(right)));
    }
    for operand in [left, right] {
        if !operand.is_unknown() && !operand.types().meets(Types::ORDERED) {
            return Err(fault(operator.refusal(Types::ORDERED, operand.types())));
        }
    }
    if left.is_unknown() || right.is_unknown() {
        return Ok(None);
    }
    let (name, left, right) = (operator.name(), left.types(), right.types());
    Err(fault(format!(
        "`{name}` compares numbers with numbers and strings with strings, found {left} and {right}"
    )))
}

/// Combines two numbers with `+`, `*`, `max` or `min`.
pub(super) fn combine(operator: Operator, left: &Number, right: &Number) -> Result<Number, Error> {
    let result = match operator {
        Operator::Plus => left.plus(right),
        Operator::Times => left.times(right),
        _ => {
            let wanted = if operator == Operator::Max { Ordering::Greater } else { Ordering::Less };
            Some(if right.compare(left) == Some(wanted) { right.clone() } else { left.clone() })
        }
    };
    result.ok_or_else(out_of_range)
}

/// Evaluates `-`, `/` or `%`.
fn difference<'v>(operator: Operator, left: &Value<'v>, right: &Value<'v>) -> Result<Value<'v>, Error> {
    for operand in [left, right] {
        if !operand.is_unknown() && operand.as_number().is_none() {
            return Err(fault(operator.refusal(Types::NUMBER, operand.types())));
        }
    }
    let (Some(left), Some(right)) = (left.as_number(), right.as_number()) else { return Ok(Value::Unknown) };
    if operator != Operator::Minus && right.is_zero() {
        return Err(fault(format!("`{}` by zero", operator.name())));
    }
    let result = match operator {
        Operator::Minus => left.minus(right),
        Operator::Divide => left.divided_by(right),
        _ => left.remainder(right),
    };
    result.map(Value::Number).ok_or_else(out_of_range)
}

/// Returns whether a text contains another, or a list has an item.
fn contains(needle: &Value<'_>, hay: &Value<'_>, steps: &mut Steps) -> Result<Option<bool>, Error> {
    if let Some(mut items) = hay.walk() {
        if needle.is_unknown() {
            return Ok(None);
        }
        steps.spend(hay.weight())?;
        let mut slot = Value::Unknown;
        while let Some(item) = items.next(&mut slot, steps)? {
            if equal(needle, item, steps)? {
                return Ok(Some(true));
            }
        }
        return Ok(Some(false));
    }
    match (needle.as_text(), hay.as_text()) {
        (Some(needle), Some(hay)) => {
            steps.spend(needle.len() + hay.len())?;
            Ok(Some(hay.contains(needle)))
        }
        (None, Some(_)) => unfit(Operator::In, Types::TEXT, needle),
        (_, None) => unfit(Operator::In, Operator::In.signature().takes_at(1), hay),
    }
}

fn substr<'v>(
    source: &Value<'v>,
    start: &Value<'v>,
    length: Option<&Value<'v>>,
    steps: &mut Steps,
) -> Result<Value<'v>, Error> {
    if !source.is_unknown() && source.as_text().is_none() {
        return Err(fault(Operator::Substr.refusal(Types::TEXT, source.types())));
    }
    let start = place(start)?;
    let length = length.map(place).transpose()?;
    match (source.is_unknown(), start, length) {
        (false, Some(start), None) => text::substr(source, start, None, steps),
        (false, Some(start), Some(Some(length))) => text::substr(source, start, Some(length), steps),
        _ => Ok(Value::Unknown),
    }
}

/// Converts a number to an index into a text, unless it is unknown.
fn place(value: &Value<'_>) -> Result<Option<i64>, Error> {
    match value {
        Value::Unknown => Ok(None),
        Value::Number(number) => match number.whole() {
            // All indices beyond the ends of the text are equivalent.
            Some(whole) => Ok(Some(i64::try_from(whole).unwrap_or(i64::MAX))),
            None => Err(fault(format!("`substr` takes integers, found the number {number}"))),
        },
        other => Err(fault(Operator::Substr.refusal(Types::NUMBER, other.types()))),
    }
}

/// Returns `None` for an unknown operand, and an error for any other.
fn unfit(operator: Operator, takes: Types, found: &Value<'_>) -> Result<Option<bool>, Error> {
    if found.is_unknown() {
        return Ok(None);
    }
    Err(fault(operator.refusal(takes, found.types())))
}

#[cold]
fn fault(message: String) -> Error {
    Error::new(codes::INVALID_EXPRESSION, message)
}

#[cold]
fn out_of_range() -> Error {
    Error::new(codes::LIMIT_EXCEEDED, "the result is out of the range of exact arithmetic")
}
