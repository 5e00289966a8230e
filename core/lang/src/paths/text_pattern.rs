//! Patterns of whole texts: of ids, and of paths that share a name.

use alloc::{boxed::Box, string::String, vec, vec::Vec};

use super::{PathCase, Pattern, braces, normalize};
use crate::{error::Error, order::SortedSet, steps::Steps};

/// The place of the name in the pattern of a path.
const NAME: &str = "{name}";
/// The letter that stands for the place while braces are expanded. It is in no path.
const MARK: char = '\0';

/// A compiled pattern of a whole text.
#[derive(Clone, Debug)]
pub struct TextPattern {
    text: Box<str>,
    case: PathCase,
    alternatives: Box<[NamedAlternative]>,
}

/// A pattern without braces: the parts before the name, and those after it.
#[derive(Clone, Debug)]
struct NamedAlternative {
    before: Box<[TextPart]>,
    /// Empty in a pattern without a name.
    after: Box<[TextPart]>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TextPart {
    /// This text.
    Text(Box<str>),
    /// One letter, except `/`.
    Letter,
    /// Any letters, except `/`.
    Letters,
    /// Any text.
    Anything,
    /// Any number of whole segments, each with its `/`.
    Directories,
}

impl TextPattern {
    /// Compiles a pattern of ids. `*` and `?` match no `/`, `**` matches anything, `{a,b}` either.
    ///
    /// ```
    /// use adjudicate_lang::{Steps, paths::{Pattern, TextPattern}};
    /// let mut steps = Steps::default();
    /// let pattern = TextPattern::of_texts(Pattern::new("bench::*[seed=*]").unwrap(), &mut steps)?;
    /// assert!(pattern.matches("bench::sort[seed=17]", &mut steps)?);
    /// assert!(!pattern.matches("bench::sort", &mut steps)?);
    /// # Ok::<(), adjudicate_lang::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`limit_exceeded`](crate::codes::LIMIT_EXCEEDED) when its braces expand to more alternatives than the budget allows.
    pub fn of_texts(pattern: Pattern<'_>, steps: &mut Steps) -> Result<Self, Error> {
        let texts = braces::expand(pattern.text(), steps)?;
        let alternative = |text: &String| NamedAlternative { before: parts(text, None), after: Box::new([]) };
        let alternatives = texts.iter().map(alternative).collect();
        Ok(Self { text: pattern.text().into(), case: PathCase::Sensitive, alternatives })
    }

    /// Compiles a pattern of whole paths from the root, in which `{name}` stands for one or more letters. Returns `None` if it does
    /// not have `{name}` exactly once.
    ///
    /// # Errors
    ///
    /// As for [`TextPattern::of_texts`].
    ///
    /// ```
    /// use adjudicate_lang::{Steps, paths::{PathCase, Pattern, TextPattern}};
    /// let mut steps = Steps::default();
    /// let pattern = Pattern::new("tests/**/{name}_test.py").unwrap();
    /// let pattern = TextPattern::of_named_paths(pattern, PathCase::Sensitive, &mut steps)?.unwrap();
    /// assert!(pattern.names("tests/api/login_test.py", &mut steps)?.contains("login"));
    /// assert!(pattern.names("tests/login.py", &mut steps)?.is_empty());
    /// # Ok::<(), adjudicate_lang::Error>(())
    /// ```
    pub fn of_named_paths(
        pattern: Pattern<'_>,
        case: PathCase,
        steps: &mut Steps,
    ) -> Result<Option<Self>, Error> {
        if pattern.text().contains(MARK) {
            return Ok(None);
        }
        let marked = pattern.text().replace(NAME, "\0");
        let mut alternatives = Vec::new();
        for text in braces::expand(&marked, steps)? {
            let ends_in_directory = text.ends_with('/');
            let text = case.fold(&normalize(&text)).into_owned();
            let Some((before, after)) = text.split_once(MARK) else { return Ok(None) };
            if after.contains(MARK) {
                return Ok(None);
            }
            // No file is a directory.
            if !ends_in_directory {
                alternatives.push(NamedAlternative {
                    before: parts(before, Some(Side::Before)),
                    after: parts(after, Some(Side::After)),
                });
            }
        }
        Ok(Some(Self { text: pattern.text().into(), case, alternatives: alternatives.into() }))
    }

