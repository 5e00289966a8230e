//! The constants of a condition, from which candidate values of variables are derived.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{
    json::{self, OwnedValue},
    logic::{Expression, Number, Operator, Value},
};

use super::instance::{ANY_FILE, instances};

/// The most constants of each kind.
const MOST: usize = 16;

/// The constants of one condition, each once, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Constants<'p> {
    texts: Vec<&'p str>,
    /// Patterns that files are matched against.
    patterns: Vec<String>,
    /// Prefixes and suffixes of texts.
    affixes: Vec<&'p str>,
    numbers: Vec<Number>,
}

impl<'p> Constants<'p> {
    pub(super) fn new(condition: Expression<'p>) -> Self {
        let mut found = Self::default();
        let mut pending = Vec::from([(condition, None)]);
        while let Some((expression, within)) = pending.pop() {
            match expression.constant() {
                Some(value) => found.add(value, within),
                // The path of a variable is no constant, but its default is.
                None if expression.operator() == Some(Operator::Var) => {
                    pending.extend(expression.operands().skip(1).map(|operand| (operand, within)));
                }
                None => pending
                    .extend(expression.operands().rev().map(|operand| (operand, expression.operator()))),
            }
        }
        found
    }

    /// Adds a constant operand of an operator.
    pub(super) fn add(&mut self, value: &'p Value<'p>, within: Option<Operator>) {
        if let Value::List(items) = value {
            return items.iter().for_each(|item| self.add(item, within));
        }
        if let Value::BuiltList(list) = value {
            return list.parts().iter().for_each(|item| self.add(item, within));
        }
        if let (Some(text), Some(Operator::StartsWith | Operator::EndsWith)) = (value.as_text(), within)
            && self.affixes.len() < MOST
        {
            self.affixes.push(text);
        }
        match (value.as_text(), within) {
            (Some(text), Some(Operator::Glob)) => self.pattern(text.into()),
            (Some(text), Some(Operator::StartsWith)) => self.pattern(format!("{text}**")),
            (Some(text), Some(Operator::EndsWith)) => self.pattern(format!("**/*{text}")),
            (Some(text), _) if self.texts.len() < MOST && !self.texts.contains(&text) => {
                self.texts.push(text)
            }
            _ => {}
        }
        if let Some(number) = value.as_number()
            && self.numbers.len() < MOST
        {
            self.numbers.push(number.clone());
        }
    }

    fn pattern(&mut self, pattern: String) {
        if self.patterns.len() < MOST && !self.patterns.contains(&pattern) {
            self.patterns.push(pattern);
        }
    }

    pub(super) fn has_text(&self, text: &str) -> bool {
        self.texts.contains(&text)
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &'p str> {
        self.texts.iter().copied()
    }

    pub(super) fn patterns(&self) -> Vec<String> {
        self.patterns.clone()
    }

    /// The whole numbers and those one below, as counts.
    pub(super) fn counts(&self) -> Vec<u64> {
        let whole = self.numbers.iter().filter_map(Number::whole);
        let near = whole.flat_map(|count| [Some(count), count.checked_sub(1)]).flatten();
        near.filter_map(|count| u64::try_from(count).ok()).collect()
    }

    /// Numbers of additional items with which the total reaches or exceeds a number of the condition. Also 1, if none was added
    /// yet, or if a fraction decides.
    pub(super) fn more_than(&self, present: u64, have_come: bool) -> Vec<u64> {
        let reached = self.counts().into_iter().flat_map(|count| [count, count.saturating_add(1)]);
        let mut more = Vec::from_iter((!have_come || self.has_fraction()).then_some(1));
        for count in reached.filter_map(|count| count.checked_sub(present)) {
            if count > 0 && !more.contains(&count) {
                more.push(count);
            }
        }
        more
    }

    /// Numbers of removed items with which a number of the condition, the number below it, or nothing is left. Also 1, if a
    /// fraction decides.
    pub(super) fn fewer_than(&self, present: u64) -> Vec<u64> {
        let one = present.checked_sub(1).filter(|_| self.has_fraction());
        let left = self.counts().into_iter().chain(one).chain([0]);
        let mut fewer = Vec::new();
        for count in left.filter_map(|count| present.checked_sub(count)) {
            if count > 0 && !fewer.contains(&count) {
                fewer.push(count);
            }
        }
        fewer
    }

    /// Returns true if items of any name may matter: a number decides, or no name is known.
    pub(super) fn wants_any(&self) -> bool {
        !self.numbers.is_empty() || (self.texts.is_empty() && self.patterns.is_empty())
    }

    fn has_fraction(&self) -> bool {
        self.numbers.iter().any(|number| number.whole().is_none())
    }

    /// Candidate values of a variable: the constants, adjacent numbers, texts that match a pattern, true, false, and an empty list.
    pub(super) fn values(&self) -> Vec<OwnedValue> {
        let one = Number::from(1_u64);
        let numbers = self.numbers.iter().flat_map(|number| {
            [Some(number.clone()), number.plus(&one), number.minus(&one)]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
        });
        let numbers = numbers.map(|number| OwnedValue::Number(json::write(&number)));
        let texts = self.texts.iter().chain(&self.affixes).map(|text| OwnedValue::text(text));
        let matching =
            self.patterns.iter().flat_map(|pattern| instances(pattern, ANY_FILE)).map(OwnedValue::Text);
        let others = [OwnedValue::Bool(true), OwnedValue::Bool(false), OwnedValue::List(Vec::new())];
        numbers.chain(texts).chain(matching).chain(others).collect()
    }
}
