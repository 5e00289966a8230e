//! `minimum`, `maximum`, their exclusive forms, and `multipleOf`: all exact.

use alloc::{format, string::String};
use core::cmp::Ordering;

use crate::{
    error::Error,
    json::{Node, float},
    logic::Number,
    schema::{
        compile::{Compiler, Site},
        run::Run,
        tree::{Check, Id, Limit, Rule, Schema, narrow},
        word::Word,
    },
};

/// A limit's keyword and its check.
type Row = (Word, fn(u32) -> Check);

const LIMITS: [Row; 5] = [
    (Word::Minimum, Check::Minimum),
    (Word::Maximum, Check::Maximum),
    (Word::ExclusiveMinimum, Check::ExclusiveMinimum),
    (Word::ExclusiveMaximum, Check::ExclusiveMaximum),
    (Word::MultipleOf, Check::MultipleOf),
];

pub(super) fn compile<'d>(compiler: &mut Compiler<'d, '_>, site: &Site<'d>) -> Result<(), Error> {
    for (word, check) in LIMITS {
        let Some(value) = site.value(word) else { continue };
        let Some(text) = value.as_number() else { return Err(compiler.wrong(site, word, "a number")) };
        let limit = Limit {
            value: Number::read(text),
            near: float::parse(text),
            whole: whole(text),
            digits: digits(text),
        };
        if word == Word::MultipleOf && limit.value.compare(&Number::ZERO) != Some(Ordering::Greater) {
            return Err(compiler.wrong(site, word, "a number greater than zero"));
        }
        let numbers = &mut compiler.locator.schema.numbers;
        numbers.push(limit);
        let number = narrow(numbers.len() - 1);
        compiler.rule(word, check(number));
    }
    Ok(())
}

impl Run<'_, '_, '_> {
    /// Applies the rules for numbers: the number is read once for all of them, and no further than they need.
    #[inline(never)]
    pub(in crate::schema) fn numbers(&mut self, id: Id, rules: &[Rule], value: Node<'_>) -> bool {
        let between = Between::read(value.bytes());
        let mut holds = true;
        for rule in rules {
            if !is_within(self.schema, rule.check, between, value) {
                holds = self.unmet(id, rule);
                if !self.goes_on() {
                    break;
                }
            }
        }
        holds
    }
}

/// Where a number stands among the integers.
#[derive(Clone, Copy)]
struct Between {
    /// The integer that it is, or the one below it.
    floor: i64,
    is_above: bool,
    /// Whether it has so few digits that it is what it says. Others are what the nearest float says, which may be an integer
    /// that the digits do not quite come to.
    is_exact: bool,
}

impl Between {
    /// Reads what has no exponent, and before its point no more digits than floats can tell apart.
    #[inline]
    fn read(text: &[u8]) -> Option<Self> {
        let (negative, unsigned) = match text {
            [b'-', unsigned @ ..] => (true, unsigned),
            unsigned => (false, unsigned),
        };
        let mut whole = 0_i64;
        let mut digits = unsigned.iter();
        let mut has_fraction = false;
        for byte in digits.by_ref().take(17) {
            match byte {
                b'0'..=b'9' => whole = whole * 10 + i64::from(byte & 15),
                b'.' => {
                    has_fraction = true;
                    break;
                }
                _ => return None,
            }
        }
        let fraction = digits.as_slice();
        if !has_fraction && !fraction.is_empty() {
            return None;
        }
        let mut is_above = false;
        for byte in fraction {
            match byte {
                b'0' => {}
                b'1'..=b'9' => is_above = true,
                _ => return None,
            }
        }
        let signed = if negative { -whole } else { whole };
        let is_exact = !has_fraction || unsigned.len() <= 16;
        Some(Self { floor: signed - i64::from(negative && is_above), is_above, is_exact })
    }

    /// How it compares with an integer, if that can be told.
    #[inline]
    fn compare(self, with: i64) -> Option<Ordering> {
        match self.floor.cmp(&with) {
            _ if !self.is_exact && (with == self.floor || with == self.floor + 1) => None,
            Ordering::Equal if self.is_above => Some(Ordering::Greater),
            order => Some(order),
        }
    }
}

/// The integer that a limit is, if floats tell it from its neighbours.
fn whole(text: &str) -> Option<i64> {
    let (digits, exponent) = digits(text);
    let whole =
        10_i64.checked_pow(u32::try_from(exponent).ok()?)?.checked_mul(i64::try_from(digits).ok()?)?;
    let signed = if text.starts_with('-') { -whole } else { whole };
    (whole < 1 << 53).then_some(signed)
}

