//! Patterns for one segment of a path: literals, `*` and `?`.

use alloc::boxed::Box;

use super::PathCase;
use crate::{error::Error, steps::Steps};

/// The number of bytes of a literal that are compared in a step.
const AT_ONCE: usize = 16;

/// A pattern for one segment, split so that literals alone exclude most texts.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    /// The literal before the first wildcard, or the whole pattern.
    head: Box<str>,
    wild: Option<Box<Wild>>,
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

/// The rest of a pattern with wildcards.
#[derive(Clone, Debug)]
struct Wild {
    /// The text from the first wildcard to the last.
    middle: Box<str>,
    /// The literal after the last wildcard.
    tail: Box<str>,
}

impl Segment {
    pub(super) fn new(pattern: &str) -> Self {
        const WILDCARDS: [char; 2] = ['*', '?'];
        let Some((first, last)) = pattern.find(WILDCARDS).zip(pattern.rfind(WILDCARDS)) else {
            return Self { head: pattern.into(), wild: None };
        };
        let (head, rest) = pattern.split_at(first);
        let (middle, tail) = rest.split_at(last + 1 - first);
        Self { head: head.into(), wild: Some(Box::new(Wild { middle: middle.into(), tail: tail.into() })) }
    }

    /// Returns the text before the first wildcard.
    pub(super) fn head(&self) -> &str {
        &self.head
    }

    /// Returns whether there are no wildcards.
    pub(super) const fn is_literal(&self) -> bool {
        self.wild.is_none()
    }

    /// Returns whether every name matches: `*`, or `*` with one `?`.
    pub(super) fn is_universal(&self) -> bool {
        let Some(Wild { middle, tail }) = self.wild.as_deref() else { return false };
        let is_any = |byte: &u8| matches!(byte, b'*' | b'?');
        let singles = middle.bytes().filter(|byte| *byte == b'?').count();
        self.head.is_empty()
            && tail.is_empty()
            && middle.as_bytes().iter().all(is_any)
            && singles <= 1
            && singles < middle.len()
    }

    /// Returns whether the first or the last letter excludes a text. Most texts are excluded, and need no full comparison.
    #[inline]
    pub(super) fn excludes(&self, text: &str, case: PathCase) -> bool {
        let differs = |one: Option<&u8>, other: Option<&u8>| match (one, other) {
            (Some(one), Some(other)) => !case.is_same_byte(*one, *other),
            (Some(_), None) => true,
            (None, _) => false,
        };
        let (head, text) = (self.head.as_bytes(), text.as_bytes());
        let tail = match &self.wild {
            Some(wild) => wild.tail.as_bytes(),
            None if head.len() != text.len() => return true,
            None => head,
        };
        differs(tail.last(), text.last()) || differs(head.first(), text.first())
    }

    /// Returns whether the pattern matches the whole text. A short comparison costs no steps; the caller pays by the number of
    /// texts.
    ///
    /// # Errors
    ///
    /// [`limit_exceeded`](crate::codes::LIMIT_EXCEEDED) when the budget runs out.
    pub(super) fn matches(&self, text: &str, case: PathCase, steps: &mut Steps) -> Result<bool, Error> {
        let head = &*self.head;
        let Some(Wild { middle, tail }) = self.wild.as_deref() else {
            if head.len() != text.len() {
                return Ok(false);
            }
            steps.spend(head.len() / AT_ONCE)?;
            return Ok(case.is_same(head, text));
        };
        steps.spend((head.len() + tail.len()) / AT_ONCE)?;
        match between(text, head, tail, case) {
            Some(text) => Ok(&**middle == "*" || wild_matches(middle, text, case, steps)?),
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
