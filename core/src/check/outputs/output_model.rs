//! Generates an output from an abstract state.
//!
//! Outputs are heuristic: each is validated before it is reported, and dropped if it is not valid.

use alloc::{
    boxed::Box,
    string::{String, ToString as _},
    vec::Vec,
};

use adjudicate_lang::{
    Steps,
    json::{self, Node, OwnedValue},
    logic::{Number, Types, Value},
    schema::{Schema, ValueConstraint},
};

use super::{Outputs, Step, settle};
use crate::check::{
    abstract_state::AbstractState,
    candidates::{regex_example, texts_of},
    domain::Domain,
    expected_truth::ExpectedCondition,
    model_values::{MOST_ITEMS, is_as_wanted, number, reread},
    scope::{Key, VariableScope, comes_to},
    search::find,
};

/// The most levels of nesting in a generated output.
const MOST_NESTED: usize = 12;
/// The highest list index, and the most characters of a text.
const MOST_INDEX: usize = 16;
const MOST_CHARACTERS: u64 = 4_096;
/// The most values that are tried for one list.
const MOST_LISTED: usize = 16;
/// The most required fields of an object.
const MOST_REQUIRED: usize = 256;
/// The cost of a value, and of a field of it.
const VALUE: usize = 256;

/// An output or item for one abstract state. Another `choice` gives another value, if there is one.
pub(in crate::check) fn output(
    state: &AbstractState<'_>,
    choice: usize,
    steps: &mut Steps,
) -> Option<OwnedValue> {
    let (scope, outputs) = (state.scope, state.scope.outputs()?);
    let mut model = OutputModel { scope, outputs, choice, steps };
    let mut tree = model.sample(&outputs.way(&[]), 0)?;
    for (place, (key, domain)) in state.variables.iter().enumerate() {
        let Key::Path(path) = key else { continue };
        let Some(names) = scope.names(path) else { continue };
        // A value that may be absent is left out, except where an output must pass a test on it.
        let may_be_absent = domain.unknown && (domain.tests.is_empty() || state.policy().is_some());
        if domain.types == Types::NONE || may_be_absent {
            continue;
        }
        let value = model.value(*key, domain, path.segments(), place)?;
        model.put(&mut tree, names, value)?;
    }
    Some(tree)
}

struct OutputModel<'p, 's> {
    scope: VariableScope<'p>,
    outputs: Outputs<'p>,
    choice: usize,
    steps: &'s mut Steps,
}

/// The keywords of a schema from which values are generated.
#[derive(Default)]
struct SchemaKeywords<'p> {
    required: Vec<&'p str>,
    /// True if more fields are required than are considered.
    has_more: bool,
    patterns: Vec<&'p str>,
    multiples: Vec<&'p Number>,
    containers: Vec<&'p str>,
}