/// Whether a number is within a limit.
#[inline]
fn is_within(schema: &Schema, check: Check, between: Option<Between>, value: Node<'_>) -> bool {
    let (number, is_least, is_exclusive) = match check {
        Check::Minimum(number) => (number, true, false),
        Check::Maximum(number) => (number, false, false),
        Check::ExclusiveMinimum(number) => (number, true, true),
        Check::ExclusiveMaximum(number) => (number, false, true),
        Check::MultipleOf(number) => {
            let limit = schema.numbers.get(number as usize);
            return limit.is_some_and(|limit| is_multiple(digits(value.name()), limit.digits));
        }
        _ => return true,
    };
    let Some(limit) = schema.numbers.get(number as usize) else { return true };
    let order = between.zip(limit.whole).and_then(|(between, whole)| between.compare(whole));
    match order.or_else(|| compare(value.name(), limit)) {
        Some(Ordering::Equal) => !is_exclusive,
        Some(order) => (order == Ordering::Greater) == is_least,
        None => false,
    }
}

/// How a number compares with a limit, whatever both are.
#[inline(never)]
fn compare(text: &str, limit: &Limit) -> Option<Ordering> {
    // Rounding keeps the order: numbers whose floats differ, differ likewise.
    match near(text).partial_cmp(&limit.near) {
        Some(Ordering::Equal) => Number::read(text).compare(&limit.value),
        order => order,
    }
}

/// The float nearest to a number.
#[inline]
fn near(text: &str) -> f64 {
    let (negative, unsigned) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let short = if unsigned.len() <= 16 { plain(unsigned) } else { None };
    match short {
        Some((digits, exponent)) if negative => -float::from_decimal(digits, exponent),
        Some((digits, exponent)) => float::from_decimal(digits, exponent),
        None => float::parse(text),
    }
}

/// What a limit expects, for people.
pub(super) fn expected(schema: &Schema, check: Check) -> String {
    let (Check::Minimum(number)
    | Check::Maximum(number)
    | Check::ExclusiveMinimum(number)
    | Check::ExclusiveMaximum(number)
    | Check::MultipleOf(number)) = check
    else {
        return String::new();
    };
    let value = schema.numbers.get(number as usize).map_or(&Number::ZERO, |limit| &limit.value);
    match check {
        Check::Minimum(_) => format!("{value} or more"),
        Check::Maximum(_) => format!("{value} or less"),
        Check::ExclusiveMinimum(_) => format!("more than {value}"),
        Check::ExclusiveMaximum(_) => format!("less than {value}"),
        _ => format!("a multiple of {value}"),
    }
}

/// The magnitude of a number of a document: digits that do not end in zero, and the power of ten of the last of them.
/// It is whole if that is not negative. As everywhere, what has more digits than integers can hold or floats can tell
/// apart is the float that it reads as.
pub(in crate::schema) fn digits(text: &str) -> (u64, i32) {
    let (negative, unsigned) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    if unsigned.len() <= 15
        && let Some(digits) = short(unsigned)
    {
        return digits;
    }
    match unsigned.parse::<u64>() {
        Ok(integer) if !negative || integer <= i64::MIN.unsigned_abs() => without_zeros(integer, 0),
        _ => float::shortest(float::parse(text)),
    }
}

/// What has no exponent, and so few digits that no other float is as near.
fn short(text: &str) -> Option<(u64, i32)> {
    plain(text).map(|(digits, exponent)| without_zeros(digits, exponent))
}

/// Digits and a power of ten, as they are written.
#[inline]
fn plain(text: &str) -> Option<(u64, i32)> {
    let (mut digits, mut exponent, mut beyond) = (0, 0, false);
    for byte in text.bytes() {
        match byte {
            b'0'..=b'9' => {
                digits = digits * 10 + u64::from(byte - b'0');
                exponent -= i32::from(beyond);
            }
            b'.' => beyond = true,
            _ => return None,
        }
    }
    Some((digits, exponent))
}

fn without_zeros(mut digits: u64, mut exponent: i32) -> (u64, i32) {
    if digits == 0 {
        return (0, 0);
    }
    while digits.is_multiple_of(10) {
        (digits, exponent) = (digits / 10, exponent + 1);
    }
    (digits, exponent)
}

