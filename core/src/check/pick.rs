//! Values for variables: one of those that a domain leaves.
//!
//! Nothing here is proven. What is picked is evaluated before anyone is told.

use alloc::{
    boxed::Box,
    format,
    string::{String, ToString as _},
    vec::Vec,
};

use super::{
    domain::{Domain, Test},
    env::{Env, Key, World, admits},
    range::Range,
    search::search,
    shape::{Member, Presence, Shape},
    tree::Tree,
};
use crate::{
    json,
    logic::{Expression, Number, Operator, Types, Value},
    steps::Steps,
};

/// How many items a list of a witness has at most.
pub(super) const MOST_ITEMS: u64 = 64;

/// How far into a list a witness goes.
const MOST_INDEX: usize = 16;

/// A value that a variable may have.
pub(super) fn value(domain: &Domain<'_>, world: World<'_>, key: Key<'_>, steps: &mut Steps) -> Option<Tree> {
    let types = domain.types;
    if types.meets(Types::TEXT)
        && let Some(text) = text(domain, world, key, steps)
    {
        return Some(Tree::Text(text));
    }
    if types.meets(Types::NUMBER) {
        return Some(Tree::Number(number(&domain.range)));
    }
    if types.meets(Types::BOOL) {
        return Some(Tree::Bool(domain.truths == [false, true]));
    }
    if types.meets(Types::LIST) {
        return Some(Tree::List(items(domain, &[], steps)?));
    }
    if types.meets(Types::OBJECT) {
        return Some(default(domain.shape));
    }
    types.meets(Types::NULL).then_some(Tree::Null)
}

/// A number of a range: an end of it, or zero.
pub(super) fn number(range: &Range) -> Number {
    let inner = |bound: &Option<(Number, bool)>, by: i64| {
        let (number, inclusive) = bound.as_ref()?;
        if *inclusive { Some(number.clone()) } else { number.plus(&Number::from(by)) }
    };
    inner(&range.low, 1).or_else(|| inner(&range.high, -1)).unwrap_or_else(|| beyond(&range.not))
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
        texts_of(*part, &mut candidates);
    }
    candidates.extend(["x".into(), "y".into(), String::new()]);
    candidates.into_iter().find(|text| {
        let value = Value::Text(text);
        !domain.texts.not.contains(&&**text)
            && domain.tests.iter().all(|test| super::env::comes_to(world, key, &value, *test, steps))
    })
}

/// Texts that a part of a condition may be about: its constants, and what fits its patterns.
pub(super) fn texts_of(part: Expression<'_>, texts: &mut Vec<String>) {
    let mut pending = Vec::from([part]);
    while let Some(part) = pending.pop() {
        for constant in part.operands().filter_map(Expression::constant) {
            let items = constant.items().into_iter().flatten();
            for item in items.chain([constant.clone()]) {
                let Some(text) = item.as_text() else { continue };
                match part.operator() {
                    Some(Operator::Glob) => texts.push(of_glob(text)),
                    Some(Operator::Regex) => texts.extend(of_regex(text)),
                    Some(Operator::StartsWith) => texts.extend([format!("{text}x"), text.into()]),
                    Some(Operator::EndsWith) => texts.extend([format!("x{text}"), text.into()]),
                    Some(Operator::Less | Operator::AtMost | Operator::Greater | Operator::AtLeast) => {
                        texts.extend([text.into(), format!("{text}x")]);
                    }
                    _ => texts.push(text.into()),
                }
            }
        }
        pending.extend(part.operands());
    }
}

/// A path that a glob matches.
pub(super) fn of_glob(pattern: &str) -> String {
    let mut path = String::new();
    // Of alternatives in braces, the first.
    let mut depth = 0_usize;
    let mut is_first = Vec::from([true]);
    for character in pattern.chars() {
        match character {
            '{' => {
                depth += 1;
                is_first.push(is_first.iter().all(|first| *first));
            }
            '}' if depth > 0 => {
                depth -= 1;
                is_first.pop();
            }
            ',' if depth > 0 => {
                if let Some(first) = is_first.last_mut() {
                    *first = false;
                }
            }
            '*' if path.ends_with('x') => {}
            '*' | '?' if is_first.iter().all(|first| *first) => path.push('x'),
            other if is_first.iter().all(|first| *first) => path.push(other),
            _ => {}
        }
    }
    path
}

