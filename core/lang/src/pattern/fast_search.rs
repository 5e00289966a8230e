//! The fast search: by the precomputed transitions of a pattern or, for characters beyond ASCII, by its positions.

use super::{automaton::Automaton, positions::Positions, table::TransitionTable};
use crate::{error::Error, steps::Steps};

/// The number of steps to leave for later patterns, which need fewer without positions.
const RESERVE: u64 = 1 << 19;

#[derive(Clone, Debug)]
pub(super) struct FastSearch {
    positions: Positions,
    table: Option<TransitionTable>,
}

impl FastSearch {
    /// Returns the search of an automaton, if its positions are few and the budget allows.
    pub(super) fn build(automaton: &Automaton, steps: &mut Steps) -> Option<Self> {
        let (positions, visits) = Positions::build(automaton)?;
        let table = TransitionTable::build(&positions);
        let size = positions.len() + table.as_ref().map_or(0, TransitionTable::len) / 8;
        // A step for eight bytes.
        let cost = 2 * (size + positions.kinds.len() / 16) + visits / 8;
        (steps.left() > RESERVE && steps.spend(cost).is_ok()).then_some(Self { positions, table })
    }

    /// Returns whether the pattern is found anywhere in `text`.
    pub(super) fn finds(&self, automaton: &Automaton, text: &str, steps: &mut Steps) -> Result<bool, Error> {
        steps.spend(text.len() + 1)?;
        let start = self.positions.start;
        if start.found || text.is_empty() {
            return Ok(start.found || start.found_at_end);
        }
        match self.table.as_ref().and_then(|table| table.finds(&self.positions.kinds, text)) {
            Some(found) => Ok(found),
            None => self.positions.follow(automaton, text, steps),
        }
    }
}
