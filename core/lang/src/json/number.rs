//! The numbers of documents, and equality independent of notation.

use super::{Beyond, Glance, Kind, Node};
use crate::decimal::{Decimal, float};

impl Node<'_> {
    /// Returns the exact value of a number.
    ///
    /// ```
    /// use adjudicate_lang::{Decimal, json::{self, ReadLimits}};
    /// let tape = json::read(b"[0.50, true]", ReadLimits::DOCUMENT)?;
    /// let values: Vec<_> = tape.root().items().map(|item| item.as_decimal()).collect();
    /// assert_eq!(values, [Some(Decimal::new(5, -1)), None]);
    /// # Ok::<(), adjudicate_lang::Error>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn as_decimal(self) -> Option<Decimal> {
        match self.glance() {
            Some(Glance { floor, beyond: Beyond::Nothing }) => Some(Decimal::signed(floor.into(), 0)),
            // No number of a document is out of range.
            _ => self.as_number().and_then(Decimal::read),
        }
    }

    /// Returns the float nearest to a number, ties to even.
    #[must_use]
    pub fn as_f64(self) -> Option<f64> {
        self.as_number().map(float::parse)
    }

    /// Returns the value of an integer in the range of 64 bits. `-0` has none, because no integer is a negative zero.
    #[inline(never)]
    pub(crate) fn whole(self) -> Option<i128> {
        if let Some(short) = self.short_integer()
            && (short != 0 || self.bytes() == b"0")
        {
            return Some(short.into());
        }
        let text = self.as_number().filter(|text| self.kind() == Kind::Integer && *text != "-0")?;
        let signed = text.parse::<i64>().map(i128::from);
        signed.or_else(|_| text.parse::<u64>().map(i128::from)).ok()
    }

    /// Returns whether two scalars are equal, or two containers are of the same kind. Numbers are compared exactly: `1` and `10e-1`
    /// are equal.
    #[must_use]
    pub fn is_like(self, other: Self) -> bool {
        match (self.as_decimal(), other.as_decimal()) {
            (Some(left), Some(right)) => left == right,
            (None, None) => self.kind() == other.kind() && self.as_str() == other.as_str(),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::json::{ReadLimits, read};

    #[test]
    fn other_values_are_equal_by_kind_and_text() {
        let text = br#"[null, true, false, "a", "\u0061", "", 1, 1.0, [1], [], {"a": 1}, {}]"#;
        let tape = read(text, ReadLimits::DOCUMENT).unwrap();
        let same = [(3, 4), (6, 7), (8, 9), (10, 11)];
        for (left, one) in tape.root().items().enumerate() {
            for (right, other) in tape.root().items().enumerate() {
                let is_same = left == right || same.contains(&(left, right)) || same.contains(&(right, left));
                assert_eq!(one.is_like(other), is_same, "{left} {right}");
            }
        }
    }
}
