//! The precomputed transitions of a pattern: for each set of positions and each kind of character, the next set.
//!
//! Most patterns of schemas reach a few dozen sets with few transitions each. Larger patterns have no table.

use alloc::{vec, vec::Vec};

use super::positions::{Positions, Reached, Set};

/// The most entries of a table.
const MOST_ENTRIES: usize = 4_096;

/// The most comparisons during construction.
const MOST_TRIES: usize = 1 << 15;

/// The rows for "can no longer be found" and "found".
const LOST: u16 = 0;
const FOUND: u16 = 1;

/// One row for each set. Its entries are the start indices of the next rows: one for each kind of character, and the last for the
/// end of the text.
#[derive(Clone, Debug)]
pub(super) struct TransitionTable {
    next: Vec<u16>,
    width: u16,
    start: u16,
}

impl TransitionTable {
    /// Builds the table of some positions, if it is small.
    pub(super) fn build(positions: &Positions) -> Option<Self> {
        let kinds = u8::try_from(positions.readers.len()).ok()?;
        let width = u16::from(kinds) + 1;
        let mut rows = Rows { sets: vec![(0, false), (0, true)], left: MOST_TRIES };
        let start = rows.row_of(positions.start)?;
        let mut next = vec![LOST; usize::from(width)];
        next.resize(usize::from(width) * 2, width * FOUND);
        // The first two rows are final.
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

    /// Returns the number of entries.
    pub(super) fn len(&self) -> usize {
        self.next.len()
    }

    /// Returns whether the pattern is found, if that is decided before the first character beyond ASCII.
    pub(super) fn finds(&self, kinds: &[u8; 128], text: &str) -> Option<bool> {
        let decided = self.width * 2;
        let mut at = self.start;
        for byte in text.bytes() {
            let kind = *kinds.get(usize::from(byte))?;
            let next = self.next.get(usize::from(at) + usize::from(kind)).copied().unwrap_or(LOST);
            // Usually the row stays the same, and then the next character need not wait for this one.
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

/// The sets that have a row, each with whether the pattern is found if the text ends there.
struct Rows {
    sets: Vec<(Set, bool)>,
    left: usize,
}

impl Rows {
    /// Returns the row of a set, and adds it if it is new. Returns `None` if there are too many sets or comparisons.
    fn row_of(&mut self, reached: Reached) -> Option<u16> {
        let Reached { waiting, found, found_at_end } = reached;
        if found {
            return Some(FOUND);
        }
        if waiting == 0 && !found_at_end {
            return Some(LOST);
        }
        // Usually the set is one of the latest.
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
