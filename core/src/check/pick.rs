//! Values for variables: one of those that a domain leaves.
//!
//! Nothing here is proven. What is picked is evaluated before anyone is told.

use alloc::{
    boxed::Box,
    string::{String, ToString as _},
    vec::Vec,
};

use adjudicate_lang::{
    Steps,
    json::{self, OwnedValue},
    logic::{Number, Types, Value},
};

use super::{
    candidates::{Samples, fillers, texts_of},
    domain::Domain,
    env::Env,
    range::Range,
    search::search,
    shape::{Member, Presence, Shape},
    want::Test,
    world::{Key, World, admits, comes_to},
};

/// How many items a list of a witness has at most.
pub(super) const MOST_ITEMS: u64 = 64;

/// How far into a list a witness goes.
const MOST_INDEX: usize = 16;

/// A value that a variable may have.
pub(super) fn value(
    domain: &Domain<'_>,
    world: World<'_>,
    key: Key<'_>,
    steps: &mut Steps,
) -> Option<OwnedValue> {
    let types = domain.types;
    if types.meets(Types::TEXT)
        && let Some(text) = text(domain, world, key, steps)
    {
        return Some(OwnedValue::Text(text));
    }
    if types.meets(Types::NUMBER) {
        return Some(number_value(&domain.range));
    }
    if types.meets(Types::BOOL) {
        return Some(OwnedValue::Bool(domain.truths == [false, true]));
    }
    if types.meets(Types::LIST) {
        return Some(OwnedValue::List(items(domain, Samples::default(), steps)?));
    }
    if types.meets(Types::OBJECT) {
        return Some(default(domain.shape));
    }
    types.meets(Types::NULL).then_some(OwnedValue::Null)
}

/// A number of a range: an end of it, or zero.
pub(super) fn number(range: &Range) -> Number {
    let inner = |bound: &Option<(Number, bool)>, by: i64| {
        let (number, inclusive) = bound.as_ref()?;
        if *inclusive { Some(number.clone()) } else { number.plus(&Number::from(by)) }
    };
    inner(&range.low, 1).or_else(|| inner(&range.high, -1)).unwrap_or_else(|| beyond(&range.not))
}

/// The same, as a value.
#[inline(never)]
pub(super) fn number_value(range: &Range) -> OwnedValue {
    OwnedValue::Number(json::write(&number(range)))
}

/// A number that is none of these.
fn beyond(not: &[Number]) -> Number {
    let sum = not
        .iter()
        .try_fold(Number::ZERO, |sum, number| sum.plus(&number.times(number)?)?.plus(&Number::from(1_i64)));
    sum.unwrap_or(Number::ZERO)
}

/// A count of a range, if it is small enough for a list.
pub(super) fn count(range: &Range) -> u64 {
    range.least().min(MOST_ITEMS)
}

fn text(domain: &Domain<'_>, world: World<'_>, key: Key<'_>, steps: &mut Steps) -> Option<String> {
    if let Some(only) = &domain.texts.only {
        return only.first().map(|text| (*text).to_string());
    }
    let mut candidates = Vec::new();
    for (part, _) in &domain.tests {
        texts_of(*part, &mut candidates, steps);
    }
    candidates.extend(["x".into(), "y".into(), String::new()]);
    candidates.into_iter().find(|text| {
        let value = Value::Text(text);
        !domain.texts.not.contains(&&**text)
            && domain.tests.iter().all(|test| comes_to(world, key, &value, *test, steps))
    })
}

