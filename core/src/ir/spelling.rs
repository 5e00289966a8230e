//! How words may be spelt: as they are written, or, where a plan is imported, in any case, with any underscores, and by other names.

use alloc::{format, string::String, vec::Vec};

use super::read::text;
use crate::{
    codes::ErrorCode,
    error::Error,
    json::{self, Node},
};

/// Words and the places of what they mean in the list of what there is, canonical ones first.
pub(super) type Words = &'static [(&'static str, usize)];

pub(super) const INTENTS: Words = &[("investigate", 0), ("modify", 1), ("verify", 2), ("synthesize", 3)];

pub(super) const COMPLEXITIES: Words = &[
    ("low", 0),
    ("medium", 1),
    ("high", 2),
    ("very_high", 3),
    ("simple", 0),
    ("easy", 0),
    ("complex", 2),
    ("hard", 2),
];

/// What a word means, by its place in the list of what there is; beyond the list for no word. Whoever imports a plan takes the
/// other words too, whatever their case and underscores.
pub(super) fn place(word: &str, words: Words, is_import: bool) -> usize {
    let found = match is_import {
        true => words.iter().find(|(known, _)| folded(known).eq(folded(word))),
        false => words
            .iter()
            .enumerate()
            .find(|(at, (known, place))| at == place && *known == word)
            .map(|(_, one)| one),
    };
    found.map_or(usize::MAX, |(_, place)| *place)
}

fn folded(word: &str) -> impl Iterator<Item = u8> {
    word.bytes().filter(|byte| *byte != b'_').map(|byte| byte.to_ascii_lowercase())
}

/// The error for a text that is none of the words.
pub(super) fn unknown_word(what: &str, member: Node<'_>, words: &[&str]) -> Error {
    let mut message = json::unknown(what, text(member), words);
    if json::closest(text(member), words).is_none() {
        let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
        message = format!("{message}: none of {}", words.join(", "));
    }
    Error::new(ErrorCode::InvalidValue, message)
}