/// Texts in which a simple regular expression may be found: its literals, with a letter or a digit for its classes.
fn of_regex(pattern: &str) -> Vec<String> {
    let mut literal = String::new();
    let mut characters = pattern.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('d') => literal.push('1'),
                Some('w') => literal.push('x'),
                Some('s') => literal.push(' '),
                Some('b' | 'B') | None => {}
                Some(other) => literal.push(other),
            },
            '[' => {
                let first = characters.next();
                literal.extend(first.filter(|first| *first != '^'));
                for inside in characters.by_ref() {
                    if inside == ']' {
                        break;
                    }
                }
            }
            '{' => {
                for inside in characters.by_ref() {
                    if inside == '}' {
                        break;
                    }
                }
            }
            '|' => break,
            '.' => literal.push('x'),
            '^' | '$' | '*' | '+' | '?' | '(' | ')' => {}
            other => literal.push(other),
        }
    }
    Vec::from([literal, pattern.into()])
}

/// Items of a list: those that it has, one for each that it is to have, and as many more as it takes. `samples` are
/// preferred for those.
pub(super) fn items(domain: &Domain<'_>, samples: &[&str], steps: &mut Steps) -> Option<Vec<Tree>> {
    let list = &domain.list;
    let shape = domain.shape.item();
    let mut items: Vec<Tree> = list.has.iter().map(|text| Tree::from(*text)).collect();
    for test in &list.some {
        let found = item(shape, [*test].into_iter().chain(list.each.iter().copied()).collect(), steps)?;
        items.push(found);
    }
    let wanted = count(&list.length);
    for text in fillers(&list.each, samples, "item-") {
        if items.len() as u64 >= wanted {
            break;
        }
        if let Shape::Text | Shape::Any = shape {
            let is_free = !list.lacks.contains(&&*text) && !items.iter().any(|item| item.is_text(&text));
            if is_free && fits(&text, &list.each, steps) {
                items.push(Tree::Text(text));
            }
        } else {
            items.push(item(shape, list.each.clone(), steps)?);
        }
    }
    Some(items)
}

/// Texts to fill a list up with: those that are preferred, those that all items are compared with, and any others.
pub(super) fn fillers(each: &[Test<'_>], samples: &[&str], name: &str) -> impl Iterator<Item = String> {
    let mut texts: Vec<String> = samples.iter().map(|sample| (*sample).to_string()).collect();
    for (body, _) in each {
        texts_of(*body, &mut texts);
    }
    let others = (0..MOST_ITEMS).map(move |number| format!("{name}{number}"));
    texts.into_iter().chain(others)
}

/// Whether an item that is a text is as all items are to be.
pub(super) fn fits(text: &str, each: &[Test<'_>], steps: &mut Steps) -> bool {
    each.iter().all(|(body, want)| admits(body.holds(&Value::Text(text), steps), *want))
}

/// An item for which all of these come to what is wanted.
fn item(shape: Shape, goals: Vec<Test<'_>>, steps: &mut Steps) -> Option<Tree> {
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

fn make_item(shape: Shape, env: &Env<'_>, steps: &mut Steps) -> Option<Tree> {
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
fn is_as_wanted(item: &Tree, tests: &[Test<'_>], steps: &mut Steps) -> bool {
    let text = json::write(item);
    let Ok(tape) = json::read(text.as_bytes(), json::Limits::DOCUMENT) else { return false };
    let value = Value::from(tape.root());
    tests.iter().all(|(body, want)| admits(body.holds(&value, steps), *want))
}

/// Puts a value where some names lead to; what is around it comes to be as its shape says.
pub(super) fn put(tree: &mut Tree, shape: Shape, names: &[Box<str>], value: Tree) -> Option<()> {
    let (mut here, mut shape) = (tree, shape);
    for name in names {
        let inner = match shape {
            Shape::Object(members) => {
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
pub(super) fn default(shape: Shape) -> Tree {
    match shape {
        Shape::Bool => Tree::Bool(false),
        Shape::Count | Shape::Integer => Tree::count(0),
        Shape::Text | Shape::Any | Shape::Notes => Tree::from("x"),
        Shape::Words(words) => Tree::from(words.first().copied().unwrap_or_default()),
        Shape::List(_) => Tree::List(Vec::new()),
        Shape::Map(_) => Tree::Object(Vec::new()),
        Shape::Object(members) => {
            let needed = |member: &&Member| member.presence == Presence::Always;
            let members = members.iter().filter(needed);
            Tree::Object(members.map(|member| (member.name.into(), default(member.shape))).collect())
        }
    }
}
