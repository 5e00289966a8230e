//! Outputs in which variables have values that a search leaves them.
//!
//! Nothing here is proven. What is made is validated before anyone is told, and where it is not valid, it is dropped.

use alloc::{
    boxed::Box,
    string::{String, ToString as _},
    vec::Vec,
};
use core::cmp::Ordering;

use adjudicate_lang::{
    Steps,
    json::{self, OwnedValue},
    logic::{Number, Types, Value},
    schema::{Says, Schema},
};

use super::{Outputs, Step, TRIALS, settle};
use crate::check::{
    candidates::{of_regex, texts_of},
    domain::Domain,
    env::Env,
    pick::{MOST_ITEMS, is_as_wanted, number},
    search::search,
    want::Test,
    world::{Key, World, comes_to},
};

/// How deep an output is made.
const MOST_NESTED: usize = 12;
/// How far into a list, and how long a text is made.
const MOST_INDEX: usize = 16;
const MOST_CHARACTERS: u64 = 4_096;
/// How many values of one list are tried.
const MOST_LISTED: usize = 16;
/// How many members an object has at most that it must have.
const MOST_REQUIRED: usize = 256;
/// What it costs to make a value, and a member of it.
const VALUE: usize = 256;

/// An output, or an item, for one way in which things could be; another one for another choice, where there is one.
pub(super) fn output(env: &Env<'_>, choice: usize, steps: &mut Steps) -> Option<OwnedValue> {
    let World::Output(outputs) = env.world else { return None };
    let mut draft = Draft { outputs, choice, steps };
    let mut tree = draft.sample(&outputs.way(&[]), 0)?;
    for (place, (key, domain)) in env.variables.iter().enumerate() {
        let Key::Path(path) = key else { continue };
        // What may be absent is left out, unless something is asked of it.
        if domain.types == Types::NONE || (domain.unknown && domain.tests.is_empty()) {
            continue;
        }
        let value = draft.value(*key, domain, path.segments(), place)?;
        draft.put(&mut tree, path.segments(), value)?;
    }
    Some(tree)
}

/// What is being made.
struct Draft<'p, 's> {
    outputs: Outputs<'p>,
    choice: usize,
    steps: &'s mut Steps,
}

/// What a schema says at a place that values are made of.
#[derive(Default)]
struct Hints<'p> {
    required: Vec<&'p str>,
    /// Whether more are required than are looked at.
    has_more: bool,
    patterns: Vec<&'p str>,
    multiples: Vec<&'p Number>,
    containers: Vec<&'p str>,
}

