//! Numbers of a ledger, compared exactly: 0.7 - 0.6 is not below 0.1 (SPEC section 1, rule 7).

use core::cmp::Ordering;

use adjudicate_lang::json::{Node, float};

/// The exact value of a number of a document, its shortest decimal: digits times a power of ten.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Exact {
    is_negative: bool,
    digits: u64,
    exponent: i32,
}

impl Exact {
    /// `digits` times ten to the power of `exponent`.
    pub(super) const fn new(digits: u64, exponent: i32) -> Self {
        Self { is_negative: false, digits, exponent }
    }

    /// The value of a number.
    pub(super) fn read(number: Node<'_>) -> Self {
        let text = number.as_number().unwrap_or_default();
        let is_negative = text.starts_with('-');
        let whole = text.parse().or_else(|_| text.parse().map(i64::unsigned_abs));
        let (digits, exponent) = match whole {
            Ok(digits) => (digits, 0),
            Err(_) => float::shortest(float::parse(text)),
        };
        Self { is_negative, digits, exponent }
    }

    /// How it compares with another.
    pub(super) fn compare(self, other: Self) -> Ordering {
        sign(&[(1, self), (-1, other)])
    }

    /// The digit that stands for ten to the power of `place`.
    fn digit(self, place: i32) -> i128 {
        let above = u32::try_from(place - self.exponent).ok();
        let power = above.and_then(|above| 10_u64.checked_pow(above));
        power.map_or(0, |power| i128::from(self.digits / power % 10))
    }
}

/// The sign of a sum of so many times such numbers, digit by digit from the left: there is no size at which this is rounded.
pub(super) fn sign(terms: &[(i32, Exact)]) -> Ordering {
    let times = |(times, number): &(i32, Exact)| i128::from(if number.is_negative { -times } else { *times });
    let most: i128 = terms.iter().map(|(times, _)| i128::from(times.unsigned_abs())).sum();
    let exponents =
        || terms.iter().filter(|(_, number)| number.digits != 0).map(|(_, number)| number.exponent);
    // No u64 has more than twenty digits.
    let (lowest, highest) = (exponents().min().unwrap_or(0), exponents().max().unwrap_or(0) + 19);
    let mut sum = 0;
    for place in (lowest..=highest).rev() {
        sum = sum * 10 + terms.iter().map(|term| times(term) * term.1.digit(place)).sum::<i128>();
        // All lower places of a number are less than one of this place.
        if sum.abs() >= most {
            break;
        }
    }
    sum.cmp(&0)
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use adjudicate_lang::json::{self, Limits};

    use super::*;

    fn number(text: &str) -> Exact {
        Exact::read(json::read(text.as_bytes(), Limits::DOCUMENT).unwrap().root())
    }

    #[test]
    fn sums_are_exact() {
        let tenth = Exact::new(1, -1);
        for (later, earlier, expected) in [
            ("0.7", "0.6", Ordering::Equal),
            ("0.3", "0.2", Ordering::Equal),
            ("0.8", "0.7", Ordering::Equal),
            ("1", "0.9", Ordering::Equal),
            ("0.7999999999999999", "0.7", Ordering::Less),
            ("0.8000000000000002", "0.7", Ordering::Greater),
            ("0.1", "1e-300", Ordering::Less),
            ("0.1", "0", Ordering::Equal),
            ("0", "1", Ordering::Less),
            ("0.10", "5e-324", Ordering::Less),
        ] {
            let sum = sign(&[(1, number(later)), (-1, number(earlier)), (-1, tenth)]);
            assert_eq!(sum, expected, "{later} {earlier}");
        }
    }

    #[test]
    fn numbers_compare_whatever_their_size_and_sign() {
        let ascending = [
            "-1.7976931348623157e308",
            "-18446744073709551615",
            "-9223372036854775808",
            "-1",
            "-0.1",
            "-5e-324",
            "0",
            "5e-324",
            "1e-300",
            "0.09999999999999999",
            "0.1",
            "0.7",
            "0.8",
            "1",
            "9007199254740993",
            "9007199254740994",
            "18446744073709551614",
            "18446744073709551615",
            "1.8446744073709552e19",
            "1.7976931348623157e308",
        ];
        for (at, left) in ascending.iter().enumerate() {
            for (other, right) in ascending.iter().enumerate() {
                assert_eq!(number(left).compare(number(right)), at.cmp(&other), "{left} {right}");
            }
        }
        for (left, right) in [("0", "-0.0"), ("1", "1.0"), ("0.80", "8e-1"), ("100", "1e2"), ("-0", "0e5")] {
            assert!(number(left).compare(number(right)).is_eq(), "{}", format!("{left} {right}"));
        }
    }
}
