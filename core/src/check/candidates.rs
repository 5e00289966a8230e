//! Texts that may do where a condition asks for one: its constants, and what fits its patterns.
//!
//! Nothing here is proven: each is tried before it is used.

use alloc::{
    format,
    string::{String, ToString as _},
    vec::Vec,
};

use adjudicate_lang::{
    Steps,
    logic::{Expression, Operator, Value},
    paths::{Glob, Path},
};

use super::{constant::Constant, pick::MOST_ITEMS, shape::Shape, want::Test, world::admits};

/// How many samples are joined with how many texts.
const MOST_JOINED: usize = 8;
/// What it costs to make a text, beside its length.
const TEXT: usize = 16;

/// Texts that a part of a condition may be about: its constants, and what fits its patterns; as many as the budget is for.
pub(super) fn texts_of(part: Expression<'_>, texts: &mut Vec<String>, steps: &mut Steps) {
    let mut pending = Vec::from([part]);
    while let Some(part) = pending.pop() {
        for constant in part.operands().filter_map(Expression::constant) {
            for text in Constant::from(constant).all_texts() {
                if steps.spend(TEXT + text.len()).is_err() {
                    return;
                }
                push_texts(part.operator(), text, texts);
            }
        }
        pending.extend(part.operands());
    }
}

/// Texts for which an operator holds with a constant, or nearly.
fn push_texts(operator: Option<Operator>, text: &str, texts: &mut Vec<String>) {
    let (first, second) = match operator {
        Some(Operator::Glob) => return texts.push(of_glob(text)),
        Some(Operator::Regex) => (of_regex(text), text.into()),
        Some(Operator::StartsWith) => ([text, "x"].concat(), text.into()),
        Some(Operator::EndsWith) => (["x", text].concat(), text.into()),
        Some(Operator::Less | Operator::AtMost | Operator::Greater | Operator::AtLeast) => {
            (text.into(), [text, "x"].concat())
        }
        _ => return texts.push(text.into()),
    };
    texts.push(first);
    texts.push(second);
}

/// A path that a glob matches: of alternatives in braces, the first.
pub(super) fn of_glob(pattern: &str) -> String {
    let mut path = String::new();
    let mut depth = 0_usize;
    // The depth of the braces whose other alternatives are left out, or 0.
    let mut left_out = 0;
    for character in pattern.chars() {
        match character {
            '{' => depth += 1,
            '}' if depth > 0 => {
                if left_out == depth {
                    left_out = 0;
                }
                depth -= 1;
            }
            ',' if depth > 0 => left_out = if left_out == 0 { depth } else { left_out },
            _ if left_out > 0 => {}
            '*' if path.ends_with('x') => {}
            '*' | '?' => path.push('x'),
            other => path.push(other),
        }
    }
    // Such a pattern matches the contents of a directory.
    if path.ends_with('/') {
        path.push('x');
    }
    path
}

/// A text in which a simple regular expression may be found: its literals, with a letter or a digit for its classes.
pub(super) fn of_regex(pattern: &str) -> String {
    let mut literal = String::new();
    let mut before = ' ';
    // What ends the class or the count that this is in.
    let mut until = ' ';
    for character in pattern.chars() {
        let taken = match (before, character) {
            _ if until != ' ' => {
                let is_first = before == '[' && character != '^';
                if character == until {
                    until = ' ';
                }
                is_first.then_some(character)
            }
            ('\\', 'd') => Some('1'),
            ('\\', 'w') => Some('x'),
            ('\\', 's') => Some(' '),
            ('\\', 'b' | 'B') => None,
            ('\\', other) => Some(other),
            (_, '[') => {
                until = ']';
                None
            }
            (_, '{') => {
                until = '}';
                None
            }
            (_, '|') => break,
            (_, '.') => Some('x'),
            (_, '\\' | '^' | '$' | '*' | '+' | '?' | '(' | ')') => None,
            (_, other) => Some(other),
        };
        literal.extend(taken);
        // What is escaped escapes nothing.
        before = if before == '\\' { ' ' } else { character };
    }
    literal
}

/// What the items of a list may be taken from.
#[derive(Clone, Copy, Default)]
pub(super) struct Samples<'s> {
    /// What does as it is.
    pub texts: &'s [&'s str],
    /// One of these must match an item, if there are any.
    pub under: &'s [Glob],
}

impl Samples<'_> {
    /// The samples, what tests are about joined with them, and that alone.
    pub(super) fn texts(self, tests: &[Test<'_>], steps: &mut Steps) -> Vec<String> {
        let mut texts: Vec<String> = self.texts.iter().map(|sample| (*sample).to_string()).collect();
        let mut about = Vec::new();
        for (part, _) in tests {
            texts_of(*part, &mut about, steps);
        }
        for sample in self.texts.iter().take(MOST_JOINED) {
            for text in about.iter().take(MOST_JOINED) {
                let folder = sample.rsplit_once('/').map_or(*sample, |(folder, _)| folder);
                let pairs =
                    [(*sample, "", &**text), (folder, "/", text), (sample, "/", text), (text, "", sample)];
                texts.extend(pairs.map(|(first, between, second)| [first, between, second].concat()));
            }
        }
        texts.append(&mut about);
        texts
    }

    /// Whether a text can be an item that is as all of these say.
    pub(super) fn take(self, text: &str, shape: Shape, tests: &[Test<'_>], steps: &mut Steps) -> bool {
        let path = Path::split(text);
        let mut under = self.under.iter();
        shape.may_be(text)
            && (self.under.is_empty() || under.any(|glob| glob.matches(&path, steps).unwrap_or(false)))
            && fits(text, tests, steps)
    }
}

/// Whether an item that is a text is as all items are to be.
pub(super) fn fits(text: &str, each: &[Test<'_>], steps: &mut Steps) -> bool {
    each.iter().all(|(body, want)| admits(body.holds(&Value::Text(text), steps), *want))
}

/// Texts to fill a list up with: those that are preferred, those that all items are compared with, and any others.
#[inline(never)]
pub(super) fn fillers(each: &[Test<'_>], samples: Samples<'_>, name: &str, steps: &mut Steps) -> Vec<String> {
    let mut texts = samples.texts(each, steps);
    texts.extend((0..MOST_ITEMS).map(|number| format!("{name}{number}")));
    texts
}
