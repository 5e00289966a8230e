//! The table of a pattern: what comes after each set of positions for each kind of character, worked out before.
//!
//! Most patterns of schemas come to a few dozen sets, each with few ways to go on. Those that do not have no table.

use alloc::{vec, vec::Vec};

use super::positions::{Positions, Reached, Set};

/// How many entries a table may have.
const MOST_ENTRIES: usize = 4_096;

/// How much may be looked at to make it.
const MOST_TRIES: usize = 1 << 15;

/// The rows of what cannot be found any more, and of what is found.
const LOST: u16 = 0;
const FOUND: u16 = 1;

/// A row for each set, and in it the place where the row begins that comes next: for each kind of character, and last for the
/// end of the text.
#[derive(Clone, Debug)]
pub(super) struct Table {
    next: Vec<u16>,
    width: u16,
    start: u16,
}

impl Table {
    /// That of some positions, if it is small.
    pub(super) fn of(positions: &Positions) -> Option<Self> {
        let kinds = u8::try_from(positions.readers.len()).ok()?;
        let width = u16::from(kinds) + 1;
        let mut rows = Rows { sets: vec![(0, false), (0, true)], left: MOST_TRIES };
        let start = rows.row_of(positions.start)?;
        let mut next = vec![LOST; usize::from(width)];
        next.resize(usize::from(width) * 2, width * FOUND);
        // The first two rows are those that nothing leads away from.
        let mut at = 2;
        while let Some((waiting, at_end)) = rows.sets.get(at).copied() {
            if next.len() + usize::from(width) > MOST_ENTRIES {
                return None;
            }
            for kind in 0..kinds {
                let reached = positions.read(waiting & positions.readers(kind));
                next.push(rows.row_of(reached)? * width);
            }
            next.push(if at_end { width * FOUND } else { LOST });
            at += 1;
        }
        Some(Self { next, width, start: start * width })
    }

    /// How many entries it has.
    pub(super) fn len(&self) -> usize {
        self.next.len()
    }

    /// Whether the pattern is found in a text, if that is decided before a character that is not ASCII.
    pub(super) fn finds(&self, kinds: &[u8; 128], text: &str) -> Option<bool> {
        let decided = self.width * 2;
        let mut at = self.start;
        for byte in text.bytes() {
            let kind = *kinds.get(usize::from(byte))?;
            let next = self.next.get(usize::from(at) + usize::from(kind)).copied().unwrap_or(LOST);
            // Mostly it is the same again, and then the next character need not wait for this one.
            if next != at {
                at = next;
                if at < decided {
                    return Some(at != LOST);
                }
            }
        }
        Some(self.next.get(usize::from(at + self.width - 1)).is_some_and(|at| *at != LOST))
    }
}

/// The sets that have a row, and whether the pattern is found if the text ends there.
struct Rows {
    sets: Vec<(Set, bool)>,
    left: usize,
}

impl Rows {
    /// The row of a set, a new one if there is none; `None` when it takes too long, or there are too many.
    fn row_of(&mut self, reached: Reached) -> Option<u16> {
        let Reached { waiting, found, found_at_end } = reached;
        if found {
            return Some(FOUND);
        }
        if waiting == 0 && !found_at_end {
            return Some(LOST);
        }
        // It is mostly one of the latest.
        let known = self.sets.iter().skip(2).rposition(|set| *set == (waiting, found_at_end));
        let row = known.map_or(self.sets.len(), |known| known + 2);
        self.left = self.left.checked_sub(self.sets.len() - row + 1)?;
        if known.is_none() {
            self.left = self.left.checked_sub(row)?;
            self.sets.push((waiting, found_at_end));
        }
        u16::try_from(row).ok()
    }
}
