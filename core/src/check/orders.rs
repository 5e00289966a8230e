//! Comparisons as sets of orders.

use adjudicate_lang::logic::{Expression, Operator};

use super::expected_truth::ExpectedCondition;

/// The possible orders of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Orders(u8);

impl Orders {
    pub(super) const NONE: Self = Self(0);
    pub(super) const LESS: Self = Self(1);
    pub(super) const EQUAL: Self = Self(1 << 1);
    pub(super) const GREATER: Self = Self(1 << 2);
    /// The order of values whose types are not comparable.
    pub(super) const APART: Self = Self(1 << 3);
    pub(super) const AT_MOST: Self = Self(Self::LESS.0 | Self::EQUAL.0);
    pub(super) const AT_LEAST: Self = Self(Self::GREATER.0 | Self::EQUAL.0);
    pub(super) const UNEQUAL: Self = Self(Self::LESS.0 | Self::GREATER.0 | Self::APART.0);

    /// The orders in which a comparison of two values has this truth value; `None` for any other operator.
    pub(super) const fn new(operator: Operator, holds: bool) -> Option<Self> {
        let (orders, others) = match operator {
            Operator::Less => (Self::LESS, Self::AT_LEAST),
            Operator::AtMost => (Self::AT_MOST, Self::GREATER),
            Operator::Greater => (Self::GREATER, Self::AT_MOST),
            Operator::AtLeast => (Self::AT_LEAST, Self::LESS),
            Operator::Equal | Operator::SameAs => (Self::EQUAL, Self::UNEQUAL),
            Operator::Unequal | Operator::NotSameAs => (Self::UNEQUAL, Self::EQUAL),
            _ => return None,
        };
        Some(if holds { orders } else { others })
    }

    /// The orders of the same values in the other sequence.
    pub(super) const fn reversed(self) -> Self {
        let kept = self.0 & (Self::EQUAL.0 | Self::APART.0);
        Self(kept | (self.0 & Self::LESS.0) << 2 | (self.0 & Self::GREATER.0) >> 2)
    }

    /// The other orders of two numbers.
    pub(crate) const fn others(self) -> Self {
        Self(!self.0 & (Self::LESS.0 | Self::EQUAL.0 | Self::GREATER.0))
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// The comparisons of two values that hold if a part has the expected truth value; more than one for a chain.
pub(crate) fn comparisons<'p>(
    (part, expected): ExpectedCondition<'p>,
) -> impl Iterator<Item = (Orders, [Expression<'p>; 2])> {
    let mut operands = part.operands();
    let operands = [operands.next(), operands.next(), operands.next()];
    let found = match (part.operator(), operands) {
        (Some(Operator::Between), [Some(value), Some(from), Some(to)]) if expected.holds() => {
            [[from, value], [value, to]].map(|pair| Some((Orders::AT_MOST, pair)))
        }
        (Some(operator), [Some(first), Some(second), Some(third)]) if expected.holds() => {
            let orders = Orders::new(operator, true);
            [[first, second], [second, third]].map(|pair| Some((orders?, pair)))
        }
        (Some(operator), [Some(left), Some(right), None]) => {
            [Orders::new(operator, expected.holds()).map(|orders| (orders, [left, right])), None]
        }
        _ => [None, None],
    };
    found.into_iter().flatten()
}