/// Whether a magnitude is another one a whole number of times; neither has digits that end in zero.
fn is_multiple((digits, exponent): (u64, i32), (of, power): (u64, i32)) -> bool {
    if digits == 0 {
        return true;
    }
    // What has places beyond those of the divisor's last digit is no multiple of it.
    let Ok(places) = u32::try_from(exponent - power) else { return false };
    let written = 10_u64.checked_pow(places).and_then(|power| power.checked_mul(digits));
    if let Some(written) = written {
        return written.is_multiple_of(of);
    }
    let of = u128::from(of);
    let (mut rest, mut factor, mut places) = (u128::from(digits) % of, 10 % of, places);
    while places > 0 {
        if places & 1 == 1 {
            rest = rest * factor % of;
        }
        factor = factor * factor % of;
        places >>= 1;
    }
    rest == 0
}

/// The amount that a number says, if it is one.
pub(in crate::schema) fn amount(text: &str) -> Option<u32> {
    let (digits, exponent) = digits(text);
    if exponent < 0 || (text.starts_with('-') && digits != 0) {
        return None;
    }
    let power = 10_u64.checked_pow(exponent.unsigned_abs());
    let amount =
        power.and_then(|power| power.checked_mul(digits)).and_then(|amount| u32::try_from(amount).ok());
    Some(amount.unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_and_amounts() {
        for (text, expected, count) in [
            ("0", (0, 0), Some(0)),
            ("-0.0", (0, 0), Some(0)),
            ("120", (12, 1), Some(120)),
            ("2.0", (2, 0), Some(2)),
            ("-2", (2, 0), None),
            ("2.50", (25, -1), None),
            ("1e3", (1, 3), Some(1_000)),
            ("1e308", (1, 308), Some(u32::MAX)),
            ("5e-324", (5, -324), None),
            ("18446744073709551615", (u64::MAX, 0), Some(u32::MAX)),
            ("12345678910111213141516", (12_345_678_910_111_212, 6), Some(u32::MAX)),
            ("0.30000000000000004", (30_000_000_000_000_004, -17), None),
        ] {
            assert_eq!((digits(text), amount(text)), (expected, count), "{text}");
        }
    }

    #[test]
    fn numbers_are_where_exact_comparison_has_them() {
        let texts = [
            "0",
            "-0",
            "-0.0",
            "1",
            "-1",
            "0.5",
            "-0.5",
            "1.0",
            "-1.0",
            "1.5",
            "-1.5",
            "2",
            "1e0",
            "10e-1",
            "1E2",
            "100",
            "0.99999999999999999",
            "-0.99999999999999999",
            "1.00000000000000001",
            "0.9999999999999999",
            "1.0000000000000002",
            "-1.0000000000000002",
            "0.00000000000000000000001",
            "99.99999999999999",
            "100.00000000000001",
            "9007199254740991",
            "9007199254740992",
            "9007199254740993",
            "-9007199254740993",
            "9007199254740992.5",
            "12345678901234567",
            "1234567890123456.7",
            "123456789012345678901",
            "1e300",
            "-1e300",
            "4.9e-324",
        ];
        for left in texts {
            for right in texts {
                let limit = Limit {
                    value: Number::read(right),
                    near: float::parse(right),
                    whole: whole(right),
                    digits: (0, 0),
                };
                let exactly = Number::read(left).compare(&limit.value);
                assert_eq!(compare(left, &limit), exactly, "{left} {right}");
                let between = Between::read(left.as_bytes())
                    .zip(limit.whole)
                    .and_then(|(between, whole)| between.compare(whole));
                assert!(between.is_none() || between == exactly, "{left} {right}");
            }
        }
        let between = Between::read(b"-12.50").and_then(|between| between.compare(-12));
        assert_eq!(between, Some(Ordering::Less));
    }

    #[test]
    fn multiples() {
        for (text, of, expected) in [
            ("10", "2", true),
            ("7", "2", false),
            ("0", "0.3", true),
            ("4.5", "1.5", true),
            ("-4.5", "1.5", true),
            ("0.0075", "0.0001", true),
            ("0.00751", "0.0001", false),
            ("1e308", "0.123456789", false),
            ("1e308", "0.5", true),
            ("1e308", "1e-300", true),
            ("12391239123", "1e-8", true),
            ("1", "3", false),
            ("0.3", "0.1", true),
            ("19.99", "0.01", true),
            ("18446744073709551615", "18446744073709551615", true),
            ("18446744073709551614", "18446744073709551615", false),
            ("3e10", "7", false),
            ("1", "10", false),
            ("30", "1.5e1", true),
        ] {
            assert_eq!(is_multiple(digits(text), digits(of)), expected, "{text} {of}");
        }
    }
}
