//! `minimum`, `maximum`, their exclusive forms, and `multipleOf`, with exact comparison.

use alloc::{format, string::String};
use core::cmp::Ordering;

use crate::{
    decimal::{Decimal, float},
    error::Error,
    json::{Beyond, Glance, Node},
    logic::Number,
    schema::{
        compiler::{Compiler, KeywordValues},
        keyword::Keyword,
        lists::Limit,
        range::{SchemaId, narrow},
        tree::{Check, Rule, Schema},
        validate::Validator,
    },
};

/// A keyword with a numeric limit, and its check.
type LimitKeyword = (Keyword, fn(u32) -> Check);

const LIMITS: [LimitKeyword; 5] = [
    (Keyword::Minimum, Check::Minimum),
    (Keyword::Maximum, Check::Maximum),
    (Keyword::ExclusiveMinimum, Check::ExclusiveMinimum),
    (Keyword::ExclusiveMaximum, Check::ExclusiveMaximum),
    (Keyword::MultipleOf, Check::MultipleOf),
];

pub(super) fn compile<'d>(
    compiler: &mut Compiler<'d, '_>,
    keywords: &KeywordValues<'d>,
) -> Result<(), Error> {
    for (keyword, check) in LIMITS {
        let Some(value) = keywords.value(keyword) else { continue };
        let Some(text) = value.as_number() else {
            return Err(compiler.value_error(keywords, keyword, "a number"));
        };
        let limit = Limit {
            value: Number::read(text),
            decimal: Decimal::read(text).unwrap_or_default(),
            near: float::parse(text),
            whole: whole(text),
        };
        if keyword == Keyword::MultipleOf && limit.decimal <= Decimal::ZERO {
            return Err(compiler.value_error(keywords, keyword, "a number greater than zero"));
        }
        let numbers = &mut compiler.index.schema.numbers;
        numbers.push(limit);
        let number = narrow(numbers.len() - 1);
        compiler.rule(keyword, check(number));
    }
    Ok(())
}

impl Validator<'_, '_, '_> {
    /// Applies the rules for numbers. The number is parsed at most once, and only as far as the rules need.
    #[inline(never)]
    pub(in crate::schema) fn numbers(&mut self, id: SchemaId, rules: &[Rule], value: Node<'_>) -> bool {
        let (schema, glance) = (self.schema, value.glance());
        let mut holds = true;
        for rule in rules {
            let seen = glance.and_then(|glance| is_seen_within(schema, rule.check, glance));
            if !seen.unwrap_or_else(|| is_within(schema, rule.check, value)) {
                holds = self.rule_violation(id, rule);
                if !self.goes_on() {
                    break;
                }
            }
        }
        holds
    }
}

/// Returns the integer value of a limit below 2^53, where floats distinguish neighboring integers.
fn whole(text: &str) -> Option<i64> {
    let whole = Decimal::read(text)?.whole().filter(|whole| whole.unsigned_abs() < 1 << 53);
    whole.and_then(|whole| i64::try_from(whole).ok())
}

/// Returns a limit, whether it is a minimum, and whether it is exclusive.
#[inline]
fn limit(schema: &Schema, check: Check) -> Option<(&Limit, bool, bool)> {
    let (number, is_least, is_exclusive) = match check {
        Check::Minimum(number) => (number, true, false),
        Check::Maximum(number) => (number, false, false),
        Check::ExclusiveMinimum(number) => (number, true, true),
        Check::ExclusiveMaximum(number) => (number, false, true),
        _ => return None,
    };
    schema.numbers.get(number as usize).map(|limit| (limit, is_least, is_exclusive))
}

/// Returns whether a number is within a limit, if its first digits decide that.
#[inline]
fn is_seen_within(schema: &Schema, check: Check, glance: Glance) -> Option<bool> {
    let (limit, is_least, is_exclusive) = limit(schema, check)?;
    Some(match seen(glance, limit.whole?)? {
        Ordering::Equal => !is_exclusive,
        order => (order == Ordering::Greater) == is_least,
    })
}

/// Compares a number with an integer, if its first digits decide that.
#[inline]
fn seen(number: Glance, with: i64) -> Option<Ordering> {
    let floor = i64::from(number.floor);
    match floor.cmp(&with) {
        _ if number.beyond == Beyond::Long && (with == floor || with == floor + 1) => None,
        Ordering::Equal if number.beyond != Beyond::Nothing => Some(Ordering::Greater),
        order => Some(order),
    }
}

/// Returns whether a number is within a limit, or is a multiple. Exact for all numbers.
#[inline(never)]
fn is_within(schema: &Schema, check: Check, value: Node<'_>) -> bool {
    if let Check::MultipleOf(number) = check {
        let limit = schema.numbers.get(number as usize);
        return limit
            .zip(value.as_decimal())
            .is_some_and(|(limit, number)| number.is_multiple_of(limit.decimal));
    }
    let Some((limit, is_least, is_exclusive)) = limit(schema, check) else { return true };
    match compare(value.as_number().unwrap_or_default(), limit) {
        Ordering::Equal => !is_exclusive,
        order => (order == Ordering::Greater) == is_least,
    }
}

/// Compares a number with a limit. Exact for all numbers.
#[inline(never)]
fn compare(text: &str, limit: &Limit) -> Ordering {
    if let Some(short) = Decimal::read_short(text) {
        return short.cmp(&limit.decimal);
    }
    // Rounding is monotonic, so different floats decide the order. To parse a float is less work than to parse a decimal.
    match float::parse(text).partial_cmp(&limit.near) {
        Some(order) if order.is_ne() => order,
        _ => Decimal::read(text).unwrap_or_default().cmp(&limit.decimal),
    }
}

/// Returns the text of `expected` for a numeric limit.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{self, ReadLimits};

    fn glance(text: &str) -> Option<Glance> {
        let tape = json::read(text.as_bytes(), ReadLimits::DOCUMENT).unwrap();
        tape.root().glance()
    }

    #[test]
    fn quick_comparison_agrees_with_exact_comparison() {
        let texts = [
            "0",
            "-0",
            "-0.0",
            "-0e5",
            "0e5",
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
                    value: Number::ZERO,
                    decimal: Decimal::read(right).unwrap(),
                    near: float::parse(right),
                    whole: whole(right),
                };
                let exactly = Number::read(left).compare(&Number::read(right)).unwrap();
                assert_eq!(compare(left, &limit), exactly, "{left} {right}");
                let quickly = glance(left).zip(limit.whole).and_then(|(left, whole)| seen(left, whole));
                assert!(quickly.is_none() || quickly == Some(exactly), "{left} {right}");
            }
        }
        let quickly = glance("-12.50").and_then(|glance| seen(glance, -12));
        assert_eq!(quickly, Some(Ordering::Less));
    }
}
