//! Comparisons between computed values and between variables, decided by numeric ranges and by other comparisons of the same
//! operands.

use alloc::{string::String, vec::Vec};
use core::cmp::Ordering;

use adjudicate_lang::logic::{Expression, Number, Operator, Types};

use super::{
    abstract_state::{AbstractState, Conflict},
    expected_truth::ExpectedCondition,
    narrow::plain_variable,
    orders::{Orders, comparisons},
    range::{Bound, Range, further},
    scope::Key,
    text,
};

/// The most comparisons that are compared with each other.
const MOST_COMPARED: usize = 32;
/// The depth up to which sums and products are analyzed.
const MOST_NESTED: usize = 8;

/// Checks that all comparisons can have their wanted truth values.
pub(super) fn compare_all(state: &mut AbstractState<'_>) -> Result<(), Conflict> {
    let of_one = state.variables.iter().flat_map(|(_, domain)| domain.tests.iter().copied());
    // A result that may be unknown says nothing about the operands.
    let is_strict = |(_, expected): &ExpectedCondition<'_>| expected.is_strict();
    let tests: Vec<ExpectedCondition<'_>> =
        state.loose.iter().copied().chain(of_one.filter(|test| computes(*test))).filter(is_strict).collect();
    for (orders, operands) in tests.into_iter().flat_map(comparisons) {
        if !may_be(state, operands, orders) {
            return Err(Conflict::Values);
        }
    }
    let mut known: Vec<(String, String, Orders)> = Vec::new();
    for test in state.loose.iter().take(MOST_COMPARED).filter(|test| is_strict(test)) {
        let mut comparisons = comparisons(*test);
        let (Some((mut orders, operands)), None) = (comparisons.next(), comparisons.next()) else { continue };
        let [mut left, mut right] = operands.map(text::condition_text);
        if left > right {
            (left, right, orders) = (right, left, orders.reversed());
        }
        match known.iter_mut().find(|(one, other, _)| *one == left && *other == right) {
            Some((_, _, known)) => *known = known.and(orders),
            None => known.push((left, right, orders)),
        }
    }
    let is_impossible = known.iter().any(|(_, _, orders)| *orders == Orders::NONE);
    if is_impossible { Err(Conflict::Values) } else { Ok(()) }
}

/// Returns true if a comparison has an operand that is no variable or constant.
fn computes((part, _): ExpectedCondition<'_>) -> bool {
    part.operands().any(|operand| operand.constant().is_none() && plain_variable(operand).is_none())
}

/// The possible numbers of a part. `is_certain` is true if every known value is a number.
struct NumberRange {
    range: Range,
    is_certain: bool,
}

/// Returns true if values of two parts can have one of these orders, judged by ranges.
fn may_be<'p>(state: &mut AbstractState<'p>, [left, right]: [Expression<'p>; 2], orders: Orders) -> bool {
    let (Some(left), Some(right)) = (numbers(state, left, 0), numbers(state, right, 0)) else { return true };
    // If one side is a number, the other must be a number too, to be compared or equal.
    if !left.is_certain && !right.is_certain {
        return true;
    }
    left.range.may_be(orders, &right.range)
        || orders.meets(Orders::APART) && !(left.is_certain && right.is_certain)
}

