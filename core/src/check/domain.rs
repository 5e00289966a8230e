//! Domains: the possible values of a variable, given a condition and the evidence.
//!
//! Narrowing never drops a possible value, but may keep impossible ones. So an empty domain is a proof, and a non-empty one proves
//! nothing.

use alloc::vec::Vec;
use core::cmp::Ordering;

use adjudicate_lang::logic::{Number, Operator, Types, Value};

use super::{
    constant::Constant,
    expected_truth::{ExpectedCondition, ExpectedTruth},
    range::Range,
    shape::{PathTarget, Shape},
};

/// The number of texts compared in one step, because most differ in length.
const TEXTS_IN_A_STEP: usize = 32;

/// The possible values of a variable.
#[derive(Clone, Debug)]
pub(super) struct Domain<'p> {
    pub shape: Shape,
    /// True if it may be unknown.
    pub unknown: bool,
    /// The possible types of a known value.
    pub types: Types,
    /// True for each truth value that is possible: false, then true.
    pub truths: [bool; 2],
    /// The possible numbers: in this range and, if listed, among these.
    pub range: Range,
    pub numbers: Option<Vec<Number>>,
    pub texts: Texts<'p>,
    pub list: List<'p>,
    /// The possible numbers of fields of an object.
    pub members: Range,
    /// The conditions on this variable alone.
    pub tests: Vec<ExpectedCondition<'p>>,
}

/// The possible texts of a variable.
#[derive(Clone, Debug)]
pub(super) struct Texts<'p> {
    /// The possible lengths, in characters.
    pub length: Range,
    /// The possible texts, if they are listed.
    pub only: Option<Vec<&'p str>>,
    /// The excluded texts.
    pub not: Vec<&'p str>,
}

/// The possible lists of a variable.
#[derive(Clone, Debug)]
pub(super) struct List<'p> {
    pub length: Range,
    /// Texts that are among the items.
    pub has: Vec<&'p str>,
    /// Texts that are not among the items.
    pub lacks: Vec<&'p str>,
    /// Conditions each of which some item meets.
    pub some: Vec<ExpectedCondition<'p>>,
    /// Conditions that all items meet.
    pub each: Vec<ExpectedCondition<'p>>,
}

impl<'p> Domain<'p> {
    /// The domain of a value in the envelope or in an output.
    pub(super) fn new(place: PathTarget) -> Self {
        let types = place.shape.types();
        let (range, only) = match place.shape {
            Shape::Count => (Range::COUNT, None),
            Shape::Integer => (Range { integral: true, ..Range::ANY }, None),
            Shape::Words(words) => (Range::ANY, Some(words.to_vec())),
            _ => (Range::ANY, None),
        };
        Self {
            shape: place.shape,
            unknown: place.optional,
            types: if place.nullable { types.or(Types::NULL) } else { types },
            truths: [true; 2],
            range,
            numbers: None,
            texts: Texts { length: Range::COUNT, only, not: Vec::new() },
            list: List {
                length: Range::COUNT,
                has: Vec::new(),
                lacks: Vec::new(),
                some: Vec::new(),
                each: Vec::new(),
            },
            members: Range::COUNT,
            tests: Vec::new(),
        }
    }

    /// The domain of a value that is always absent.
    pub(super) fn absent() -> Self {
        let place = PathTarget { shape: Shape::Any, optional: true, nullable: false };
        Self { types: Types::NONE, ..Self::new(place) }
    }

    /// Returns true if no value is possible.
    pub(super) fn is_empty(&self) -> bool {
        !self.unknown && self.types == Types::NONE
    }

    /// Returns true if the variable is certainly known.
    pub(super) const fn is_known(&self) -> bool {
        !self.unknown
    }

    /// The cost of looking at the domain and at `more` further texts, because texts are searched among texts.
    pub(super) fn weight(&self, more: usize) -> usize {
        let (has, lacks) = (self.list.has.len(), self.list.lacks.len());
        let only = self.texts.only.as_ref().map_or(0, Vec::len);
        let not = self.texts.not.len() + more;
        let compared =
            has.saturating_mul(has + lacks).saturating_add(only.saturating_mul(not) / TEXTS_IN_A_STEP);
        compared.saturating_add(lacks + not + self.tests.len() + self.list.some.len() + self.list.each.len())
    }