/// Items of a list: those that it has, one for each that it is to have, and as many more as it takes.
pub(super) fn items(domain: &Domain<'_>, samples: Samples<'_>, steps: &mut Steps) -> Option<Vec<OwnedValue>> {
    let list = &domain.list;
    let shape = domain.shape.item();
    let mut items: Vec<OwnedValue> = list.has.iter().map(|text| OwnedValue::text(text)).collect();
    let is_free = |items: &[OwnedValue], text: &str| {
        !list.lacks.contains(&text) && !items.iter().any(|item| item.as_str() == Some(text))
    };
    for test in &list.some {
        let tests: Vec<Test<'_>> = [*test].into_iter().chain(list.each.iter().copied()).collect();
        let texts = if samples.texts.is_empty() { Vec::new() } else { samples.texts(&tests, steps) };
        let mut texts = texts.into_iter();
        let sampled =
            texts.find(|text| !list.lacks.contains(&&**text) && samples.take(text, shape, &tests, steps));
        items.push(match sampled {
            Some(text) => OwnedValue::Text(text),
            None => item(shape, tests, steps)?,
        });
    }
    let wanted = count(&list.length);
    for text in fillers(&list.each, samples, "item-", steps) {
        if items.len() as u64 >= wanted {
            break;
        }
        if let Shape::Text | Shape::Path | Shape::Class | Shape::Any = shape {
            if is_free(&items, &text) && samples.take(&text, shape, &list.each, steps) {
                items.push(OwnedValue::Text(text));
            }
        } else {
            items.push(item(shape, list.each.clone(), steps)?);
        }
    }
    Some(items)
}

/// An item for which all of these come to what is wanted.
fn item(shape: Shape, goals: Vec<Test<'_>>, steps: &mut Steps) -> Option<OwnedValue> {
    let mut picked = None;
    let tests = goals.clone();
    let mut trials = 0;
    let mut budget = Steps::new(steps.left());
    search(Env::new(World::Item(shape)), goals, &mut budget, &mut |env| {
        trials += 1;
        picked = make_item(shape, env, steps).filter(|item| is_as_wanted(item, &tests, steps));
        picked.is_some() || trials > 4
    });
    picked
}

fn make_item(shape: Shape, env: &Env<'_>, steps: &mut Steps) -> Option<OwnedValue> {
    let mut item = default(shape);
    for (key, domain) in &env.variables {
        let Key::Path(path) = key else { continue };
        if domain.types == Types::NONE || (domain.unknown && domain.tests.is_empty()) {
            continue;
        }
        let value = value(domain, env.world, *key, steps)?;
        put(&mut item, shape, path.segments(), value)?;
    }
    Some(item)
}

/// Whether tests of an item come to what is wanted: it is written and read, as an envelope would be.
pub(super) fn is_as_wanted(item: &OwnedValue, tests: &[Test<'_>], steps: &mut Steps) -> bool {
    let text = json::write(item);
    let Ok(tape) = json::read(text.as_bytes(), json::Limits::DOCUMENT) else { return false };
    let value = Value::from(tape.root());
    tests.iter().all(|(body, want)| admits(body.holds(&value, steps), *want))
}

/// Puts a value where some names lead to; what is around it comes to be as its shape says.
pub(super) fn put(tree: &mut OwnedValue, shape: Shape, names: &[Box<str>], value: OwnedValue) -> Option<()> {
    let (mut here, mut shape) = (tree, shape);
    for name in names {
        let inner = match shape {
            Shape::Object(members) | Shape::Open(members) => {
                let member = members.iter().find(|member| member.name == &**name);
                member.map_or(Shape::Any, |member| member.shape)
            }
            Shape::Map(value) => *value,
            other => other.item(),
        };
        here = if let Shape::List(_) | Shape::Notes = shape {
            here.item(name.parse().ok().filter(|index| *index < MOST_INDEX)?, &default(inner))?
        } else {
            here.at(&[&**name])?
        };
        if here.is_null() {
            *here = default(inner);
        }
        shape = inner;
    }
    *here = value;
    Some(())
}

/// A value of a shape, with what it must have.
pub(super) fn default(shape: Shape) -> OwnedValue {
    match shape {
        Shape::Bool => OwnedValue::Bool(false),
        Shape::Count | Shape::Integer => OwnedValue::count(0),
        Shape::Text | Shape::Path | Shape::Class | Shape::Any | Shape::Notes => OwnedValue::text("x"),
        Shape::Words(words) => OwnedValue::text(words.first().copied().unwrap_or_default()),
        Shape::List(_) => OwnedValue::List(Vec::new()),
        Shape::Map(_) => OwnedValue::Object(Vec::new()),
        Shape::Object(members) | Shape::Open(members) => {
            let needed = |member: &&Member| member.presence == Presence::Always;
            let members = members.iter().filter(needed);
            OwnedValue::Object(members.map(|member| (member.name.into(), default(member.shape))).collect())
        }
    }
}
