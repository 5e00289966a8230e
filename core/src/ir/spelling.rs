//! How words may be spelt: as they are written, or, where a plan is imported, in any case, with any underscores, and by other names.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    json::{self, Node, object::refuse},
};

use super::{Complexity, Intent};
use crate::codes;

/// A closed list of words, and what else its words are called.
pub(super) struct Spelling {
    /// What the words are, in errors.
    what: &'static str,
    words: &'static [&'static str],
    /// Other names, with the places of the words that they stand for.
    others: &'static [(&'static str, usize)],
}

pub(super) const INTENT: Spelling = Spelling { what: "intent", words: Intent::WORDS, others: &[] };

pub(super) const COMPLEXITY: Spelling = Spelling {
    what: "complexity",
    words: Complexity::WORDS,
    others: &[
        ("simple", Complexity::Low as usize),
        ("easy", Complexity::Low as usize),
        ("complex", Complexity::High as usize),
        ("hard", Complexity::High as usize),
    ],
};

/// The actions of Adjutant, in the order of the intents that they have.
pub(super) const ACTION: Spelling =
    Spelling { what: "action", words: &["read", "edit", "bash"], others: &[] };

impl Spelling {
    /// The word in that place.
    pub(super) fn word(&self, place: usize) -> Option<&'static str> {
        self.words.get(place).copied()
    }

    /// Which word a member says, by its place. Whoever imports a plan takes other names too, and any case and underscores.
    pub(super) fn read(&self, member: Node<'_>, is_import: bool) -> Result<usize, Error> {
        let given = member.as_str().ok_or_else(|| refuse(member, "a string"))?;
        let is_given = |word: &str| {
            if is_import { folded(word).eq(folded(given)) } else { word == given }
        };
        let other =
            || self.others.iter().find(|(name, _)| is_import && is_given(name)).map(|(_, place)| *place);
        let place = self.words.iter().position(|word| is_given(word)).or_else(other);
        place.ok_or_else(|| self.unknown(given))
    }

    /// The error for a text that is none of the words.
    fn unknown(&self, given: &str) -> Error {
        let mut message = json::unknown(self.what, given, self.words);
        if json::closest(given, self.words).is_none() {
            let words: Vec<String> = self.words.iter().map(|word| format!("`{word}`")).collect();
            message = format!("{message}: none of {}", words.join(", "));
        }
        Error::new(codes::INVALID_VALUE, message)
    }
}

fn folded(word: &str) -> impl Iterator<Item = u8> {
    word.bytes().filter(|byte| *byte != b'_').map(|byte| byte.to_ascii_lowercase())
}