    /// Restricts the types.
    pub(super) fn keep(&mut self, types: Types) {
        self.types = self.types.and(types);
    }

    /// Removes a type.
    pub(super) fn drop_type(&mut self, unwanted: Types) {
        let all = [Types::NULL, Types::BOOL, Types::NUMBER, Types::TEXT, Types::LIST, Types::OBJECT];
        let left = all.into_iter().filter(|kind| *kind != unwanted);
        self.types = left.fold(Types::NONE, |left, kind| left.or(self.types.and(kind)));
    }

    /// Removes the types without any possible value.
    // Not inlined, because every narrowing calls it.
    #[inline(never)]
    pub(super) fn settle(&mut self) {
        if self.truths == [false; 2] {
            self.drop_type(Types::BOOL);
        }
        if let Some(numbers) = &mut self.numbers {
            numbers.retain(|number| self.range.has(number));
        }
        if self.range.is_empty() || self.numbers.as_ref().is_some_and(Vec::is_empty) {
            self.drop_type(Types::NUMBER);
        }
        let (shape, not) = (self.shape, &self.texts.not);
        if let Some(only) = &mut self.texts.only {
            only.retain(|text| !not.contains(text) && shape.may_be(text));
        }
        if self.texts.length.is_empty() || self.texts.only.as_ref().is_some_and(Vec::is_empty) {
            self.drop_type(Types::TEXT);
        }
        if self.members.is_empty() {
            self.drop_type(Types::OBJECT);
        }
        let item = self.shape.item();
        let list = &mut self.list;
        list.length.at_least(&Number::from(list.has.len() as u64), true);
        if !list.some.is_empty() {
            list.length.be_positive();
        }
        let never_has = |text: &&str| !item.may_be(text) || list.lacks.contains(text);
        if list.length.is_empty() || list.has.iter().any(never_has) {
            self.drop_type(Types::LIST);
        }
    }

    /// Intersects with another domain; conditions are kept apart.
    #[inline(never)]
    pub(super) fn meet(&mut self, other: &Self) {
        self.unknown &= other.unknown;
        self.keep(other.types);
        let [no, yes] = other.truths;
        self.truths = self.truths.map_each(|is, may| may && if is { yes } else { no });
        self.range.meet(&other.range);
        if let Some(theirs) = &other.numbers {
            let is_among = |number: &Number| {
                theirs.iter().any(|other| other.compare(number).is_some_and(Ordering::is_eq))
            };
            match &mut self.numbers {
                Some(numbers) => numbers.retain(is_among),
                None => self.numbers = Some(theirs.clone()),
            }
        }
        if let Some(only) = &other.texts.only {
            self.one_of(only);
        }
        self.texts.length.meet(&other.texts.length);
        self.list.length.meet(&other.list.length);
        self.members.meet(&other.members);
        self.settle();
    }

    /// Unites with another domain; conditions are kept apart.
    #[inline(never)]
    pub(super) fn join(&mut self, other: Self) {
        self.unknown |= other.unknown;
        // Constraints on a type that the domain excludes are vacuous.
        let [ours, theirs] = [self.types, other.types].map(|types| move |kind: Types| types.meets(kind));
        self.types = self.types.or(other.types);
        if theirs(Types::BOOL) {
            let [no, yes] = if ours(Types::BOOL) { self.truths } else { [false; 2] };
            let [other_no, other_yes] = other.truths;
            self.truths = [no || other_no, yes || other_yes];
        }
        match (ours(Types::NUMBER), theirs(Types::NUMBER)) {
            (true, true) => {
                self.range.join(other.range);
                self.numbers = self.numbers.take().zip(other.numbers).map(|(mut all, more)| {
                    all.extend(more);
                    all
                });
            }
            (false, true) => (self.range, self.numbers) = (other.range, other.numbers),
            _ => {}
        }
        match (ours(Types::TEXT), theirs(Types::TEXT)) {
            (true, true) => {
                self.texts.length.join(other.texts.length);
                self.texts.only = self.texts.only.take().zip(other.texts.only).map(|(mut all, more)| {
                    all.extend(more);
                    all
                });
            }
            (false, true) => self.texts = other.texts,
            _ => {}
        }
        for (kind, length, theirs_length) in [
            (Types::LIST, &mut self.list.length, other.list.length),
            (Types::OBJECT, &mut self.members, other.members),
        ] {
            match (ours(kind), theirs(kind)) {
                (true, true) => length.join(theirs_length),
                (false, true) => *length = theirs_length,
                _ => {}
            }
        }
    }

