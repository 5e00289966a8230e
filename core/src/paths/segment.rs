//! Patterns for one segment of a path: literals, `*` and `?`.

use alloc::boxed::Box;

use crate::{error::Error, steps::Steps};

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

    /// Whether the pattern matches the whole text.
    ///
    /// # Errors
    ///
    /// [`crate::ErrorCode::LimitExceeded`] when the budget runs out.
    pub(super) fn matches(&self, text: &str, steps: &mut Steps) -> Result<bool, Error> {
        // Literals are compared many bytes at a time.
        steps.spend(text.len() / 16 + 1)?;
        let Some(Wild { middle, tail }) = &self.wild else { return Ok(*text == *self.head) };
        match text.strip_prefix(&*self.head).and_then(|text| text.strip_suffix(&**tail)) {
            Some(text) => Ok(&**middle == "*" || wild_matches(middle, text, steps)?),
            None => Ok(false),
        }
    }
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
