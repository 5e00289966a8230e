//! Model generation: picks a value of each domain.
//!
//! Values are heuristic: each is evaluated before it is reported.

use alloc::{
    boxed::Box,
    string::{String, ToString as _},
    vec::Vec,
};
use core::slice;

use adjudicate_lang::{
    Steps,
    json::{self, Node, OwnedValue},
    logic::{Number, Types, Value},
};

use super::{
    abstract_state::AbstractState,
    candidates::{Samples, fillers, fits, texts_of},
    domain::Domain,
    expected_truth::ExpectedCondition,
    range::Range,
    scope::{Key, VariableScope, comes_to},
    search::find,
    shape::{Member, Presence, Shape},
};

/// The most items of a list in a witness.
pub(super) const MOST_ITEMS: u64 = 64;

/// The highest list index that a witness uses.
const MOST_INDEX: usize = 16;

/// A possible value of a variable.
pub(super) fn value(
    domain: &Domain<'_>,
    scope: VariableScope<'_>,
    key: Key<'_>,
    steps: &mut Steps,
) -> Option<OwnedValue> {
    let types = domain.types;
    if types.meets(Types::TEXT)
        && let Some(text) = text(domain, scope, key, steps)
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
        return Some(OwnedValue::List(items(domain, Samples::NONE, steps)?));
    }
    if types.meets(Types::OBJECT) {
        return Some(default(domain.shape));
    }
    types.meets(Types::NULL).then_some(OwnedValue::Null)
}

/// A number of a range: one of its ends, or zero.
pub(super) fn number(range: &Range) -> Number {
    let inner = |bound: &Option<(Number, bool)>, by: i64| {
        let (number, inclusive) = bound.as_ref()?;
        if *inclusive { Some(number.clone()) } else { number.plus(&Number::from(by)) }
    };
    inner(&range.low, 1).or_else(|| inner(&range.high, -1)).unwrap_or_else(|| beyond(&range.not))
}

/// Returns [`number`] as a JSON value.
#[inline(never)]
pub(super) fn number_value(range: &Range) -> OwnedValue {
    OwnedValue::Number(json::write(&number(range)))
}

/// A number that is not among these.
fn beyond(not: &[Number]) -> Number {
    let sum = not
        .iter()
        .try_fold(Number::ZERO, |sum, number| sum.plus(&number.times(number)?)?.plus(&Number::from(1_i64)));
    sum.unwrap_or(Number::ZERO)
}

/// A count of a range, capped to the most items of a list.
pub(super) fn count(range: &Range) -> u64 {
    range.least().min(MOST_ITEMS)
}

fn text(domain: &Domain<'_>, scope: VariableScope<'_>, key: Key<'_>, steps: &mut Steps) -> Option<String> {
    if let Some(only) = &domain.texts.only {
        return only.first().map(|text| (*text).to_string());
    }
    let mut candidates = texts_of(&domain.tests, steps);
    candidates.extend(["x".into(), "y".into(), String::new()]);
    candidates.into_iter().find(|text| {
        let value = Value::Text(text);
        !domain.texts.not.contains(&&**text)
            && domain.tests.iter().all(|test| comes_to(scope, Some(key), &value, *test, steps))
    })
}

