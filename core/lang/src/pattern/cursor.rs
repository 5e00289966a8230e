//! The place of a parser in a pattern.

use alloc::format;

use crate::{codes, error::Error};

/// A pattern and the index of the next byte.
pub(super) struct Cursor<'p> {
    pub text: &'p str,
    pub at: usize,
}

impl<'p> Cursor<'p> {
    /// Parses the number at the cursor. A number that overflows becomes `u32::MAX`, which exceeds the limit on states.
    pub(super) fn digits(&mut self) -> Option<u32> {
        let rest = self.rest();
        let end = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
        let digits = rest.get(..end).filter(|digits| !digits.is_empty())?;
        let number = digits.parse().unwrap_or(u32::MAX);
        self.at += end;
        Some(number)
    }

    pub(super) fn rest(&self) -> &'p str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Skips `length` bytes.
    pub(super) const fn skip(&mut self, length: usize) {
        self.at += length;
    }

    /// Skips `word` if it comes next. Returns whether it does.
    pub(super) fn eat(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word);
        self.at += if found { word.len() } else { 0 };
        found
    }

    /// Returns an error about the text from byte `at` on.
    pub(super) fn fault(&self, at: usize, fault: &str) -> Error {
        let character = self.text.get(..at).unwrap_or_default().chars().count() + 1;
        Error::new(codes::INVALID_VALUE, format!("{fault}, character {character} of the pattern"))
    }
}
