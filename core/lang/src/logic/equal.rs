//! Strict equality: the same type and the same value, recursively.

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::{cost::PART, number::Number, value::Value};
use crate::{error::Error, order, steps::Steps};

/// Returns whether two known values are equal. Numbers compare exactly, lists item by item, and objects regardless of field order.
pub(super) fn equal(left: &Value<'_>, right: &Value<'_>, steps: &mut Steps) -> Result<bool, Error> {
    if let Some(equal) = equal_scalars(left, right, steps)? {
        return Ok(equal);
    }
    // An explicit stack, because data and built values can nest deeply.
    let mut pending = Vec::from([(left.clone(), right.clone())]);
    while let Some((left, right)) = pending.pop() {
        let equal = match equal_scalars(&left, &right, steps)? {
            Some(equal) => equal,
            None => push_parts(&left, &right, steps, &mut pending)?,
        };
        if !equal {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Compares two values of which one is not a container. Returns `None` for two containers.
#[inline]
fn equal_scalars(left: &Value<'_>, right: &Value<'_>, steps: &mut Steps) -> Result<Option<bool>, Error> {
    if let (Some(left), Some(right)) = (left.as_text(), right.as_text()) {
        if left.len() != right.len() {
            return Ok(Some(false));
        }
        steps.spend(left.len())?;
        return Ok(Some(left == right));
    }
    Ok(match (left, right) {
        (Value::Number(left), Value::Number(right)) => Some(left.compare(right) == Some(Ordering::Equal)),
        (Value::Bool(left), Value::Bool(right)) => Some(left == right),
        (Value::Null, Value::Null) => Some(true),
        _ => (!left.is_container() || !right.is_container()).then_some(false),
    })
}

/// Compares the sizes and names of two containers, and pushes the pairs still to compare. Returns whether they can be equal.
fn push_parts<'v>(
    left: &Value<'v>,
    right: &Value<'v>,
    steps: &mut Steps,
    pending: &mut Vec<(Value<'v>, Value<'v>)>,
) -> Result<bool, Error> {
    if left.len() != right.len() {
        return Ok(false);
    }
    steps.spend(PART + left.weight() + right.weight())?;
    match (left.items(), right.items()) {
        (Some(left), Some(right)) => {
            for (left, right) in left.zip(right) {
                steps.spend(reading(&left) + reading(&right))?;
                pending.push((left, right));
            }
        }
        (None, None) => {
            for ((name, left), (other, right)) in sorted(left).into_iter().zip(sorted(right)) {
                steps.spend(name.len() + reading(&left) + reading(&right))?;
                if name != other {
                    return Ok(false);
                }
                pending.push((left, right));
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Returns the cost of parsing a value, if it is a number.
fn reading(value: &Value<'_>) -> usize {
    value.as_number().map_or(0, Number::reading)
}

/// Returns the fields of an object, sorted by name.
fn sorted<'a, 'v>(value: &'a Value<'v>) -> Vec<(&'a str, Value<'v>)> {
    let mut members: Vec<_> = value.members().into_iter().flatten().collect();
    order::sort_by(&mut members, |(left, _), (right, _)| left.cmp(right));
    members
}
