//! Escape sequences of patterns.

use alloc::{format, string::String, vec::Vec};

use super::{class::NamedClass, cursor::Cursor, tree::Edge, unicode};
use crate::error::Error;

/// An escape sequence, or a plain character of a class.
#[derive(Clone, Copy, Debug)]
pub(super) enum Escape {
    Char(char),
    /// The named set or, if the flag is set, its complement.
    Class(NamedClass, bool),
    Edge(Edge),
}

impl Escape {
    /// Adds the characters to the ranges of a class.
    pub(super) fn add_to(&self, ranges: &mut Vec<(u32, u32)>) {
        match *self {
            Self::Char(character) => ranges.push((character.into(), character.into())),
            Self::Class(named, negated) => ranges.extend(named.ranges(negated)),
            Self::Edge(_) => {}
        }
    }
}

impl Cursor<'_> {
    /// Parses the rest of the escape sequence whose backslash is at `from`.
    pub(super) fn escape(&mut self, from: usize) -> Result<Escape, Error> {
        let Some(letter) = self.next() else { return Err(self.fault(from, "a backslash at the end")) };
        let character = match letter {
            'd' | 'D' => return Ok(Escape::Class(NamedClass::Digit, letter == 'D')),
            'w' | 'W' => return Ok(Escape::Class(NamedClass::Word, letter == 'W')),
            's' | 'S' => return Ok(Escape::Class(NamedClass::Space, letter == 'S')),
            'p' | 'P' => return self.property(from, letter),
            'b' => return Ok(Escape::Edge(Edge::Word)),
            'B' => return Ok(Escape::Edge(Edge::NoWord)),
            't' => '\t',
            'n' => '\n',
            'v' => '\u{b}',
            'f' => '\u{c}',
            'r' => '\r',
            '0' if !self.peek().is_some_and(|next| next.is_ascii_digit()) => '\0',
            'c' => self.control(from)?,
            'x' => {
                let point = self.hexadecimal(2).ok_or_else(|| self.no_digits(from, letter))?;
                char::from_u32(point).unwrap_or_default()
            }
            'u' => self.unicode(from)?,
            '1'..='9' | 'k' => {
                return Err(self.fault(from, &format!(r"the back-reference `\{letter}` is not supported")));
            }
            letter if letter.is_ascii_alphanumeric() || letter == '_' => {
                return Err(self.fault(from, &format!(r"unknown escape `\{letter}`")));
            }
            plain => plain,
        };
        Ok(Escape::Char(character))
    }

    /// Parses `{Letter}` after `\p` or `\P`.
    fn property(&mut self, from: usize, letter: char) -> Result<Escape, Error> {
        let name = self.rest().strip_prefix('{').and_then(|rest| rest.split_once('}'));
        let Some((name, _)) = name else {
            return Err(self.fault(from, &format!(r"`\{letter}` needs a property in braces")));
        };
        let Some(runs) = unicode::property(name) else {
            let shown: String = name.chars().take(40).collect();
            return Err(self.fault(from, &format!("the property `{shown}` is not supported")));
        };
        let length = name.len() + 2;
        self.skip(length);
        Ok(Escape::Class(NamedClass::Property(runs), letter == 'P'))
    }

    /// Parses the letter after `\c`.
    fn control(&mut self, from: usize) -> Result<char, Error> {
        match self.next() {
            Some(letter) if letter.is_ascii_alphabetic() => Ok(char::from(letter as u8 % 32)),
            _ => Err(self.fault(from, r"`\c` needs a letter")),
        }
    }

    /// Parses `0041`, `{41}`, or a surrogate pair after `\u`.
    fn unicode(&mut self, from: usize) -> Result<char, Error> {
        let point = if self.eat("{") {
            let digits = self.rest().split('}').next().unwrap_or_default();
            let point = u32::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'));
            let length = digits.len() + 1;
            self.skip(length);
            point
        } else {
            self.hexadecimal(4).map(|unit| self.joined(unit))
        };
        let point = point.ok_or_else(|| self.no_digits(from, 'u'))?;
        char::from_u32(point).ok_or_else(|| self.fault(from, r"`\u` names no character"))
    }

    /// Combines a high surrogate with the low surrogate after it, if there is one.
    fn joined(&mut self, high: u32) -> u32 {
        let low =
            (0xd800..0xdc00).contains(&high).then(|| self.rest().strip_prefix("\\u")?.get(..4)).flatten();
        match low.and_then(|low| u32::from_str_radix(low, 16).ok()) {
            Some(low @ 0xdc00..=0xdfff) => {
                self.skip(6);
                0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00)
            }
            _ => high,
        }
    }

    fn hexadecimal(&mut self, count: usize) -> Option<u32> {
        let digits = self.rest().get(..count)?;
        let number = u32::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))?;
        self.skip(count);
        Some(number)
    }

    fn no_digits(&self, from: usize, letter: char) -> Error {
        self.fault(from, &format!(r"`\{letter}` needs hexadecimal digits"))
    }
}
