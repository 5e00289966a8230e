//! Patterns for one segment of a path: literals, `*` and `?`.

use alloc::boxed::Box;

use crate::{error::Error, steps::Steps};

/// How many bytes of a literal are compared in a step.
const AT_ONCE: usize = 16;

/// A pattern for one segment, split so that most texts are told apart by comparing literals only.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    /// The literal before the first wildcard; all there is if there is none.
    head: Box<str>,
    wild: Option<Wild>,
}

/// What comes after the head of a pattern with wildcards.
#[derive(Clone, Debug)]
struct Wild {
    /// From the first wildcard to the last.
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
        Self { head: head.into(), wild: Some(Wild { middle: middle.into(), tail: tail.into() }) }
    }

    /// Whether the pattern matches the whole text. Comparing a few bytes is not counted: that is the caller's, who knows
    /// how many texts there are.
    ///
    /// # Errors
    ///
    /// [`crate::ErrorCode::LimitExceeded`] when the budget runs out.
    pub(super) fn matches(&self, text: &str, steps: &mut Steps) -> Result<bool, Error> {
        let head = &*self.head;
        let Some(Wild { middle, tail }) = &self.wild else {
            if head.len() != text.len() || !agree(head.as_bytes().last(), text.as_bytes().last()) {
                return Ok(false);
            }
            steps.spend(head.len() / AT_ONCE)?;
            return Ok(head == text);
        };
        if !agree(head.as_bytes().first(), text.as_bytes().first())
            || !agree(tail.as_bytes().last(), text.as_bytes().last())
        {
            return Ok(false);
        }
        steps.spend((head.len() + tail.len()) / AT_ONCE)?;
        match text.strip_prefix(head).and_then(|text| text.strip_suffix(&**tail)) {
            Some(text) => Ok(&**middle == "*" || wild_matches(middle, text, steps)?),
            None => Ok(false),
        }
    }
}

/// Whether a text may have the literal that has such a byte at its end; most have not, and are not compared at length.
fn agree(literal: Option<&u8>, text: Option<&u8>) -> bool {
    literal.is_none() || literal == text
}

/// Matches a text against literals, `*` and `?`, going back only to the latest `*`.
fn wild_matches(pattern: &str, text: &str, steps: &mut Steps) -> Result<bool, Error> {
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
            (Some(expected), Some(found)) => expected == found,
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
