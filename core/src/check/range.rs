//! Ranges: the possible numbers of a variable.

use alloc::vec::Vec;
use core::cmp::Ordering;

use adjudicate_lang::logic::Number;

use super::orders::Orders;

/// The most numbers that a range excludes.
const MOST_LEFT_OUT: usize = 256;

/// A bound, and true if it is inclusive; `None` without one.
pub(crate) type Bound = Option<(Number, bool)>;

/// A range of numbers.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    pub low: Bound,
    pub high: Bound,
    /// Excluded numbers of the range.
    pub not: Vec<Number>,
    /// True if only integers are possible.
    pub integral: bool,
}

impl Range {
    pub(crate) const ANY: Self = Self { low: None, high: None, not: Vec::new(), integral: false };
    pub(super) const COUNT: Self =
        Self { low: Some((Number::ZERO, true)), high: None, not: Vec::new(), integral: true };

    /// The range of one number.
    pub(crate) fn only(number: &Number) -> Self {
        Self { low: Some((number.clone(), true)), high: Some((number.clone(), true)), ..Self::ANY }
    }

    /// At least one.
    pub(super) fn be_positive(&mut self) {
        self.at_least(&Number::from(1_u64), true);
    }

    /// Restricts a count to zero.
    pub(super) fn be_zero(&mut self) {
        self.at_most(&Number::ZERO, true);
    }

    /// Narrows to the numbers that have one of these orders to another number.
    pub(super) fn compare(&mut self, orders: Orders, number: &Number) {
        if orders == Orders::UNEQUAL {
            return self.differs(number);
        }
        let inclusive = orders.meets(Orders::EQUAL);
        if !orders.meets(Orders::LESS) {
            self.at_least(number, inclusive);
        }
        if !orders.meets(Orders::GREATER) {
            self.at_most(number, inclusive);
        }
    }

    pub(super) fn at_least(&mut self, number: &Number, inclusive: bool) {
        self.limit(number, inclusive, 1);
    }

    pub(super) fn at_most(&mut self, number: &Number, inclusive: bool) {
        self.limit(number, inclusive, -1);
    }

    /// Sets the bound from which the range extends in this direction, if it is tighter.
    #[inline(never)]
    fn limit(&mut self, number: &Number, inclusive: bool, direction: i64) {
        let (number, inclusive) = self.rounded(number, inclusive, direction);
        let bound = if direction > 0 { &mut self.low } else { &mut self.high };
        let is_tighter = bound.as_ref().is_none_or(|(known, is_in)| match number.compare(known) {
            Some(Ordering::Greater) => direction > 0,
            Some(Ordering::Less) => direction < 0,
            Some(Ordering::Equal) => *is_in && !inclusive,
            None => false,
        });
        if is_tighter {
            *bound = Some((number, inclusive));
        }
        self.shrink();
    }

    pub(super) fn differs(&mut self, number: &Number) {
        // Not excluding a number is sound.
        if self.not.len() >= MOST_LEFT_OUT {
            return;
        }
        self.not.push(number.clone());
        self.shrink();
    }

    /// Restricts the range to integers.
    pub(super) fn be_integral(&mut self) {
        if core::mem::replace(&mut self.integral, true) {
            return;
        }
        // Rounds the bounds to integers.
        let (low, high) = (self.low.take(), self.high.take());
        if let Some((number, inclusive)) = low {
            self.at_least(&number, inclusive);
        }
        if let Some((number, inclusive)) = high {
            self.at_most(&number, inclusive);
        }
    }

    /// The union of both ranges; numbers that only one excludes are possible.
    pub(super) fn join(&mut self, other: Self) {
        self.low = further(self.low.take(), other.low, Ordering::Less);
        self.high = further(self.high.take(), other.high, Ordering::Greater);
        self.integral &= other.integral;
        self.not.clear();
    }

    /// The union of all ranges; `None` of none.
    pub(super) fn hull(ranges: impl Iterator<Item = Self>) -> Option<Self> {
        ranges.reduce(|mut all, next| {
            all.join(next);
            all
        })
    }

    /// Returns true if a number of this range can have one of these orders to a number of another range.
    pub(crate) fn may_be(&self, orders: Orders, other: &Self) -> bool {
        let may_be_less = |inclusive| self.is_below(other, inclusive);
        let may_be_greater = |inclusive| other.is_below(self, inclusive);
        orders.meets(Orders::LESS) && may_be_less(false)
            || orders.meets(Orders::GREATER) && may_be_greater(false)
            || orders.meets(Orders::EQUAL) && may_be_less(true) && may_be_greater(true)
    }

    /// Returns true if a number of this range can be less than one of another, or equal if `inclusive`.
    fn is_below(&self, other: &Self, inclusive: bool) -> bool {
        let (Some((low, from)), Some((high, to))) = (&self.low, &other.high) else { return true };
        match low.compare(high) {
            Some(Ordering::Greater) => false,
            Some(Ordering::Equal) => inclusive && *from && *to,
            _ => true,
        }
    }

