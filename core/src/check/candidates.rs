//! Candidate texts for a condition: its constants, and texts that match its patterns.
//!
//! Candidates are heuristic: each is tested before use.

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

use super::{
    constant::Constant, expected_truth::ExpectedCondition, model_values::MOST_ITEMS, scope::admits,
    shape::Shape,
};

/// The most samples that are joined, and the most texts to join them with.
const MOST_JOINED: usize = 8;
/// The cost of a text, in addition to its length.
const TEXT: usize = 16;

/// The candidate texts of conditions: their constants, and texts that match their patterns, as far as the budget allows.
pub(super) fn texts_of(tests: &[ExpectedCondition<'_>], steps: &mut Steps) -> Vec<String> {
    let mut texts = Vec::new();
    for (test, _) in tests {
        let mut pending = Vec::from([*test]);
        while let Some(part) = pending.pop() {
            for constant in part.operands().filter_map(Expression::constant) {
                for text in Constant::from(constant).all_texts() {
                    if steps.spend(TEXT + text.len()).is_err() {
                        return texts;
                    }
                    push_texts(part.operator(), text, &mut texts);
                }
            }
            pending.extend(part.operands());
        }
    }
    texts
}

/// Texts for which an operator holds with a constant, or nearly.
fn push_texts(operator: Option<Operator>, text: &str, texts: &mut Vec<String>) {
    let (first, second) = match operator {
        Some(Operator::Glob) => return texts.push(glob_example(text)),
        Some(Operator::Regex) => (regex_example(text), text.into()),
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

/// A path that a glob matches, with the first of each group of alternatives.
pub(super) fn glob_example(pattern: &str) -> String {
    let mut path = String::new();
    let mut depth = 0_usize;
    // The depth of the group whose other alternatives are skipped, or 0.
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

/// A text that a simple regular expression matches: its literals, with a letter or digit for each class.
pub(super) fn regex_example(pattern: &str) -> String {
    let mut literal = String::new();
    let mut before = ' ';
    // The end of the current class or count.
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
        // An escaped backslash escapes nothing.
        before = if before == '\\' { ' ' } else { character };
    }
    literal
}

/// The sources of list items.
#[derive(Clone, Copy)]
pub(super) enum Samples<'s> {
    /// Texts to use unchanged.
    Texts(&'s [&'s str]),
    /// Patterns of which an item must match one, if there are any.
    Under(&'s [Glob]),
}

impl<'s> Samples<'s> {
    pub(super) const NONE: Self = Self::Texts(&[]);

    const fn globs(self) -> &'s [Glob] {
        match self {
            Self::Texts(_) => &[],
            Self::Under(globs) => globs,
        }
    }

    /// The samples, the constants of the tests joined with them, and the constants alone.
    pub(super) fn texts(self, tests: &[ExpectedCondition<'_>], steps: &mut Steps) -> Vec<String> {
        let samples: Vec<String> = match self {
            Self::Texts(texts) => texts.iter().map(|text| (*text).to_string()).collect(),
            Self::Under(globs) => globs.iter().map(|glob| glob_example(glob.text())).collect(),
        };
        let mut texts = samples.clone();
        let mut about = texts_of(tests, steps);
        for sample in samples.iter().take(MOST_JOINED) {
            for text in about.iter().take(MOST_JOINED) {
                let folder = sample.rsplit_once('/').map_or(&**sample, |(folder, _)| folder);
                let pairs =
                    [(&**sample, "", &**text), (folder, "/", text), (sample, "/", text), (text, "", sample)];
                texts.extend(pairs.map(|(first, between, second)| [first, between, second].concat()));
            }
        }
        texts.append(&mut about);
        texts
    }

    /// Returns true if a text can be an item that meets all conditions.
    pub(super) fn take(
        self,
        text: &str,
        shape: Shape,
        tests: &[ExpectedCondition<'_>],
        steps: &mut Steps,
    ) -> bool {
        let path = Path::split(text);
        let mut globs = self.globs().iter();
        shape.may_be(text)
            && (globs.len() == 0 || globs.any(|glob| glob.matches(&path, steps).unwrap_or(false)))
            && fits(&Value::Text(text), tests, steps)
    }
}

/// Returns true if an item meets all conditions.
pub(super) fn fits(item: &Value<'_>, tests: &[ExpectedCondition<'_>], steps: &mut Steps) -> bool {
    tests.iter().all(|(body, expected)| admits(body.holds(item, steps), *expected))
}

/// Texts to fill up a list: the preferred ones, the constants of the items' conditions, and arbitrary ones.
#[inline(never)]
pub(super) fn fillers(
    each: &[ExpectedCondition<'_>],
    samples: Samples<'_>,
    name: &str,
    steps: &mut Steps,
) -> Vec<String> {
    let mut texts = samples.texts(each, steps);
    texts.extend((0..MOST_ITEMS).map(|number| format!("{name}{number}")));
    texts
}