    /// Returns the pattern as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether the pattern matches nothing, because it ends in `/`.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.alternatives.is_empty()
    }

    /// Returns whether the pattern, which has no name, matches a whole text.
    ///
    /// # Errors
    ///
    /// [`limit_exceeded`](crate::codes::LIMIT_EXCEEDED) when the budget runs out.
    pub fn matches(&self, text: &str, steps: &mut Steps) -> Result<bool, Error> {
        for alternative in &self.alternatives {
            if ends(&alternative.before, text, steps)?.last() == Some(&true) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the names for which the pattern matches a whole path in [normal form](normalize): none, one, or several. With a case
    /// that is not sensitive, they have small letters.
    ///
    /// # Errors
    ///
    /// As for [`TextPattern::matches`].
    pub fn names(&self, path: &str, steps: &mut Steps) -> Result<SortedSet<Box<str>>, Error> {
        let path = self.case.fold(path);
        let mut names = SortedSet::new();
        for alternative in &self.alternatives {
            // After the name is a text, nothing, or more, which may begin anywhere.
            let (ending, is_all) = match &*alternative.after {
                [] => ("", true),
                [rest @ .., TextPart::Text(text)] => (&**text, rest.is_empty()),
                _ => ("", false),
            };
            let Some(last) = path.len().checked_sub(ending.len()).filter(|_| path.ends_with(ending)) else {
                continue;
            };
            let starts = ends(&alternative.before, &path, steps)?;
            for (start, _) in starts.iter().enumerate().filter(|(_, is_start)| **is_start) {
                steps.spend(path.len())?;
                let first = if is_all { last } else { 0 };
                for end in first.max(start + 1)..=last {
                    let (Some(name), Some(rest)) = (path.get(start..end), path.get(end..)) else { continue };
                    if name.starts_with('/') || name.ends_with('/') {
                        continue;
                    }
                    if ends(&alternative.after, rest, steps)?.last() == Some(&true) {
                        names.insert(name.into());
                    }
                }
            }
        }
        Ok(names)
    }
}

/// The side of the name on which parts of a path lie.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

/// Splits a pattern without braces into parts: of any text, or of a path on a side of its name.
fn parts(pattern: &str, side: Option<Side>) -> Box<[TextPart]> {
    // In a path, `**` is special only as a whole segment.
    let (mut parts, mut rest, mut is_at_start) = (Vec::new(), pattern, side == Some(Side::Before));
    while let Some(letter) = rest.chars().next() {
        let (part, length) = match letter {
            '*' if side.is_none() && rest.starts_with("**") => (TextPart::Anything, 2),
            '*' if is_at_start && rest.starts_with("**/") => (TextPart::Directories, 3),
            '*' if is_at_start && rest == "**" && side == Some(Side::After) => (TextPart::Anything, 2),
            '*' => (TextPart::Letters, 1),
            '?' => (TextPart::Letter, 1),
            _ => {
                let end = rest.find(['*', '?']).unwrap_or(rest.len());
                (TextPart::Text(rest.get(..end).unwrap_or(rest).into()), end)
            }
        };
        is_at_start = match &part {
            TextPart::Text(text) => side.is_some() && text.ends_with('/'),
            part => *part == TextPart::Directories,
        };
        parts.push(part);
        rest = rest.get(length..).unwrap_or_default();
    }
    parts.into()
}

/// The places of a text at which a match of the parts can end.
fn ends(parts: &[TextPart], text: &str, steps: &mut Steps) -> Result<Vec<bool>, Error> {
    let mut reached = vec![false; text.len() + 1];
    if let Some(start) = reached.first_mut() {
        *start = true;
    }
    for part in parts {
        steps.spend(text.len() + 1)?;
        let mut next = vec![false; text.len() + 1];
        let mut is_open = false;
        for (place, letter) in
            text.char_indices().map(|(at, letter)| (at, Some(letter))).chain([(text.len(), None)])
        {
            let is_here = reached.get(place) == Some(&true);
            let length = letter.map_or(0, char::len_utf8);
            let end = match part {
                TextPart::Text(own) => text
                    .get(place..)
                    .filter(|rest| is_here && rest.starts_with(&**own))
                    .map(|_| place + own.len()),
                TextPart::Letter => {
                    (is_here && letter.is_some_and(|letter| letter != '/')).then_some(place + length)
                }
                TextPart::Letters | TextPart::Anything => {
                    is_open |= is_here;
                    let end = is_open.then_some(place);
                    is_open &= *part == TextPart::Anything || letter != Some('/');
                    end
                }
                TextPart::Directories => {
                    is_open |= is_here;
                    (is_here
                        || is_open
                            && place
                                .checked_sub(1)
                                .is_some_and(|before| text.as_bytes().get(before) == Some(&b'/')))
                    .then_some(place)
                }
            };
            if let Some(reached) = end.and_then(|end| next.get_mut(end)) {
                *reached = true;
            }
        }
        reached = next;
    }
    Ok(reached)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_match_as_a_whole() {
        for (pattern, text, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("a*", "a", true),
            ("a*", "ab/c", false),
            ("a**", "ab/c", true),
            ("a?c", "abc", true),
            ("a?c", "a/c", false),
            ("?", "é", true),
            ("*::{x,y}", "t::y", true),
            ("**/x", "x", false),
            ("**/x", "a/b/x", true),
            ("./a", "./a", true),
            ("./a", "a", false),
            ("A", "a", false),
            ("*a*a*b", "aaaaaab", true),
        ] {
            let steps = &mut Steps::default();
            let pattern = TextPattern::of_texts(Pattern::new(pattern).unwrap(), steps).unwrap();
            assert_eq!(pattern.matches(text, steps).unwrap(), expected, "{pattern:?} {text}");
        }
    }

    #[test]
    fn names_are_those_of_whole_paths() {
        let names = |pattern: &str, path: &str| {
            let (case, steps) = (PathCase::Sensitive, &mut Steps::default());
            let pattern = TextPattern::of_named_paths(Pattern::new(pattern).unwrap(), case, steps).unwrap();
            let names = pattern.unwrap().names(path, steps).unwrap();
            names.iter().map(|name| String::from(&**name)).collect::<Vec<_>>().join(" ")
        };
        for (pattern, path, expected) in [
            ("tests/{name}_test.py", "tests/login_test.py", "login"),
            ("tests/{name}_test.py", "tests/api/login_test.py", "api/login"),
            ("tests/{name}_test.py", "a/tests/login_test.py", ""),
            ("tests/{name}_test.py", "tests/_test.py", ""),
            ("/tests/{name}.py", "tests/a.py", "a"),
            ("{name}", "a/b", "a/b"),
            ("tests{name}", "tests/a", ""),
            ("**/{name}.rs", "a/b.rs", "a/b b"),
            ("**/{name}.rs", "b.rs", "b"),
            ("x/**/t_{name}.rs", "x/t_a.rs", "a"),
            ("x/**/t_{name}.rs", "x/y/z/t_a.rs", "a"),
            ("x/**{name}.rs", "x/y/a.rs", "y/a"),
            ("{name}/**", "a/b/c", "a a/b"),
            ("{name}**", "ab", "a ab"),
            ("*/{name}.rs", "a/b/c.rs", "b/c"),
            ("{tests,spec}/{name}.js", "spec/a.js", "a"),
            ("tests/{name}/", "tests/a", ""),
        ] {
            assert_eq!(names(pattern, path), expected, "{pattern} {path}");
        }
        let (case, steps) = (PathCase::AsciiInsensitive, &mut Steps::default());
        let folded = TextPattern::of_named_paths(Pattern::new("Tests/{name}.py").unwrap(), case, steps);
        assert!(folded.unwrap().unwrap().names("tests/A.PY", steps).unwrap().contains("a"));
    }

    #[test]
    fn the_name_stands_exactly_once() {
        for pattern in ["tests/x.py", "{name}/{name}", "{a,{name}}", "{name,x}", "\0{name}"] {
            let (case, steps) = (PathCase::Sensitive, &mut Steps::default());
            let pattern = Pattern::new(pattern).unwrap();
            assert!(TextPattern::of_named_paths(pattern, case, steps).unwrap().is_none(), "{pattern:?}");
        }
    }

    #[test]
    fn the_budget_bounds_all_work() {
        let text = "a/".repeat(100_000);
        let (case, mut steps) = (PathCase::Sensitive, Steps::new(1_000_000));
        let pattern = Pattern::new("**/{name}*").unwrap();
        let pattern = TextPattern::of_named_paths(pattern, case, &mut steps).unwrap().unwrap();
        assert!(pattern.names(&text, &mut steps).is_err());
    }
}
