//! Numbers of documents, and whether values are the same, however they are written.

use super::{Beyond, Glance, Node};
use crate::decimal::{Decimal, float};

impl Node<'_> {
    /// The exact value of the number, if the value is one.
    ///
    /// ```
    /// use adjudicate_lang::{Decimal, json::{self, Limits}};
    /// let tape = json::read(b"[0.50, true]", Limits::DOCUMENT)?;
    /// let values: Vec<_> = tape.root().items().map(|item| item.as_decimal()).collect();
    /// assert_eq!(values, [Some(Decimal::new(5, -1)), None]);
    /// # Ok::<(), adjudicate_lang::Error>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn as_decimal(self) -> Option<Decimal> {
        match self.glance() {
            Some(Glance { floor, beyond: Beyond::Nothing }) => Some(Decimal::signed(floor.into(), 0)),
            // No number of a document is beyond the range.
            _ => self.as_number().and_then(Decimal::read),
        }
    }

    /// The float nearest to the number, ties to even, if the value is one.
    #[must_use]
    pub fn as_f64(self) -> Option<f64> {
        self.as_number().map(float::parse)
    }

    /// Returns whether two values are the same; of lists and objects, whether both are lists or both are objects. Numbers are
    /// compared exactly: `1` and `10e-1` are the same.
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
    use crate::json::{Limits, read};

    #[test]
    fn other_values_are_the_same_by_kind_and_text() {
        let text = br#"[null, true, false, "a", "\u0061", "", 1, 1.0, [1], [], {"a": 1}, {}]"#;
        let tape = read(text, Limits::DOCUMENT).unwrap();
        let same = [(3, 4), (6, 7), (8, 9), (10, 11)];
        for (left, one) in tape.root().items().enumerate() {
            for (right, other) in tape.root().items().enumerate() {
                let is_same = left == right || same.contains(&(left, right)) || same.contains(&(right, left));
                assert_eq!(one.is_like(other), is_same, "{left} {right}");
            }
        }
    }
}