/// The possible numbers of a part; `None` if they are unrestricted.
fn numbers<'p>(state: &mut AbstractState<'p>, part: Expression<'p>, nesting: usize) -> Option<NumberRange> {
    if nesting > MOST_NESTED {
        return None;
    }
    if let Some(constant) = part.constant() {
        return Some(NumberRange { range: Range::only(constant.as_number()?), is_certain: true });
    }
    if let Some(path) = plain_variable(part) {
        let domain = state.domain(Key::Path(path));
        let is_certain = domain.types.and(Types::NUMBER) == domain.types;
        return Some(NumberRange { range: domain.range.clone(), is_certain });
    }
    let operator = part.operator()?;
    let range = match operator {
        Operator::Length => length(state, part.operands().next()?, Types::ANY),
        Operator::Plus | Operator::Minus | Operator::Times | Operator::Max | Operator::Min => {
            let mut all = part.operands().map(|operand| {
                // A sum needs numbers.
                numbers(state, operand, nesting + 1).map_or(Range::ANY, |numbers| numbers.range)
            });
            let first = all.next()?;
            if operator == Operator::Minus && part.operands().len() == 1 {
                combine(Operator::Minus, Range::only(&Number::ZERO), &first)
            } else {
                all.fold(first, |sum, next| combine(operator, sum, &next))
            }
        }
        _ if operator.signature().gives == Types::NUMBER => Range::ANY,
        _ => return None,
    };
    Some(NumberRange { range, is_certain: true })
}

/// The possible lengths of a value of these types.
fn length<'p>(state: &mut AbstractState<'p>, of: Expression<'p>, types: Types) -> Range {
    if let Some(path) = plain_variable(of) {
        let domain = state.domain(Key::Path(path)).clone();
        let lengths = [
            (Types::TEXT, domain.texts.length),
            (Types::LIST, domain.list.length),
            (Types::OBJECT, domain.members),
        ];
        let types = domain.types.and(types);
        let lengths = lengths.into_iter().filter(|(kind, _)| types.meets(*kind)).map(|(_, length)| length);
        return Range::hull(lengths).unwrap_or(Range::COUNT);
    }
    match (of.operator(), of.operands().next()) {
        // `filter` returns at most as many items.
        (Some(Operator::Filter), Some(list)) if plain_variable(list).is_some() => {
            Range { low: Range::COUNT.low, ..length(state, list, Types::LIST) }
        }
        (Some(Operator::Map), Some(list)) if plain_variable(list).is_some() => {
            length(state, list, Types::LIST)
        }
        _ => Range::COUNT,
    }
}

fn combine(operator: Operator, left: Range, right: &Range) -> Range {
    let sum = |one: &Bound, other: &Bound| {
        let ((one, is_in), (other, other_is_in)) = (one.as_ref()?, other.as_ref()?);
        Some((one.plus(other)?, *is_in && *other_is_in))
    };
    let negative = |bound: &Bound| {
        bound.as_ref().and_then(|(number, is_in)| Some((Number::ZERO.minus(number)?, *is_in)))
    };
    let (low, high) = match operator {
        Operator::Plus => (sum(&left.low, &right.low), sum(&left.high, &right.high)),
        Operator::Minus => (sum(&left.low, &negative(&right.high)), sum(&left.high, &negative(&right.low))),
        Operator::Times => return product(&left, right),
        // The maximum is at least the greater of the two lower bounds, and at most the greater upper bound.
        Operator::Max => (
            tighter(left.low, right.low.clone(), Ordering::Greater),
            further(left.high, right.high.clone(), Ordering::Greater),
        ),
        Operator::Min => (
            further(left.low, right.low.clone(), Ordering::Less),
            tighter(left.high, right.high.clone(), Ordering::Less),
        ),
        _ => (None, None),
    };
    Range { low, high, ..Range::ANY }
}

/// The bound that is further in a direction, or the only one.
fn tighter(left: Bound, right: Bound, direction: Ordering) -> Bound {
    if left.is_some() && right.is_some() { further(left, right, direction) } else { left.or(right) }
}

/// The range of products if both sides are bounded, otherwise any number.
fn product(left: &Range, right: &Range) -> Range {
    let ends = |range: &Range| Some([range.low.as_ref()?.0.clone(), range.high.as_ref()?.0.clone()]);
    let (Some(left), Some(right)) = (ends(left), ends(right)) else { return Range::ANY };
    let corners = left.iter().flat_map(|one| right.iter().map(|other| one.times(other)));
    let corners: Option<Vec<Number>> = corners.collect();
    corners.and_then(|corners| Range::hull(corners.iter().map(Range::only))).unwrap_or(Range::ANY)
}
