//! Patterns for one segment of a path: literals, `*` and `?`.

use alloc::boxed::Box;

use super::{PathCase, last_trait, name_traits};
use crate::{error::Error, steps::Steps};

/// The number of bytes of a literal that are compared in a step.
const AT_ONCE: usize = 16;

/// A pattern for one segment, divided so that literals alone exclude most texts.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    text: Box<str>,
    /// The first wildcard, or the end of the pattern. 32 bits suffice, because an input has at most 8 MiB.
    first: u32,
    /// The end of the last wildcard, or of the pattern.
    last: u32,
}

/// A part of a pattern that matches from the root. The last part is never [`PatternPart::Any`]: there, `**` means `*`, because a
/// match of a directory includes its contents.
#[derive(Clone, Debug)]
pub(super) enum PatternPart {
    /// `**`: any number of segments.
    Any,
    /// One segment.
    One(Segment),
}

impl Segment {
    pub(super) fn new(pattern: &str) -> Self {
        let is_wild = |byte: u8| matches!(byte, b'*' | b'?');
        let first = pattern.bytes().position(is_wild).unwrap_or(pattern.len());
        let last = pattern.bytes().rposition(is_wild).map_or(pattern.len(), |last| last + 1);
        Self { text: pattern.into(), first: first as u32, last: last as u32 }
    }

    /// Returns the text before the first wildcard, which is the whole text of a literal.
    pub(super) fn head(&self) -> &str {
        self.text.get(..self.first as usize).unwrap_or_default()
    }

    /// Returns the text from the first wildcard to the last.
    fn middle(&self) -> &str {
        self.text.get(self.first as usize..self.last as usize).unwrap_or_default()
    }

    /// Returns the literal after the last wildcard.
    fn tail(&self) -> &str {
        self.text.get(self.last as usize..).unwrap_or_default()
    }

    /// Returns whether there are no wildcards.
    pub(super) const fn is_literal(&self) -> bool {
        self.first as usize == self.text.len()
    }

    /// Returns true if the pattern matches every name: `*`, or `*` with one `?`.
    pub(super) fn is_universal(&self) -> bool {
        let singles = self.text.bytes().filter(|byte| *byte == b'?').count();
        self.text.bytes().all(|byte| matches!(byte, b'*' | b'?')) && singles <= 1 && singles < self.text.len()
    }

    /// Returns the [traits](name_traits) of each name that the pattern matches.
    pub(super) fn traits(&self) -> u64 {
        match self.tail().as_bytes().last() {
            _ if self.is_literal() => name_traits(&self.text),
            Some(last) => last_trait(*last),
            None => 0,
        }
    }

    /// Returns true if the length of a literal, or the first or last letter of the pattern, shows that the text cannot match. False decides
    /// nothing. Most texts are excluded, and need no full comparison.
    #[inline]
    pub(super) fn excludes(&self, text: &str, case: PathCase) -> bool {
        let differs = |one: Option<&u8>, other: Option<&u8>| match (one, other) {
            (Some(one), Some(other)) => !case.is_same_byte(*one, *other),
            (Some(_), None) => true,
            (None, _) => false,
        };
        let (pattern, text) = (self.text.as_bytes(), text.as_bytes());
        if self.is_literal() && pattern.len() != text.len() {
            return true;
        }
        let is_wild = |byte: &&u8| matches!(byte, b'*' | b'?');
        differs(pattern.last().filter(|byte| !is_wild(byte)), text.last())
            || differs(pattern.first().filter(|byte| !is_wild(byte)), text.first())
    }

    /// Returns whether the pattern matches the whole text. A short comparison costs no steps; the caller pays by the number of
    /// texts.
    ///
    /// # Errors
    ///
    /// [`limit_exceeded`](crate::codes::LIMIT_EXCEEDED) when the budget runs out.
    pub(super) fn matches(&self, text: &str, case: PathCase, steps: &mut Steps) -> Result<bool, Error> {
        if self.is_literal() {
            if self.text.len() != text.len() {
                return Ok(false);
            }
            steps.spend(self.text.len() / AT_ONCE)?;
            return Ok(case.is_same(&self.text, text));
        }
        let (head, middle, tail) = (self.head(), self.middle(), self.tail());
        steps.spend((head.len() + tail.len()) / AT_ONCE)?;
        match between(text, head, tail, case) {
            Some(text) => Ok(middle == "*" || wild_matches(middle, text, case, steps)?),
            None => Ok(false),
        }
    }
}

/// Returns the text between a head and a tail, if it has both.
fn between<'t>(text: &'t str, head: &str, tail: &str, case: PathCase) -> Option<&'t str> {
    let (start, rest) = text.split_at_checked(head.len())?;
    let (inner, end) = rest.split_at_checked(rest.len().checked_sub(tail.len())?)?;
    (case.is_same(start, head) && case.is_same(end, tail)).then_some(inner)
}

/// Matches a text with literals, `*` and `?`, with backtracking only to the latest `*`.
fn wild_matches(pattern: &str, text: &str, case: PathCase, steps: &mut Steps) -> Result<bool, Error> {
    let (mut pattern, mut text) = (pattern.chars(), text.chars());
    let mut retry: Option<(core::str::Chars<'_>, core::str::Chars<'_>)> = None;
    loop {
        steps.spend(1)?;
        let (mut after_pattern, mut after_text) = (pattern.clone(), text.clone());
        let matched = match (after_pattern.next(), after_text.next()) {
            (Some('*'), _) => {
                retry = Some((after_pattern.clone(), text.clone()));
                pattern = after_pattern;
                continue;
            }
            (None, None) => return Ok(true),
            (Some('?'), Some(_)) => true,
            (Some(expected), Some(found)) => case.is_same_char(expected, found),
            (None, Some(_)) | (Some(_), None) => false,
        };
        if matched {
            (pattern, text) = (after_pattern, after_text);
            continue;
        }
        let Some((star_pattern, star_text)) = &mut retry else { return Ok(false) };
        if star_text.next().is_none() {
            return Ok(false);
        }
        (pattern, text) = (star_pattern.clone(), star_text.clone());
    }
}
