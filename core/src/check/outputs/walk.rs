//! Walks a schema to compute the domain at a path into an output.
//!
//! `allOf` and references narrow, `anyOf`, `oneOf` and `if` widen, and other keywords allow everything. Beyond the bounds of the
//! walk, any value is allowed.

use alloc::{boxed::Box, string::String, vec::Vec};
use core::cmp::Ordering;

use adjudicate_lang::{
    json::{self, Kind, Node, ReadLimits},
    logic::{Number, Operator, Types, Value},
    schema::{PropertyRules, RuleView, Schema, SchemaId, ValueConstraint},
};

use super::{Ground, STEPS_OF_VALUE, Step};
use crate::{
    check::{
        domain::Domain,
        orders::Orders,
        range::Range,
        shape::{PathTarget, Shape},
    },
    policy::declares,
};

/// The most levels of nested schemas, because the stack of a module is small.
const MOST_NESTED: usize = 24;
/// The cost of a schema, and of each of its rules: about the bytes that they take. The memory of a module is small, and nothing is
/// freed before the end.
const SPOT: usize = 640;
const RULE: usize = 32;

/// The domain of any value, including absence if `may_be_absent`.
#[inline(never)]
fn anything(may_be_absent: bool) -> Box<Domain<'static>> {
    Box::new(Domain::new(PathTarget { shape: Shape::Any, optional: may_be_absent, nullable: true }))
}

/// The domain without a value.
#[inline(never)]
fn no_values(may_be_absent: bool) -> Box<Domain<'static>> {
    let mut domain = anything(may_be_absent);
    domain.types = Types::NONE;
    domain
}

#[inline(never)]
fn joined<'p>(branches: impl Iterator<Item = Box<Domain<'p>>>) -> Box<Domain<'p>> {
    let mut all = no_values(false);
    branches.for_each(|branch| all.join(*branch));
    all
}

/// Returns true if some value of a domain has this field, this item, or any item.
fn leads_on(around: &Domain<'_>, step: Step<'_>) -> bool {
    let has = |kind: Types, length: &Range, count: u64| {
        let most = length.high.as_ref().map(|(most, _)| most.compare(&Number::from(count)));
        around.types.meets(kind) && most.flatten().is_none_or(Ordering::is_ge)
    };
    let (members, items) = (&around.members, &around.list.length);
    match step {
        Step::Name(name) => {
            has(Types::OBJECT, members, 1)
                || index(name).is_some_and(|at| has(Types::LIST, items, (at as u64).saturating_add(1)))
        }
        Step::Each => has(Types::LIST, items, 1),
    }
}

/// Returns true if a JSON value has something at the end of a path.
fn holds(text: &str, step: Step<'_>, rest: &[Step<'_>]) -> bool {
    // Unreadable text may have anything.
    json::read(text.as_bytes(), ReadLimits::DOCUMENT).map_or(true, |tape| reaches(tape.root(), step, rest))
}

