//! Domains: the possible values of a variable, given a condition and the evidence.
//!
//! Narrowing never drops a possible value, but may keep impossible ones. So an empty domain is a proof, and a non-empty one proves
//! nothing.

use alloc::vec::Vec;
use core::cmp::Ordering;

use adjudicate_lang::logic::{Number, Types, Value};

use super::{
    constant::Constant,
    expected_truth::ExpectedCondition,
    orders::Orders,
    range::Range,
    shape::{PathTarget, Shape},
};

/// The number of texts compared in one step, because most differ in length.
const TEXTS_IN_A_STEP: usize = 32;

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

    pub(super) fn keep(&mut self, types: Types) {
        self.types = self.types.and(types);
    }

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
        let ([no, yes], [other_no, other_yes]) = (self.truths, other.truths);
        self.truths = [no && other_no, yes && other_yes];
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
        add(&mut self.texts.not, &other.texts.not);
        self.list.length.meet(&other.list.length);
        add(&mut self.list.has, &other.list.has);
        add(&mut self.list.lacks, &other.list.lacks);
        self.members.meet(&other.members);
        self.settle();
    }

    /// Unites with another domain; conditions are kept apart.
    #[inline(never)]
    pub(super) fn join(&mut self, other: Self) {
        self.unknown |= other.unknown;
        let both = (self.types, other.types);
        join(both, Types::BOOL, &mut self.truths, other.truths, |[no, yes], [other_no, other_yes]| {
            (*no, *yes) = (*no || other_no, *yes || other_yes);
        });
        join(both, Types::NUMBER, &mut self.range, other.range, Range::join);
        join(both, Types::NUMBER, &mut self.numbers, other.numbers, join_listed);
        join(both, Types::TEXT, &mut self.texts.length, other.texts.length, Range::join);
        join(both, Types::TEXT, &mut self.texts.only, other.texts.only, join_listed);
        join(both, Types::LIST, &mut self.list.length, other.list.length, Range::join);
        join(both, Types::OBJECT, &mut self.members, other.members, Range::join);
        self.types = self.types.or(other.types);
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

    /// Narrows to the values that have one of these orders to a constant. If the result must be known, values of other types go.
    pub(super) fn compare(&mut self, orders: Orders, constant: &Constant<'p>, is_strict: bool) {
        match orders {
            Orders::EQUAL => {
                self.keep(constant.value.types());
                self.equal(constant);
            }
            Orders::UNEQUAL => self.differ(constant),
            _ => {
                if is_strict {
                    self.keep(constant.value.types());
                }
                if let Value::Number(number) = &constant.value {
                    self.range.compare(orders, number);
                }
            }
        }
    }

    fn equal(&mut self, constant: &Constant<'p>) {
        match &constant.value {
            Value::Bool(truth) => self.be(*truth),
            Value::Number(number) => self.range.compare(Orders::EQUAL, number),
            list if list.types() == Types::LIST => {
                self.list.length.compare(Orders::EQUAL, &Number::from(list.len() as u64));
                add(&mut self.list.has, constant.texts.as_deref().unwrap_or_default());
            }
            _ => {}
        }
        if let Some(text) = constant.text {
            self.one_of(&[text]);
        }
    }

    /// Restricts the truth values to one.
    pub(super) fn be(&mut self, truth: bool) {
        let [no, yes] = self.truths;
        self.truths = [no && !truth, yes && truth];
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
            Value::Bool(truth) => self.be(!truth),
            Value::Number(number) => self.range.differs(number),
            list if list.types() == Types::LIST && list.is_empty() => {
                self.list.length.be_positive();
            }
            _ => {}
        }
        self.texts.not.extend(constant.text);
    }
}

/// Unites the values of one type, where `theirs` are those of the other domain. Constraints on a type that a domain excludes are
/// vacuous.
fn join<T>(types: (Types, Types), kind: Types, ours: &mut T, theirs: T, unite: impl FnOnce(&mut T, T)) {
    match (types.0.meets(kind), types.1.meets(kind)) {
        (true, true) => unite(ours, theirs),
        (false, true) => *ours = theirs,
        _ => {}
    }
}

/// Unites two lists; without one of them, anything is possible.
fn join_listed<T>(ours: &mut Option<Vec<T>>, theirs: Option<Vec<T>>) {
    *ours = ours.take().zip(theirs).map(|(mut all, more)| {
        all.extend(more);
        all
    });
}

/// Adds the texts that are missing.
pub(super) fn add<'p>(texts: &mut Vec<&'p str>, more: &[&'p str]) {
    for text in more {
        if !texts.contains(text) {
            texts.push(text);
        }
    }
}
