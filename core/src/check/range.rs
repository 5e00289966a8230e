//! Ranges: the possible numbers of a variable.

use alloc::vec::Vec;
use core::cmp::Ordering;

use adjudicate_lang::logic::{Number, Operator};

/// The most numbers that a range excludes.
const MOST_LEFT_OUT: usize = 256;

/// A range of numbers.
#[derive(Clone, Debug)]
pub(super) struct Range {
    /// The lower bound, and true if it is inclusive.
    pub low: Option<(Number, bool)>,
    /// The upper bound, and true if it is inclusive.
    pub high: Option<(Number, bool)>,
    /// Excluded numbers of the range.
    pub not: Vec<Number>,
    /// True if only integers are possible.
    pub integral: bool,
}

impl Range {
    pub(super) const ANY: Self = Self { low: None, high: None, not: Vec::new(), integral: false };
    pub(super) const COUNT: Self =
        Self { low: Some((Number::ZERO, true)), high: None, not: Vec::new(), integral: true };

    /// At least one.
    pub(super) fn be_positive(&mut self) {
        self.at_least(&Number::from(1_u64), true);
    }

    /// Restricts a count to zero.
    pub(super) fn be_zero(&mut self) {
        self.at_most(&Number::ZERO, true);
    }

    /// Narrows to the numbers for which a comparison has this truth value.
    pub(super) fn compare(&mut self, operator: Operator, number: &Number, holds: bool) {
        match (operator, holds) {
            (Operator::Equal | Operator::SameAs, true) | (Operator::Unequal | Operator::NotSameAs, false) => {
                self.at_least(number, true);
                self.at_most(number, true);
            }
            (Operator::Equal | Operator::SameAs, false) | (Operator::Unequal | Operator::NotSameAs, true) => {
                self.differs(number);
            }
            (Operator::Less, true) | (Operator::AtLeast, false) => self.at_most(number, false),
            (Operator::AtMost, true) | (Operator::Greater, false) => self.at_most(number, true),
            (Operator::Greater, true) | (Operator::AtMost, false) => self.at_least(number, false),
            (Operator::AtLeast, true) | (Operator::Less, false) => self.at_least(number, true),
            _ => {}
        }
    }

    #[inline(never)]
    pub(super) fn at_least(&mut self, number: &Number, inclusive: bool) {
        let bound = self.rounded(number, inclusive, 1);
        let is_tighter = self.low.as_ref().is_none_or(|(low, own)| match bound.0.compare(low) {
            Some(Ordering::Greater) => true,
            Some(Ordering::Equal) => *own && !bound.1,
            _ => false,
        });
        if is_tighter {
            self.low = Some(bound);
        }
        self.shrink();
    }

    #[inline(never)]
    pub(super) fn at_most(&mut self, number: &Number, inclusive: bool) {
        let bound = self.rounded(number, inclusive, -1);
        let is_tighter = self.high.as_ref().is_none_or(|(high, own)| match bound.0.compare(high) {
            Some(Ordering::Less) => true,
            Some(Ordering::Equal) => *own && !bound.1,
            _ => false,
        });
        if is_tighter {
            self.high = Some(bound);
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
        let wider = |own: Option<(Number, bool)>, other: Option<(Number, bool)>, outwards: Ordering| {
            let ((own, own_in), (other, other_in)) = (own?, other?);
            Some(match other.compare(&own)? {
                Ordering::Equal => (own, own_in || other_in),
                order if order == outwards => (other, other_in),
                _ => (own, own_in),
            })
        };
        self.low = wider(self.low.take(), other.low, Ordering::Less);
        self.high = wider(self.high.take(), other.high, Ordering::Greater);
        self.integral &= other.integral;
        self.not.clear();
    }

    /// Returns true if a number is within the bounds.
    pub(super) fn has(&self, number: &Number) -> bool {
        let mut only = Self { not: Vec::new(), ..self.clone() };
        only.at_least(number, true);
        only.at_most(number, true);
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
            let is_out = |bound: &Option<(Number, bool)>| {
                bound.as_ref().is_some_and(|(bound, _)| self.not.iter().any(|not| is_same(not, bound)))
            };
            let step = |bound: &mut Option<(Number, bool)>, by: i64| {
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

    /// Returns true if zero is not possible.
    pub(super) fn is_without_zero(&self) -> bool {
        let mut zero = self.clone();
        zero.at_least(&Number::ZERO, true);
        zero.at_most(&Number::ZERO, true);
        zero.is_empty()
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

fn is_same(left: &Number, right: &Number) -> bool {
    left.compare(right).is_some_and(Ordering::is_eq)
}