impl<'p> Draft<'p, '_> {
    fn hints(&self, way: &[Step<'_>]) -> Hints<'p> {
        let mut hints = Hints::default();
        self.outputs.ground().visit(Schema::ROOT, way, self.choice, 0, &mut |says| match says {
            Says::Members(names) => {
                let mut names = names.required();
                for name in names.by_ref().take(MOST_REQUIRED) {
                    if !hints.required.contains(&name) {
                        hints.required.push(name);
                    }
                }
                hints.has_more |= names.next().is_some();
            }
            Says::Pattern(pattern) => hints.patterns.push(pattern),
            Says::MultipleOf(number) => hints.multiples.push(number),
            Says::Values(_, others) => {
                hints.containers.extend(others.into_iter().filter(|other| other.starts_with(['[', '{'])));
            }
            _ => {}
        });
        hints
    }

    /// A value that the schema allows at a place, with what it must have.
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
            hints.containers.iter().take(MOST_LISTED).map(|container| OwnedValue::of_json(container));
        // Where anything does, an output is an object, and what is in it a text.
        let is_free = domain.types == Types::ANY && nesting > 0;
        let scalars =
            |draft: &mut Self| draft.scalars(&domain, &hints, &mut Vec::new()).into_iter().find(may_be);
        listed
            .into_iter()
            .find(may_be)
            .or_else(|| if is_free { scalars(self) } else { None })
            .or_else(|| self.container(way, &domain, &hints, nesting).filter(may_be))
            .or_else(|| scalars(self))
            // What is put into it later may make it do.
            .or_else(|| self.container(way, &domain, &hints, nesting))
    }

    /// An object or a list with what it must have.
    fn container(
        &mut self,
        way: &[Step<'_>],
        domain: &Domain<'p>,
        hints: &Hints<'p>,
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

    /// Values that are no containers, and may do.
    fn scalars(
        &mut self,
        domain: &Domain<'p>,
        hints: &Hints<'p>,
        texts: &mut Vec<String>,
    ) -> Vec<OwnedValue> {
        let mut values = Vec::new();
        if domain.types.meets(Types::TEXT) {
            match &domain.texts.only {
                Some(only) => {
                    values.extend(only.iter().take(MOST_LISTED).map(|text| OwnedValue::text(text)));
                }
                None => {
                    texts.extend(hints.patterns.iter().map(|pattern| of_regex(pattern)));
                    texts.extend(["x".into(), "y".into(), String::new()]);
                    let least = domain.texts.length.least().min(MOST_CHARACTERS);
                    for text in texts {
                        let missing = (least as usize).saturating_sub(text.chars().count());
                        text.push_str(&"x".repeat(missing));
                        values.push(OwnedValue::text(text));
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

    /// A value for a variable: one for which all that is asked of it alone comes to what is wanted.
    fn value(
        &mut self,
        key: Key<'p>,
        domain: &Domain<'p>,
        path: &'p [Box<str>],
        place: usize,
    ) -> Option<OwnedValue> {
        let way = self.outputs.way(path);
        let mut texts = Vec::new();
        for (part, _) in &domain.tests {
            texts_of(*part, &mut texts, self.steps);
        }
        let hints = self.hints(&way);
        let mut values = self.scalars(domain, &hints, &mut texts);
        let world = World::Output(self.outputs);
        values.retain(|value| {
            let text = json::write(value);
            let Ok(tape) = json::read(text.as_bytes(), json::Limits::DOCUMENT) else { return false };
            let value = Value::from(tape.root());
            world.may_be(Some(key), &value)
                && domain.tests.iter().all(|test| comes_to(world, key, &value, *test, self.steps))
        });
        // Other choices are for variables that are compared with each other.
        let at = self.choice.wrapping_mul(place + 1).checked_rem(values.len());
        if let Some(at) = at {
            return Some(values.swap_remove(at));
        }
        if domain.types.meets(Types::LIST) {
            return self.list(key, domain, &way);
        }
        self.sample(&way, 1)
    }

    /// A list with the items that it is to have.
    fn list(&mut self, key: Key<'p>, domain: &Domain<'p>, way: &[Step<'_>]) -> Option<OwnedValue> {
        let list = &domain.list;
        let each: Vec<Step<'_>> = way.iter().copied().chain([Step::Each]).collect();
        let items_of = World::Output(self.outputs).items(key, domain.shape);
        let mut items: Vec<OwnedValue> = list.has.iter().map(|text| OwnedValue::text(text)).collect();
        for test in &list.some {
            let tests = [*test].into_iter().chain(list.each.iter().copied()).collect();
            items.push(self.item(items_of, tests)?);
        }
        let wanted = list.length.least().min(MOST_ITEMS);
        while (items.len() as u64) < wanted {
            items.push(match list.each.is_empty() {
                true => self.sample(&each, 1)?,
                false => self.item(items_of, list.each.clone())?,
            });
        }
        Some(OwnedValue::List(items))
    }

    /// An item for which all of these come to what is wanted.
    fn item(&mut self, world: World<'p>, tests: Vec<Test<'p>>) -> Option<OwnedValue> {
        let mut picked = None;
        let mut trials = 0;
        let mut budget = Steps::new(self.steps.left());
        search(Env::new(world), tests.clone(), &mut budget, &mut |env| {
            trials += 1;
            picked =
                output(env, self.choice, self.steps).filter(|item| is_as_wanted(item, &tests, self.steps));
            picked.is_some() || trials >= TRIALS
        });
        settle(self.steps, &budget);
        picked
    }

    /// Puts a value where some names lead to; what is around it comes to be as the schema says.
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

    /// What a value stands in: an object, where that is not known.
    fn around(&mut self, way: &[Step<'_>]) -> Option<OwnedValue> {
        let domain = self.outputs.ground().domain(way);
        if domain.types == Types::ANY { Some(OwnedValue::Object(Vec::new())) } else { self.sample(way, 1) }
    }
}

/// Numbers of a range: its ends, the middle, and multiples of what they must be multiples of.
fn numbers(domain: &Domain<'_>, hints: &Hints<'_>) -> Vec<Number> {
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
    // For those that are compared with others.
    numbers.extend([0_i64, 1, -1, 100, -100].map(Number::from));
    numbers.retain(|number| {
        range.has(number) && !range.not.iter().any(|not| not.compare(number) == Some(Ordering::Equal))
    });
    numbers
}