    /// Returns true if a number is possible.
    pub(super) fn has(&self, number: &Number) -> bool {
        let mut only = self.clone();
        only.compare(Orders::EQUAL, number);
        !only.is_empty()
    }

    /// All numbers of the range, if there are only a few.
    pub(super) fn few(&self) -> Option<Vec<Number>> {
        const FEW: usize = 32;
        let ((low, _), (high, _)) = (self.low.as_ref()?, self.high.as_ref()?);
        let one = Number::from(1_i64);
        if !self.integral || low.compare(high) == Some(Ordering::Equal) {
            return (low.compare(high)? == Ordering::Equal).then(|| Vec::from([low.clone()]));
        }
        let mut all = Vec::from([low.clone()]);
        while let Some(next) =
            all.last()?.plus(&one).filter(|next| next.compare(high) != Some(Ordering::Greater))
        {
            if all.len() == FEW {
                return None;
            }
            all.push(next);
        }
        Some(all)
    }

    /// The intersection of both ranges.
    pub(super) fn meet(&mut self, other: &Self) {
        if other.integral {
            self.be_integral();
        }
        if let Some((low, inclusive)) = &other.low {
            self.at_least(low, *inclusive);
        }
        if let Some((high, inclusive)) = &other.high {
            self.at_most(high, *inclusive);
        }
        if let [number] = other.not.as_slice() {
            self.differs(number);
        }
    }

    /// A bound, rounded to an integer in this direction if only integers are possible.
    fn rounded(&self, number: &Number, inclusive: bool, direction: i64) -> (Number, bool) {
        let as_it_is = || (number.clone(), inclusive);
        if !self.integral {
            return as_it_is();
        }
        let one = Number::from(1_i64);
        let whole = number.remainder(&one).and_then(|rest| Some((number.minus(&rest)?, rest)));
        let Some((whole, rest)) = whole else { return as_it_is() };
        let goes_on = match rest.compare(&Number::ZERO) {
            Some(Ordering::Equal) => !inclusive,
            // `whole` is truncated towards zero, so some bounds need one more step.
            Some(Ordering::Greater) => direction > 0,
            _ => direction < 0,
        };
        let next = if goes_on { whole.plus(&Number::from(direction)) } else { Some(whole) };
        next.map_or_else(as_it_is, |next| (next, true))
    }

    /// Moves bounds past excluded numbers.
    fn shrink(&mut self) {
        if !self.integral {
            return;
        }
        // Each round uses up one excluded number.
        for _ in 0..self.not.len() {
            let is_out = |bound: &Bound| {
                bound.as_ref().is_some_and(|(bound, _)| self.not.iter().any(|not| is_same(not, bound)))
            };
            let step = |bound: &mut Bound, by: i64| {
                if let Some(next) = bound.as_ref().and_then(|(number, _)| number.plus(&Number::from(by))) {
                    *bound = Some((next, true));
                }
            };
            if is_out(&self.low) {
                step(&mut self.low, 1);
            } else if is_out(&self.high) {
                step(&mut self.high, -1);
            } else {
                break;
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        let (Some((low, from)), Some((high, to))) = (&self.low, &self.high) else { return false };
        match low.compare(high) {
            Some(Ordering::Greater) => true,
            Some(Ordering::Equal) => !(*from && *to) || self.not.iter().any(|not| is_same(not, low)),
            _ => false,
        }
    }

    /// Returns true if zero is the only number.
    pub(super) fn is_zero(&self) -> bool {
        !self.is_empty() && self.integral && self.high.as_ref().is_some_and(|(high, _)| high.is_zero())
    }

    /// Returns true if all numbers are at least one.
    pub(super) fn is_positive(&self) -> bool {
        let one = Number::from(1_u64);
        self.low.as_ref().is_some_and(|(low, _)| low.compare(&one).is_some_and(Ordering::is_ge))
    }

    /// The lower bound as a count.
    pub(super) fn least(&self) -> u64 {
        let least = self.low.as_ref().and_then(|(low, _)| low.whole());
        least.and_then(|least| u64::try_from(least).ok()).unwrap_or_default()
    }
}

/// The bound that is further in a direction; `None` if one is missing.
pub(super) fn further(left: Bound, right: Bound, direction: Ordering) -> Bound {
    let ((left, is_in), (right, right_is_in)) = (left?, right?);
    Some(match right.compare(&left)? {
        Ordering::Equal => (left, is_in || right_is_in),
        order if order == direction => (right, right_is_in),
        _ => (left, is_in),
    })
}

fn is_same(left: &Number, right: &Number) -> bool {
    left.compare(right).is_some_and(Ordering::is_eq)
}
