//! Whether values are the same, however they are written.

use alloc::string::String;

use super::{Node, canonical::number};

impl Node<'_> {
    /// Returns whether two values are the same; of lists and objects, whether both are lists or both are objects. Numbers are
    /// compared exactly: `1` and `10e-1` are the same.
    #[must_use]
    pub fn is_like(self, other: Self) -> bool {
        match (self.as_number(), other.as_number()) {
            (Some(left), Some(right)) => same_number(left, right),
            (None, None) => self.kind() == other.kind() && self.as_str() == other.as_str(),
            _ => false,
        }
    }
}

/// Whether two numbers are exactly the same: `1`, `1.0` and `10e-1` are.
fn same_number(left: &str, right: &str) -> bool {
    left == right || significant(left) == significant(right)
}

/// The sign, the digits without zeros around them, and the power of ten of the last of these.
fn significant(text: &str) -> (bool, String, i32) {
    // Beyond 64 bits the exact value is that of the shortest decimal.
    let text = number(text);
    let (negative, unsigned) = text.strip_prefix('-').map_or((false, &*text), |rest| (true, rest));
    let (mantissa, power) = unsigned.split_once('e').unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: String = [whole, fraction].concat();
    let kept = digits.trim_end_matches('0');
    let places = |text: &str| i32::try_from(text.len()).unwrap_or_default();
    let exponent =
        power.parse::<i32>().unwrap_or_default() - places(fraction) + places(&digits) - places(kept);
    match kept.trim_start_matches('0') {
        "" => (false, String::new(), 0),
        digits => (negative, digits.into(), exponent),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        json::{Limits, read},
        logic::Number,
    };

    #[test]
    fn numbers_are_the_same_exactly() {
        let texts = [
            "0",
            "-0",
            "0.0",
            "1",
            "1.0",
            "10e-1",
            "-1",
            "100",
            "1e2",
            "0.1",
            "0.10",
            "1e-1",
            "9007199254740993",
            "9007199254740993.0",
            "9007199254740992",
            "18446744073709551615",
            "18446744073709551616",
            "1.8446744073709552e19",
            "1e16",
            "10000000000000000",
            "1e-320",
        ];
        for left in texts {
            for right in texts {
                let exactly =
                    Number::read(left).compare(&Number::read(right)).is_some_and(|order| order.is_eq());
                assert_eq!(same_number(left, right), exactly, "{left} {right}");
            }
        }
    }

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
