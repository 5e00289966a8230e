//! Following the states of a small automaton: one bit for each, and nothing allocated.

use super::{
    automaton::{Automaton, Place, State},
    parser::Edge,
};
use crate::{error::Error, steps::Steps};

/// How many states are few: as many as there are bits.
pub(super) const FEW: usize = 64;

impl Automaton {
    /// Whether a pattern of few states is found anywhere in `text`.
    pub(super) fn finds_small(&self, text: &str, steps: &mut Steps) -> Result<bool, Error> {
        let anchored = matches!(self.first(), State::Edge(Edge::Start));
        let mut rest = text.chars();
        let mut place = Place { before: None, after: rest.next() };
        let mut arrivals = 0;
        steps.spend(text.len() + 1)?;
        loop {
            // The pattern may begin anywhere, so the first state joins at every place.
            if !anchored || place.before.is_none() {
                arrivals |= 1;
            }
            let Some(waiting) = self.arrive_small(arrivals, place) else { return Ok(true) };
            let Some(character) = place.after else { return Ok(false) };
            steps.spend(waiting.count_ones() as usize)?;
            arrivals = self.read_small(waiting, character);
            if anchored && arrivals == 0 {
                return Ok(false);
            }
            place = Place { before: Some(character), after: rest.next() };
        }
    }

    /// Follows states through all that read nothing; those that wait for a character, or `None` if the pattern is found.
    fn arrive_small(&self, mut arrivals: u64, place: Place) -> Option<u64> {
        let (mut followed, mut waiting) = (0, 0);
        while arrivals != 0 {
            let at = arrivals.trailing_zeros();
            let bit = 1 << at;
            followed |= bit;
            let more = match self.state(at) {
                State::Found => return None,
                State::Char(_) | State::Class(_) => {
                    waiting |= bit;
                    0
                }
                State::Edge(edge) if place.is(edge) => bit << 1,
                State::Edge(_) => 0,
                State::Fork(other) => bit << 1 | 1 << other,
                State::Jump(target) => 1 << target,
            };
            arrivals = (arrivals | more) & !followed;
        }
        Some(waiting)
    }

    /// The states after those that read a character.
    fn read_small(&self, mut waiting: u64, character: char) -> u64 {
        let mut arrivals = 0;
        while waiting != 0 {
            let at = waiting.trailing_zeros();
            waiting &= waiting - 1;
            if self.reads(at, character) {
                arrivals |= 1 << (at + 1);
            }
        }
        arrivals
    }
}