fn reaches(value: Node<'_>, step: Step<'_>, rest: &[Step<'_>]) -> bool {
    let goes_on = |value: Node<'_>| rest.split_first().is_none_or(|(step, rest)| reaches(value, *step, rest));
    match step {
        Step::Each => value.items().any(goes_on),
        Step::Name(name) if value.kind() == Kind::Array => {
            index(name).and_then(|at| value.items().nth(at)).is_some_and(goes_on)
        }
        Step::Name(name) => value.member(name).is_some_and(goes_on),
    }
}

/// The index that a name stands for.
fn index(name: &str) -> Option<usize> {
    let is_index = name == "0" || !name.starts_with(['0', '+']);
    name.parse().ok().filter(|_| is_index)
}

impl<'p> Ground<'p> {
    /// The domain at the end of a path.
    pub(in crate::check) fn domain(&self, way: &[Step<'_>]) -> Box<Domain<'p>> {
        self.at(Schema::ROOT, way, 0)
    }

    /// Returns the domain at the end of a path that the schema declares, or a message for humans if no value is possible.
    pub(in crate::check) fn target(&self, way: &[Step<'_>]) -> Result<Box<Domain<'p>>, String> {
        let names: Vec<Option<&str>> = way.iter().map(|step| step.name()).collect();
        let declared = self
            .schema
            .map(|schema| self.with_steps(STEPS_OF_VALUE, |steps| declares(schema, &names, steps)));
        if let Some(Ok(Err(fault))) = declared {
            return Err(fault);
        }
        let domain = self.domain(way);
        if domain.types == Types::NONE {
            return Err("the schema of `inputs` allows no value there".into());
        }
        Ok(domain)
    }

    /// The effective rules of a schema.
    fn rules(&self, spot: SchemaId) -> Vec<RuleView<'p>> {
        let Some(schema) = self.schema else { return Vec::new() };
        let mut rules = schema.rule_views(spot);
        if !self.pay(SPOT + RULE * rules.len()) {
            return Vec::new();
        }
        // Of the rules about fields, only `required` can be ignored.
        rules.retain(|rule| {
            !self.is_cut(*rule) || matches!(rule.constraint(), ValueConstraint::Properties(_))
        });
        rules
    }

    fn is_cut(&self, rule: RuleView<'_>) -> bool {
        self.cuts.contains(&rule.keyword())
    }

    fn here(&self, spot: SchemaId, nesting: usize) -> Box<Domain<'p>> {
        let mut domain = anything(false);
        if nesting > MOST_NESTED {
            return domain;
        }
        for rule in self.rules(spot) {
            self.narrow(&mut domain, rule, nesting);
        }
        domain.settle();
        domain
    }

    #[inline(never)]
    fn narrow(&self, domain: &mut Domain<'p>, rule: RuleView<'p>, nesting: usize) {
        let mut is_leaf = true;
        match rule.constraint() {
            ValueConstraint::Types(types, is_integral) => {
                domain.keep(types);
                if is_integral {
                    domain.range.be_integral();
                }
            }
            ValueConstraint::Values(texts, others) => {
                if self.pay(texts.len() + 8 * others.len()) {
                    domain.meet(&values(texts, &others));
                }
            }
            ValueConstraint::Compares(operator, number) => restrict(&mut domain.range, operator, number),
            ValueConstraint::MultipleOf(number) if number.whole().is_some() => domain.range.be_integral(),
            ValueConstraint::Measures(kind, operator, count) => {
                if let Some(length) = domain.length_mut(kind) {
                    restrict(length, operator, &Number::from(u64::from(count)));
                }
            }
            ValueConstraint::All(spots) => {
                spots.into_iter().for_each(|spot| domain.meet(&self.here(spot, nesting + 1)));
                is_leaf = false;
            }
            ValueConstraint::Any(spots) => {
                domain.meet(&joined(spots.into_iter().map(|spot| self.here(spot, nesting + 1))));
                is_leaf = false;
            }
            ValueConstraint::Properties(names) if self.is_deep && !self.is_cut(rule) => {
                self.require(domain, names, nesting)
            }
            ValueConstraint::Items(first, rest) if self.is_deep => self.fill(domain, first, rest, nesting),
            _ => is_leaf = false,
        }
        if is_leaf {
            self.note(rule.keyword());
        }
    }

    /// Excludes objects if a required field is impossible.
    fn require(&self, domain: &mut Domain<'p>, names: PropertyRules<'p>, nesting: usize) {
        for name in names.required() {
            let spots = self.named(names, name).0;
            let mut member = anything(false);
            spots.into_iter().for_each(|spot| member.meet(&self.here(spot, nesting + 1)));
            if member.types == Types::NONE {
                domain.drop_type(Types::OBJECT);
            }
        }
    }

    /// Excludes lists if a required item is impossible.
    fn fill(&self, domain: &mut Domain<'p>, first: &[SchemaId], rest: Option<SchemaId>, nesting: usize) {
        let least = usize::try_from(domain.list.length.least()).unwrap_or(usize::MAX);
        let rest = rest.filter(|_| least > first.len());
        for spot in first.iter().copied().take(least).chain(rest) {
            if self.here(spot, nesting + 1).types == Types::NONE {
                domain.drop_type(Types::LIST);
            }
        }
    }

    /// The schemas of a field, and true if it is required.
    fn named(&self, names: PropertyRules<'p>, name: &str) -> (Vec<SchemaId>, bool) {
        self.with_steps(STEPS_OF_VALUE, |steps| names.schemas_of(name, steps))
    }

    /// The domain at the end of a path from a value of a schema.
    fn at(&self, spot: SchemaId, way: &[Step<'_>], nesting: usize) -> Box<Domain<'p>> {
        let around = self.here(spot, nesting);
        match way.split_first() {
            Some((step, rest)) if around.types != Types::NONE => {
                self.inside(spot, (*step, rest), &around, nesting)
            }
            _ => around,
        }
    }

    /// The same for a step and the rest of a path, given the domain of the value.
    fn inside(
        &self,
        spot: SchemaId,
        (step, rest): (Step<'_>, &[Step<'_>]),
        around: &Domain<'p>,
        nesting: usize,
    ) -> Box<Domain<'p>> {
        if !leads_on(around, step) {
            return no_values(true);
        }
        // An item under `Each` exists.
        let is_there = matches!(step, Step::Each) && rest.is_empty();
        let mut domain = anything(!is_there);
        if nesting > MOST_NESTED {
            return domain;
        }
        for rule in self.rules(spot) {
            let more = match rule.constraint() {
                ValueConstraint::All(spots) => {
                    let all =
                        spots.into_iter().map(|spot| self.inside(spot, (step, rest), around, nesting + 1));
                    all.for_each(|one| domain.meet(&one));
                    continue;
                }
                ValueConstraint::Any(spots) => joined(spots.into_iter().filter_map(|spot| {
                    let mut here = self.here(spot, nesting + 1);
                    here.meet(around);
                    (here.types != Types::NONE).then(|| self.inside(spot, (step, rest), &here, nesting + 1))
                })),
                ValueConstraint::Values(_, others)
                    if self.pay(others.iter().map(|text| text.len()).sum())
                        && !others.iter().any(|text| holds(text, step, rest)) =>
                {
                    no_values(true)
                }
                ValueConstraint::Properties(names) => {
                    let Step::Name(name) = step else { continue };
                    // An index may refer to a list.
                    let may_be_item = around.types.meets(Types::LIST) && index(name).is_some();
                    if may_be_item || !around.types.meets(Types::OBJECT) {
                        continue;
                    }
                    self.member(rule, (names, name), rest, around, nesting)
                }
                ValueConstraint::Items(first, others) => {
                    match self.item((first, others), step, rest, around, nesting) {
                        Some(item) => item,
                        None => continue,
                    }
                }
                _ => continue,
            };
            domain.meet(&more);
        }
        domain
    }

    /// The domain at the end of a path from a field.
    #[inline(never)]
    fn member(
        &self,
        rule: RuleView<'p>,
        (names, name): (PropertyRules<'p>, &str),
        rest: &[Step<'_>],
        around: &Domain<'p>,
        nesting: usize,
    ) -> Box<Domain<'p>> {
        let (spots, is_required) = self.named(names, name);
        let is_present = is_required && around.types == Types::OBJECT && !self.is_cut(rule);
        let mut member = anything(!(is_present && rest.is_empty()));
        for spot in spots {
            let mut one = self.at(spot, rest, nesting + 1);
            one.unknown |= !is_present;
            member.meet(&one);
        }
        if is_present {
            self.note(rule.keyword());
        }
        member
    }

    #[inline(never)]
    fn item(
        &self,
        (first, others): (&[SchemaId], Option<SchemaId>),
        step: Step<'_>,
        rest: &[Step<'_>],
        around: &Domain<'p>,
        nesting: usize,
    ) -> Option<Box<Domain<'p>>> {
        let of = |spot: Option<SchemaId>| match spot {
            Some(spot) => self.at(spot, rest, nesting + 1),
            None => anything(!rest.is_empty()),
        };
        match step {
            Step::Each => {
                let all = first.iter().copied().map(Some).chain([others]);
                Some(joined(all.map(of)))
            }
            Step::Name(name) => {
                let at = index(name).filter(|_| !around.types.meets(Types::OBJECT))?;
                let mut item = of(first.get(at).copied().or(others));
                let is_present = around.types == Types::LIST && around.list.length.least() > at as u64;
                item.unknown |= !is_present;
                Some(item)
            }
        }
    }

    /// Returns true if every rule allows this value at the end of a path.
    pub(super) fn may_be(&self, way: &[Step<'_>], value: &str) -> bool {
        let Ok(tape) = json::read(value.as_bytes(), ReadLimits::DOCUMENT) else { return true };
        self.takes(Schema::ROOT, way, tape.root(), 0)
    }

    fn takes(&self, spot: SchemaId, way: &[Step<'_>], value: Node<'_>, nesting: usize) -> bool {
        if nesting > MOST_NESTED {
            return true;
        }
        self.rules(spot).into_iter().all(|rule| match (rule.constraint(), way.split_first()) {
            (ValueConstraint::All(spots), _) => {
                spots.into_iter().all(|spot| self.takes(spot, way, value, nesting + 1))
            }
            (ValueConstraint::Any(spots), _) => {
                spots.into_iter().any(|spot| self.takes(spot, way, value, nesting + 1))
            }
            // An index may refer to a list or an object.
            (ValueConstraint::Properties(names), Some((Step::Name(name), rest))) if index(name).is_none() => {
                let spots = self.named(names, name).0;
                spots.into_iter().all(|spot| self.takes(spot, rest, value, nesting + 1))
            }
            (ValueConstraint::Items(first, others), Some((Step::Each, rest))) => {
                let all = first.iter().copied().map(Some).chain([others]);
                all.into_iter().any(|spot| spot.is_none_or(|spot| self.takes(spot, rest, value, nesting + 1)))
            }
            (_, None) if rule.applies_to().meets(Value::from(value).types()) => {
                self.note(rule.keyword());
                self.with_steps(STEPS_OF_VALUE, |steps| rule.may_allow(value, steps))
            }
            _ => true,
        })
    }

    /// Passes every rule at the end of a path to `visit`; among branches, it follows the chosen one.
    pub(super) fn visit(
        &self,
        spot: SchemaId,
        way: &[Step<'_>],
        choice: usize,
        nesting: usize,
        show: &mut dyn FnMut(ValueConstraint<'p>),
    ) {
        if nesting > MOST_NESTED {
            return;
        }
        for rule in self.rules(spot) {
            let spots = match (rule.constraint(), way.split_first()) {
                (ValueConstraint::All(spots), _) => {
                    spots.into_iter().for_each(|spot| self.visit(spot, way, choice, nesting + 1, show));
                    continue;
                }
                (ValueConstraint::Any(spots), _) => {
                    let chosen = choice.checked_rem(spots.len()).and_then(|at| spots.get(at).copied());
                    chosen.into_iter().for_each(|spot| self.visit(spot, way, choice, nesting + 1, show));
                    continue;
                }
                (says, None) => {
                    show(says);
                    continue;
                }
                (ValueConstraint::Properties(names), Some((Step::Name(name), _))) => {
                    self.named(names, name).0
                }
                (ValueConstraint::Items(first, others), Some((step, _))) => {
                    let at = match step {
                        Step::Name(name) => index(name),
                        Step::Each => Some(0),
                    };
                    at.and_then(|at| first.get(at).copied()).or(others).into_iter().collect()
                }
                _ => continue,
            };
            let rest = way.get(1..).unwrap_or_default();
            spots.into_iter().for_each(|spot| self.visit(spot, rest, choice, nesting + 1, show));
        }
    }
}

fn restrict(range: &mut Range, operator: Operator, number: &Number) {
    if let Some(orders) = Orders::new(operator, true) {
        range.compare(orders, number);
    }
}

/// The domain of these values.
#[inline(never)]
fn values<'p>(texts: Vec<&'p str>, others: &[&'p str]) -> Domain<'p> {
    let mut domain = *no_values(false);
    if !texts.is_empty() {
        domain.types = Types::TEXT;
        domain.texts.only = Some(texts);
    }
    domain.truths = [false; 2];
    let mut numbers = Vec::new();
    for other in others {
        let kind = match other.as_bytes().first() {
            Some(b'n') => Types::NULL,
            Some(b't' | b'f') => {
                let is_true = other.starts_with('t');
                let [no, yes] = domain.truths;
                domain.truths = [no || !is_true, yes || is_true];
                Types::BOOL
            }
            Some(b'[') => Types::LIST,
            Some(b'{') => Types::OBJECT,
            _ => {
                numbers.push(Number::read(other));
                Types::NUMBER
            }
        };
        domain.types = domain.types.or(kind);
    }
    domain.range = Range::hull(numbers.iter().map(Range::only)).unwrap_or(Range::ANY);
    domain.range.integral = !numbers.is_empty() && numbers.iter().all(|number| number.whole().is_some());
    domain.numbers = Some(numbers).filter(|numbers| !numbers.is_empty());
    domain
}