impl<'p> OutputModel<'p, '_> {
    fn hints(&self, way: &[Step<'_>]) -> SchemaKeywords<'p> {
        let mut hints = SchemaKeywords::default();
        self.outputs.ground().visit(Schema::ROOT, way, self.choice, 0, &mut |says| match says {
            ValueConstraint::Properties(names) => {
                let mut names = names.required();
                for name in names.by_ref().take(MOST_REQUIRED) {
                    if !hints.required.contains(&name) {
                        hints.required.push(name);
                    }
                }
                hints.has_more |= names.next().is_some();
            }
            ValueConstraint::Pattern(pattern) => hints.patterns.push(pattern),
            ValueConstraint::MultipleOf(number) => hints.multiples.push(number),
            ValueConstraint::Values(_, others) => {
                hints.containers.extend(others.into_iter().filter(|other| other.starts_with(['[', '{'])));
            }
            _ => {}
        });
        hints
    }

    /// A value that the schema allows, with its required parts.
    fn sample(&mut self, way: &[Step<'_>], nesting: usize) -> Option<OwnedValue> {
        if nesting > MOST_NESTED || self.steps.spend(VALUE).is_err() {
            return None;
        }
        let ground = self.outputs.ground();
        let (domain, hints) = (ground.domain(way), self.hints(way));
        if hints.has_more || self.steps.spend(VALUE * hints.required.len()).is_err() {
            return None;
        }
        let may_be = |value: &OwnedValue| ground.may_be(way, &json::write(value));
        let listed =
            hints.containers.iter().take(MOST_LISTED).map(|container| OwnedValue::from_json(container));
        // Without any restriction, an output is an object, and a value inside it a text.
        let is_free = domain.types == Types::ANY && nesting > 0;
        let scalars = |model: &mut Self| model.scalars(&domain, &hints, Vec::new()).into_iter().find(may_be);
        listed
            .into_iter()
            .find(may_be)
            .or_else(|| if is_free { scalars(self) } else { None })
            .or_else(|| self.container(way, &domain, &hints, nesting).filter(may_be))
            .or_else(|| scalars(self))
            // Values added later may make it valid.
            .or_else(|| self.container(way, &domain, &hints, nesting))
    }

    /// An object or a list with its required parts.
    fn container(
        &mut self,
        way: &[Step<'_>],
        domain: &Domain<'p>,
        hints: &SchemaKeywords<'p>,
        nesting: usize,
    ) -> Option<OwnedValue> {
        if domain.types.meets(Types::OBJECT) {
            let members = hints.required.iter().map(|name| {
                let member = self.sample(&[way, &[Step::Name(name)]].concat(), nesting + 1)?;
                Some((String::from(*name), member))
            });
            return members.collect::<Option<_>>().map(OwnedValue::Object);
        }
        let items = domain.types.meets(Types::LIST).then(|| 0..domain.list.length.least().min(MOST_ITEMS))?;
        let items = items.map(|at| self.sample(&[way, &[Step::Name(&at.to_string())]].concat(), nesting + 1));
        items.collect::<Option<_>>().map(OwnedValue::List)
    }

    /// Candidate values that are no containers.
    fn scalars(
        &self,
        domain: &Domain<'p>,
        hints: &SchemaKeywords<'p>,
        mut texts: Vec<String>,
    ) -> Vec<OwnedValue> {
        let mut values = Vec::new();
        if domain.types.meets(Types::TEXT) {
            match &domain.texts.only {
                Some(only) => {
                    values.extend(only.iter().take(MOST_LISTED).map(|text| OwnedValue::text(text)));
                }
                None => {
                    texts.extend(hints.patterns.iter().map(|pattern| regex_example(pattern)));
                    texts.extend(["x".into(), "y".into(), String::new()]);
                    let least = domain.texts.length.least().min(MOST_CHARACTERS);
                    for text in texts {
                        let missing = (least as usize).saturating_sub(text.chars().count());
                        values.push(OwnedValue::Text(text + &"x".repeat(missing)));
                    }
                }
            }
        }
        if domain.types.meets(Types::NUMBER) {
            let numbers = match &domain.numbers {
                Some(numbers) => numbers.iter().take(MOST_LISTED).cloned().collect(),
                None => numbers(domain, hints),
            };
            values.extend(numbers.iter().map(|number| OwnedValue::Number(json::write(number))));
        }
        if domain.types.meets(Types::BOOL) {
            values.extend([true, false].map(OwnedValue::Bool));
        }
        if domain.types.meets(Types::NULL) {
            values.push(OwnedValue::Null);
        }
        values
    }

    /// A value that meets all conditions on a variable.
    fn value(
        &mut self,
        key: Key<'p>,
        domain: &Domain<'p>,
        path: &'p [Box<str>],
        place: usize,
    ) -> Option<OwnedValue> {
        let way = self.outputs.way(path);
        let texts = texts_of(&domain.tests, self.steps);
        let mut values = self.scalars(domain, &self.hints(&way), texts);
        let scope = self.scope;
        values.retain(|value| {
            let is_fit = |node: Node<'_>| {
                let value = Value::from(node);
                scope.may_be(Some(key), &value)
                    && domain.tests.iter().all(|test| comes_to(scope, Some(key), &value, *test, self.steps))
            };
            reread(value, is_fit).unwrap_or(false)
        });
        // Other choices matter for variables that are compared with each other.
        let at = self.choice.wrapping_mul(place + 1).checked_rem(values.len());
        if let Some(at) = at {
            return Some(values.swap_remove(at));
        }
        if domain.types.meets(Types::LIST) {
            return self.list(key, domain, &way);
        }
        self.sample(&way, 1)
    }

    /// A list that meets its conditions on items.
    fn list(&mut self, key: Key<'p>, domain: &Domain<'p>, way: &[Step<'_>]) -> Option<OwnedValue> {
        let list = &domain.list;
        let each: Vec<Step<'_>> = way.iter().copied().chain([Step::Each]).collect();
        let items_of = self.scope.items(key, domain.shape);
        let mut items: Vec<OwnedValue> = list.has.iter().map(|text| OwnedValue::text(text)).collect();
        for test in &list.some {
            items.push(self.item(items_of, &[&[*test], &*list.each].concat())?);
        }
        let wanted = list.length.least().min(MOST_ITEMS);
        while (items.len() as u64) < wanted {
            items.push(match list.each.is_empty() {
                true => self.sample(&each, 1)?,
                false => self.item(items_of, &list.each)?,
            });
        }
        Some(OwnedValue::List(items))
    }

    /// An item that meets all of these conditions.
    fn item(&mut self, scope: VariableScope<'p>, tests: &[ExpectedCondition<'p>]) -> Option<OwnedValue> {
        let mut budget = Steps::new(self.steps.left());
        let item = find(AbstractState::new(scope), tests, &mut budget, &mut |state| {
            output(state, self.choice, self.steps).filter(|item| is_as_wanted(item, tests, self.steps))
        });
        settle(self.steps, &budget);
        item
    }

    /// Stores a value at a path, and creates the containers on the way from the schema.
    fn put(&mut self, tree: &mut OwnedValue, names: &'p [Box<str>], value: OwnedValue) -> Option<()> {
        let base = self.outputs.way(&[]);
        let mut here = tree;
        for (place, name) in names.iter().enumerate() {
            let mut way = base.clone();
            way.extend(names.iter().take(place).map(|name| Step::Name(name)));
            if let OwnedValue::List(items) = here {
                let index: usize = name.parse().ok().filter(|index| *index < MOST_INDEX)?;
                way.push(Step::Each);
                while items.len() <= index {
                    items.push(self.sample(&way, 1)?);
                }
                here = items.get_mut(index)?;
                continue;
            }
            let is_new = here.lookup(name).is_none();
            here = here.at(&[&**name])?;
            if is_new && place + 1 < names.len() {
                way.push(Step::Name(name));
                *here = self.around(&way)?;
            }
        }
        *here = value;
        Some(())
    }

    /// The container of a value; an object if the schema does not restrict it.
    fn around(&mut self, way: &[Step<'_>]) -> Option<OwnedValue> {
        let domain = self.outputs.ground().domain(way);
        if domain.types == Types::ANY { Some(OwnedValue::Object(Vec::new())) } else { self.sample(way, 1) }
    }
}

/// Numbers of a range: its ends, the middle, and the multiples that the schema requires.
fn numbers(domain: &Domain<'_>, hints: &SchemaKeywords<'_>) -> Vec<Number> {
    let range = &domain.range;
    let first = number(range);
    let mut numbers = Vec::from([first.clone()]);
    let half = Number::read("0.5");
    if let (Some((low, _)), Some((high, _))) = (&range.low, &range.high) {
        numbers.push(high.clone());
        numbers.extend(low.plus(high).and_then(|sum| sum.times(&half)));
    }
    for bound in [&range.low, &range.high].into_iter().flatten() {
        numbers.extend(bound.0.plus(&Number::from(1_i64)));
        numbers.extend(bound.0.minus(&Number::from(1_i64)));
    }
    for multiple in &hints.multiples {
        let below = first.remainder(multiple).and_then(|rest| first.minus(&rest));
        numbers.extend(below.iter().cloned());
        numbers.extend(below.as_ref().and_then(|below| below.plus(multiple)));
        numbers.extend(below.as_ref().and_then(|below| below.minus(multiple)));
    }
    // For variables that are compared with others.
    numbers.extend([0_i64, 1, -1, 100, -100].map(Number::from));
    numbers.retain(|number| range.has(number));
    numbers
}
