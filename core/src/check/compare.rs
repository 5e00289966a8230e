//! Comparisons between computed values and between variables, decided by numeric ranges and by other comparisons of the same
//! operands.

use alloc::{string::String, vec::Vec};
use core::cmp::Ordering;

use adjudicate_lang::logic::{Expression, Number, Operator, Types};

use super::{
    abstract_state::{AbstractState, Conflict},
    expected_truth::{ExpectedCondition, ExpectedTruth},
    narrow::plain_variable,
    range::Range,
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
    let tests: Vec<ExpectedCondition<'_>> =
        state.loose.iter().copied().chain(of_one.filter(|test| computes(*test))).collect();
    for test in tests {
        if !may_compare(state, test) {
            return Err(Conflict::Values);
        }
    }
    let mut orders: Vec<(String, String, u8)> = Vec::new();
    for test in state.loose.iter().take(MOST_COMPARED) {
        let Some((left, right, allowed)) = orders_of(*test) else { continue };
        match orders.iter_mut().find(|(one, other, _)| *one == left && *other == right) {
            Some((_, _, known)) => {
                *known &= allowed;
                if *known == 0 {
                    return Err(Conflict::Values);
                }
            }
            None => orders.push((left, right, allowed)),
        }
    }
    Ok(())
}

/// Returns true if a comparison has an operand that is no variable or constant.
fn computes((part, _): ExpectedCondition<'_>) -> bool {
    part.operands().any(|operand| operand.constant().is_none() && plain_variable(operand).is_none())
}

const BELOW: u8 = 1;
const SAME: u8 = 2;
const ABOVE: u8 = 4;
/// The orders of values whose types are not comparable.
const APART: u8 = 8;

/// The two sides of a comparison, and their possible orders. Both sides are written in a canonical order.
fn orders_of((part, expected): ExpectedCondition<'_>) -> Option<(String, String, u8)> {
    let mut operands = part.operands();
    let (Some(left), Some(right), None) = (operands.next(), operands.next(), operands.next()) else {
        return None;
    };
    if !expected.is_strict() {
        return None;
    }
    let compared = BELOW | SAME | ABOVE;
    let (holds, all) = match part.operator()? {
        Operator::Less => (BELOW, compared),
        Operator::AtMost => (BELOW | SAME, compared),
        Operator::Greater => (ABOVE, compared),
        Operator::AtLeast => (ABOVE | SAME, compared),
        Operator::Equal | Operator::SameAs => (SAME, compared | APART),
        Operator::Unequal | Operator::NotSameAs => (BELOW | ABOVE | APART, compared | APART),
        _ => return None,
    };
    let allowed = if expected.holds() { holds } else { all & !holds };
    let (left, right) = (text::condition_text(left), text::condition_text(right));
    if left <= right {
        return Some((left, right, allowed));
    }
    let turned = (allowed & (SAME | APART)) | (allowed & BELOW) << 2 | (allowed & ABOVE) >> 2;
    Some((right, left, turned))
}

/// The possible numbers of a part. `is_certain` is true if every known value is a number.
struct NumberRange {
    range: Range,
    is_certain: bool,
}

/// Returns true if a comparison can have its wanted truth value, judged by ranges.
fn may_compare<'p>(state: &mut AbstractState<'p>, (part, expected): ExpectedCondition<'p>) -> bool {
    let (Some(operator), true) = (part.operator(), expected.is_strict()) else { return true };
    let operands: Vec<Expression<'p>> = part.operands().collect();
    match (operator, operands.as_slice()) {
        (Operator::Between, [value, from, to]) if expected.holds() => {
            may_be(state, [*from, *value], Operator::AtMost) && may_be(state, [*value, *to], Operator::AtMost)
        }
        (Operator::Less | Operator::AtMost, [first, second, third]) if expected.holds() => {
            may_be(state, [*first, *second], operator) && may_be(state, [*second, *third], operator)
        }
        (_, [left, right]) => match opposite(operator, expected) {
            Some(operator) => may_be(state, [*left, *right], operator),
            None => true,
        },
        _ => true,
    }
}

/// The comparison that must hold.
const fn opposite(operator: Operator, expected: ExpectedTruth) -> Option<Operator> {
    Some(match (operator, expected.holds()) {
        (Operator::Less, true) | (Operator::AtLeast, false) => Operator::Less,
        (Operator::AtMost, true) | (Operator::Greater, false) => Operator::AtMost,
        (Operator::Greater, true) | (Operator::AtMost, false) => Operator::Greater,
        (Operator::AtLeast, true) | (Operator::Less, false) => Operator::AtLeast,
        (Operator::Equal | Operator::SameAs, true) | (Operator::Unequal | Operator::NotSameAs, false) => {
            Operator::Equal
        }
        (Operator::Equal | Operator::SameAs, false) | (Operator::Unequal | Operator::NotSameAs, true) => {
            Operator::Unequal
        }
        _ => return None,
    })
}