/// Items of a list: the required texts, one for each condition on some item, and fillers.
pub(super) fn items(domain: &Domain<'_>, samples: Samples<'_>, steps: &mut Steps) -> Option<Vec<OwnedValue>> {
    let list = &domain.list;
    let shape = domain.shape.item();
    let mut items: Vec<OwnedValue> = list.has.iter().map(|text| OwnedValue::text(text)).collect();
    let is_free = |items: &[OwnedValue], text: &str| {
        !list.lacks.contains(&text) && !items.iter().any(|item| item.as_str() == Some(text))
    };
    for test in &list.some {
        let tests = [&[*test], &*list.each].concat();
        let texts = if let Samples::Texts([]) = samples { Vec::new() } else { samples.texts(&tests, steps) };
        let mut texts = texts.into_iter();
        let sampled =
            texts.find(|text| !list.lacks.contains(&&**text) && samples.take(text, shape, &tests, steps));
        items.push(match sampled {
            Some(text) => OwnedValue::Text(text),
            None => item(shape, &tests, steps)?,
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
            items.push(item(shape, &list.each, steps)?);
        }
    }
    Some(items)
}

/// An item that meets all of these conditions.
fn item(shape: Shape, tests: &[ExpectedCondition<'_>], steps: &mut Steps) -> Option<OwnedValue> {
    let start = AbstractState::new(VariableScope::Item(shape));
    find(start, tests, &mut Steps::new(steps.left()), &mut |state| {
        make_item(shape, state, steps).filter(|item| is_as_wanted(item, tests, steps))
    })
}

fn make_item(shape: Shape, state: &AbstractState<'_>, steps: &mut Steps) -> Option<OwnedValue> {
    let mut item = default(shape);
    for (key, domain) in &state.variables {
        let Key::Path(path) = key else { continue };
        if domain.types == Types::NONE || (domain.unknown && domain.tests.is_empty()) {
            continue;
        }
        let value = value(domain, state.scope, *key, steps)?;
        put(&mut item, shape, path.segments(), value)?;
    }
    Some(item)
}

/// Returns true if an item meets its conditions. It is serialized and parsed, as in an envelope.
pub(super) fn is_as_wanted(item: &OwnedValue, tests: &[ExpectedCondition<'_>], steps: &mut Steps) -> bool {
    reread(item, |node| fits(&Value::from(node), tests, steps)).unwrap_or(false)
}

/// Serializes and parses a value, and judges the result.
pub(super) fn reread<T>(value: &OwnedValue, judge: impl FnOnce(Node<'_>) -> T) -> Option<T> {
    let text = json::write(value);
    let tape = json::read(text.as_bytes(), json::ReadLimits::DOCUMENT).ok()?;
    Some(judge(tape.root()))
}

/// Stores a value at a path, and creates the containers on the way from their shapes.
pub(super) fn put(tree: &mut OwnedValue, shape: Shape, names: &[Box<str>], value: OwnedValue) -> Option<()> {
    let (mut here, mut shape) = (tree, shape);
    for name in names {
        let inner = shape.lead(slice::from_ref(name)).map_or(Shape::Any, |target| target.shape);
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

/// A default value of a shape, with its required fields.
pub(super) fn default(shape: Shape) -> OwnedValue {
    match shape {
        Shape::Bool => OwnedValue::Bool(false),
        Shape::Count | Shape::Integer | Shape::Number | Shape::Magnitude => OwnedValue::count(0),
        Shape::Text | Shape::Id | Shape::Path | Shape::Class | Shape::Any | Shape::Notes => {
            OwnedValue::text("x")
        }
        Shape::Schema | Shape::Condition => OwnedValue::Bool(true),
        Shape::Words(words) => OwnedValue::text(words.first().copied().unwrap_or_default()),
        Shape::List(_) => OwnedValue::List(Vec::new()),
        Shape::Map(_) => OwnedValue::Object(Vec::new()),
        Shape::Object(members) | Shape::Open(members) => {
            let needed = |member: &&Member| member.presence == Presence::Always;
            let members = members.iter().filter(needed);
            OwnedValue::Object(members.map(|member| (member.name.into(), default(member.shape))).collect())
        }
        Shape::Either(shapes) => default(shapes.first().copied().unwrap_or(Shape::Any)),
        Shape::Recursive(_, shape) => default(shape()),
        Shape::Tagged(tag, variants) => {
            let tagged =
                variants.first().map(|variant| (variant.name, default(Shape::Object(variant.members))));
            let (name, mut object) = tagged.unwrap_or_else(|| ("", OwnedValue::Object(Vec::new())));
            if let OwnedValue::Object(members) = &mut object {
                members.insert(0, (tag.into(), OwnedValue::text(name)));
            }
            object
        }
    }
}
