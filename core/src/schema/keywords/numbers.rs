//! `minimum`, `maximum`, their exclusive forms, and `multipleOf`: all exact.

use alloc::{format, string::String};
use core::cmp::Ordering;

use super::digits::{Between, digits, is_multiple, near, whole};
use crate::{
    error::Error,
    json::{Node, float},
    logic::Number,
    schema::{
        compile::{Compiler, Site},
        lists::Limit,
        run::Run,
        tree::{Check, Id, Rule, Schema, narrow},
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

/// Whether a check is one of those for numbers.
pub(in crate::schema) const fn is_limit(check: Check) -> bool {
    matches!(
        check,
        Check::Minimum(_)
            | Check::Maximum(_)
            | Check::ExclusiveMinimum(_)
            | Check::ExclusiveMaximum(_)
            | Check::MultipleOf(_)
    )
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
