//! Spellings of words: exact, or, in imports, in any case, with any underscores, and with aliases.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    document::{Document, Reader, Shape},
    json::{self, Node},
};

use super::{Complexity, StepIntent};
use crate::codes;

/// A closed list of words and their aliases.
pub(crate) trait Spelled: Copy + 'static {
    /// The noun for the words in errors.
    const NOUN: &'static str;
    const WORDS: &'static [&'static str];
    /// The values of the words, in the same order.
    const VALUES: &'static [Self];
    /// Aliases, each with the index of its word.
    const OTHERS: &'static [(&'static str, usize)] = &[];
}

impl Spelled for StepIntent {
    const NOUN: &'static str = "intent";
    const WORDS: &'static [&'static str] = Self::WORDS;
    const VALUES: &'static [Self] = &[Self::Investigate, Self::Modify, Self::Verify, Self::Synthesize];
}

impl Spelled for Complexity {
    const NOUN: &'static str = "complexity";
    const WORDS: &'static [&'static str] = Self::WORDS;
    const VALUES: &'static [Self] = &[Self::Low, Self::Medium, Self::High, Self::VeryHigh];
    const OTHERS: &'static [(&'static str, usize)] = &[
        ("simple", Self::Low as usize),
        ("easy", Self::Low as usize),
        ("complex", Self::High as usize),
        ("hard", Self::High as usize),
    ];
}

/// The intent of a subtask of Adjutant, which calls it the action.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AdjutantAction(pub StepIntent);

impl Spelled for AdjutantAction {
    const NOUN: &'static str = "action";
    const WORDS: &'static [&'static str] = &["read", "edit", "bash"];
    const VALUES: &'static [Self] =
        &[Self(StepIntent::Investigate), Self(StepIntent::Modify), Self(StepIntent::Verify)];
}

impl AdjutantAction {
    /// The word for an intent. Adjutant has none for `synthesize`, so such a step becomes `edit`.
    pub(crate) fn word(intent: StepIntent) -> &'static str {
        let place = Self::VALUES.iter().position(|action| action.0 == intent);
        place.and_then(|place| Self::WORDS.get(place)).copied().unwrap_or("edit")
    }
}

/// A word and its spelling. An import accepts aliases, any case and any underscores.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpelledWord<'a, T, const IMPORT: bool> {
    pub value: T,
    /// The spelling in the document.
    pub given: &'a str,
}

impl<T: Spelled, const IMPORT: bool> SpelledWord<'_, T, IMPORT> {
    /// Returns true if the spelling differs from the word.
    pub(crate) fn is_alias(&self) -> bool {
        !T::WORDS.contains(&self.given)
    }
}

impl<'t: 'a, 'a, T: Spelled, const IMPORT: bool> Document<'t> for SpelledWord<'a, T, IMPORT> {
    const SHAPE: Shape = if IMPORT { Shape::Text } else { Shape::Words(T::WORDS) };

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        let given = <&str>::read(node, reader)?;
        let value = place(given, T::WORDS, if IMPORT { Some(T::OTHERS) } else { None });
        let value = value.and_then(|place| T::VALUES.get(place)).copied();
        if value.is_none() {
            reader.note(unknown(T::NOUN, given, T::WORDS));
        }
        value.map(|value| Self { value, given })
    }
}

/// The index of the word with this spelling; an import passes `others`, the aliases.
fn place(given: &str, words: &[&str], others: Option<&[(&str, usize)]>) -> Option<usize> {
    let Some(others) = others else { return words.iter().position(|word| *word == given) };
    let is_given = |word: &str| folded(word).eq(folded(given));
    let other = || others.iter().find(|(name, _)| is_given(name)).map(|(_, place)| *place);
    words.iter().position(|word| is_given(word)).or_else(other)
}

/// The error for an unknown word.
fn unknown(noun: &str, given: &str, words: &[&str]) -> Error {
    let mut message = json::unknown(noun, given, words);
    if json::closest(given, words).is_none() {
        let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
        message = format!("{message}: none of {}", words.join(", "));
    }
    Error::new(codes::INVALID_VALUE, message)
}

fn folded(word: &str) -> impl Iterator<Item = u8> {
    word.bytes().filter(|byte| *byte != b'_').map(|byte| byte.to_ascii_lowercase())
}
