//! Sets of characters.

use alloc::vec::Vec;

use super::unicode;
use crate::order;

/// The last code point.
const LAST: u32 = 0x10_ffff;

/// A set of characters: one bit for each ASCII character, and all characters as sorted, disjoint ranges.
#[derive(Clone, Debug, Default)]
pub(super) struct Class {
    ascii: u128,
    ranges: Vec<(u32, u32)>,
}

impl Class {
    /// Returns the set of characters in the ranges, which may overlap and have any order.
    pub(super) fn new(mut ranges: Vec<(u32, u32)>) -> Self {
        order::sort_by(&mut ranges, Ord::cmp);
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
        for (first, last) in ranges {
            match merged.last_mut() {
                Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
                _ => merged.push((first, last)),
            }
        }
        let in_ascii = |point: &u32| merged.iter().any(|(first, last)| (first..=last).contains(&point));
        let ascii = (0..128).filter(in_ascii).fold(0, |bits, point| bits | 1 << point);
        Self { ascii, ranges: merged }
    }

    /// Returns the set of characters that are not in the ranges.
    pub(super) fn complement(ranges: Vec<(u32, u32)>) -> Self {
        let mut gaps = Vec::new();
        let mut from = 0;
        for (first, last) in Self::new(ranges).ranges {
            if first > from {
                gaps.push((from, first - 1));
            }
            from = last + 1;
        }
        if from <= LAST {
            gaps.push((from, LAST));
        }
        Self::new(gaps)
    }

    /// Returns the ASCII characters of the set, one bit each.
    pub(super) const fn ascii(&self) -> u128 {
        self.ascii
    }

    pub(super) fn contains(&self, character: char) -> bool {
        let point = u32::from(character);
        if point < 128 {
            return self.ascii >> point & 1 == 1;
        }
        let after = self.ranges.partition_point(|(first, _)| *first <= point);
        after.checked_sub(1).and_then(|at| self.ranges.get(at)).is_some_and(|(_, last)| point <= *last)
    }
}

/// A set with a name.
#[derive(Clone, Copy, Debug)]
pub(super) enum NamedClass {
    /// `.`.
    Dot,
    /// `\d`.
    Digit,
    /// `\w`.
    Word,
    /// `\s`.
    Space,
    /// `\p{..}`.
    Property(&'static [u16]),
}

impl NamedClass {
    /// Returns the ranges of the set or of its complement.
    pub(super) fn ranges(self, negated: bool) -> Vec<(u32, u32)> {
        let ranges = match self {
            Self::Dot => {
                // The complement of `.` is the shorter list.
                let ends = Vec::from([(0xa, 0xa), (0xd, 0xd), (0x2028, 0x2029)]);
                return NamedClass::either(ends, !negated);
            }
            Self::Digit => Vec::from([(0x30, 0x39)]),
            Self::Word => Vec::from([(0x30, 0x39), (0x41, 0x5a), (0x5f, 0x5f), (0x61, 0x7a)]),
            // WhiteSpace and LineTerminator of ECMA-262.
            Self::Space => Vec::from([
                (0x9, 0xd),
                (0x20, 0x20),
                (0xa0, 0xa0),
                (0x1680, 0x1680),
                (0x2000, 0x200a),
                (0x2028, 0x2029),
                (0x202f, 0x202f),
                (0x205f, 0x205f),
                (0x3000, 0x3000),
                (0xfeff, 0xfeff),
            ]),
            Self::Property(runs) => unicode::ranges(runs),
        };
        Self::either(ranges, negated)
    }

    fn either(ranges: Vec<(u32, u32)>, negated: bool) -> Vec<(u32, u32)> {
        if negated { Class::complement(ranges).ranges } else { ranges }
    }
}

/// Returns whether a character belongs to an ASCII word, for `\b`.
pub(super) fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_merge_and_complement() {
        let ranges = || Vec::from([(0x61, 0x63), (0x64, 0x66), (0x61, 0x61), (0x100, 0x200), (0x150, 0x160)]);
        assert_eq!(Class::new(ranges()).ranges, [(0x61, 0x66), (0x100, 0x200)]);
        let complement = Class::complement(ranges());
        assert_eq!(complement.ranges, [(0, 0x60), (0x67, 0xff), (0x201, LAST)]);
        for point in (0..0x300).filter_map(char::from_u32) {
            assert_ne!(Class::new(ranges()).contains(point), complement.contains(point), "{point:?}");
        }
        assert_eq!(Class::complement(Vec::from([(0, LAST)])).ranges, []);
        assert_eq!(Class::complement(Vec::new()).ranges, [(0, LAST)]);
    }
}