fn may_be<'p>(state: &mut AbstractState<'p>, [left, right]: [Expression<'p>; 2], operator: Operator) -> bool {
    let (Some(left), Some(right)) = (numbers(state, left, 0), numbers(state, right, 0)) else { return true };
    // If one side is a number, the other must be a number too, to be compared or equal.
    if !left.is_certain && !right.is_certain {
        return true;
    }
    match operator {
        Operator::Less => is_below(&left.range, &right.range, true),
        Operator::AtMost => is_below(&left.range, &right.range, false),
        Operator::Greater => is_below(&right.range, &left.range, true),
        Operator::AtLeast => is_below(&right.range, &left.range, false),
        Operator::Equal => {
            is_below(&left.range, &right.range, false) && is_below(&right.range, &left.range, false)
        }
        _ => {
            let [one, other] = [&left.range, &right.range].map(Range::few);
            match (one.as_deref(), other.as_deref(), left.is_certain && right.is_certain) {
                (Some([one]), Some([other]), true) => one.compare(other) != Some(Ordering::Equal),
                _ => true,
            }
        }
    }
}

/// Returns true if a number of one range can be less than one of the other, or equal if not `strictly`.
fn is_below(left: &Range, right: &Range, strictly: bool) -> bool {
    let (Some((low, from)), Some((high, to))) = (&left.low, &right.high) else { return true };
    match low.compare(high) {
        Some(Ordering::Greater) => false,
        Some(Ordering::Equal) => !strictly && *from && *to,
        _ => true,
    }
}

/// The possible numbers of a part; `None` if they are unrestricted.
fn numbers<'p>(state: &mut AbstractState<'p>, part: Expression<'p>, nesting: usize) -> Option<NumberRange> {
    if nesting > MOST_NESTED {
        return None;
    }
    if let Some(constant) = part.constant() {
        return Some(NumberRange { range: just(constant.as_number()?), is_certain: true });
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
                combine(Operator::Minus, just(&Number::ZERO), &first)
            } else {
                all.fold(first, |sum, next| combine(operator, sum, &next))
            }
        }
        _ if operator.signature().gives == Types::NUMBER => Range::ANY,
        _ => return None,
    };
    Some(NumberRange { range, is_certain: true })
}

fn just(number: &Number) -> Range {
    Range { low: Some((number.clone(), true)), high: Some((number.clone(), true)), ..Range::ANY }
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
        let mut lengths =
            lengths.into_iter().filter(|(kind, _)| types.meets(*kind)).map(|(_, length)| length);
        let Some(first) = lengths.next() else { return Range::COUNT };
        return lengths.fold(first, |mut all, next| {
            all.join(next);
            all
        });
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

/// A bound, and true if it is inclusive.
type Bound = Option<(Number, bool)>;

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
            both(left.high, &right.high, Ordering::Greater),
        ),
        Operator::Min => (
            both(left.low, &right.low, Ordering::Less),
            tighter(left.high, right.high.clone(), Ordering::Less),
        ),
        _ => (None, None),
    };
    Range { low, high, ..Range::ANY }
}

/// The bound that is further in a direction, or the only one.
fn tighter(left: Bound, right: Bound, way: Ordering) -> Bound {
    match (left, right) {
        (Some(left), Some(right)) => both(Some(left), &Some(right), way),
        (left, right) => left.or(right),
    }
}

/// The bound that is further in a direction; `None` if either is unbounded.
fn both(left: Bound, right: &Bound, way: Ordering) -> Bound {
    let ((left, is_in), (right, other_is_in)) = (left?, right.as_ref()?);
    Some(match right.compare(&left)? {
        Ordering::Equal => (left, is_in || *other_is_in),
        order if order == way => (right.clone(), *other_is_in),
        _ => (left, is_in),
    })
}

/// The range of products if both sides are bounded, otherwise any number.
fn product(left: &Range, right: &Range) -> Range {
    let ends = |range: &Range| Some([range.low.as_ref()?.0.clone(), range.high.as_ref()?.0.clone()]);
    let (Some(left), Some(right)) = (ends(left), ends(right)) else { return Range::ANY };
    let mut range: Option<Range> = None;
    for one in &left {
        for other in &right {
            let Some(corner) = one.times(other) else { return Range::ANY };
            let corner = just(&corner);
            match &mut range {
                Some(range) => range.join(corner),
                None => range = Some(corner),
            }
        }
    }
    range.unwrap_or(Range::ANY)
}