    /// The possible lengths of values of one type; `None` for numbers, booleans and null.
    pub(super) fn length_mut(&mut self, kind: Types) -> Option<&mut Range> {
        match kind {
            Types::TEXT => Some(&mut self.texts.length),
            Types::LIST => Some(&mut self.list.length),
            Types::OBJECT => Some(&mut self.members),
            _ => None,
        }
    }

    /// The truth value, if it is known and only one is possible.
    pub(super) fn truth(&self) -> Option<bool> {
        match self.truths {
            _ if self.unknown => None,
            [false, true] => Some(true),
            [true, false] => Some(false),
            _ => None,
        }
    }

    /// Narrows to the values for which a comparison with a constant has the wanted truth value. Values of other types stay if an
    /// error is acceptable, and go if the result must be known.
    pub(super) fn compare(&mut self, operator: Operator, constant: &Constant<'p>, expected: ExpectedTruth) {
        let kind = constant.value.types();
        match (operator, expected.holds()) {
            (Operator::Equal | Operator::SameAs, true) | (Operator::Unequal | Operator::NotSameAs, false) => {
                self.keep(kind);
                self.equal(constant);
            }
            (Operator::Equal | Operator::SameAs, false) | (Operator::Unequal | Operator::NotSameAs, true) => {
                self.differ(constant);
            }
            (_, holds) => {
                if expected.is_strict() {
                    self.keep(kind);
                }
                let Value::Number(number) = &constant.value else { return };
                self.range.compare(operator, number, holds);
            }
        }
    }

    fn equal(&mut self, constant: &Constant<'p>) {
        match &constant.value {
            Value::Bool(truth) => self.truths = self.truths.map_each(|is, may| may && is == *truth),
            Value::Number(number) => {
                self.range.at_least(number, true);
                self.range.at_most(number, true);
            }
            list if constant.value.types() == Types::LIST => {
                let length = Number::from(list.len() as u64);
                self.list.length.at_least(&length, true);
                self.list.length.at_most(&length, true);
                add(&mut self.list.has, constant.texts.as_deref().unwrap_or_default());
            }
            _ => {}
        }
        if let Some(text) = constant.text {
            self.one_of(&[text]);
        }
    }

    /// Restricts the texts to a list.
    pub(super) fn one_of(&mut self, texts: &[&'p str]) {
        let only = match self.texts.only.take() {
            Some(only) => only.into_iter().filter(|text| texts.contains(text)).collect(),
            None => texts.to_vec(),
        };
        self.texts.only = Some(only);
    }

    fn differ(&mut self, constant: &Constant<'p>) {
        match &constant.value {
            Value::Null => self.drop_type(Types::NULL),
            Value::Bool(truth) => self.truths = self.truths.map_each(|is, may| may && is != *truth),
            Value::Number(number) => self.range.differs(number),
            list if list.types() == Types::LIST && list.is_empty() => {
                self.list.length.be_positive();
            }
            _ => {}
        }
        self.texts.not.extend(constant.text);
    }
}

/// Restricts two truth values to one.
pub(super) fn only(truths: [bool; 2], value: bool) -> [bool; 2] {
    truths.map_each(|is, may| may && is == value)
}

/// Adds the texts that are missing.
pub(super) fn add<'p>(texts: &mut Vec<&'p str>, more: &[&'p str]) {
    for text in more {
        if !texts.contains(text) {
            texts.push(text);
        }
    }
}

/// A pair of flags for false and true.
pub(super) trait Truths {
    /// Maps each flag, given its truth value.
    fn map_each(self, still: impl FnMut(bool, bool) -> bool) -> Self;
}

impl Truths for [bool; 2] {
    fn map_each(self, mut still: impl FnMut(bool, bool) -> bool) -> Self {
        let [no, yes] = self;
        [still(false, no), still(true, yes)]
    }
}
