//! The positions of a pattern: its states that read a character, as bits of a set, with precomputed successors.
//!
//! States that read nothing are eliminated. A character takes a mask, and one union for each position that reads it. A pattern with
//! more positions than bits, or with word edges, uses the `simulation` instead.

use alloc::{vec, vec::Vec};

use super::{
    automaton::{Automaton, State},
    tree::Edge,
};
use crate::{error::Error, steps::Steps};

/// A set of positions.
pub(super) type Set = u128;

/// The most states of a pattern, including those that read nothing.
const MOST_STATES: usize = 512;

/// The positions and results that are reachable without reading a character.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reached {
    /// Positions that wait for a character.
    pub waiting: Set,
    /// True if the pattern is found.
    pub found: bool,
    /// True if the pattern is found if the text ends here.
    pub found_at_end: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Positions {
    /// The state of each position.
    states: Vec<u32>,
    /// Reachable at the start of the text.
    pub start: Reached,
    /// Reachable at any other place, because the pattern can begin there.
    pub elsewhere: Reached,
    /// For each position, the positions that wait after it has read its character.
    after: Vec<Set>,
    /// The positions after which the pattern is found, and those after which it is found if the text ends.
    found: Set,
    found_at_end: Set,
    /// The kind of each ASCII character. The same positions read all characters of a kind.
    pub kinds: [u8; 128],
    /// The positions that read a character of each kind.
    pub readers: Vec<Set>,
}

impl Positions {
    /// Returns the positions of an automaton, if they are few, and the number of states that were followed to find them.
    pub(super) fn build(automaton: &Automaton) -> Option<(Self, usize)> {
        let all = automaton.states();
        let reads = |state: &State| matches!(state, State::Char(_) | State::Class(_));
        let is_word_edge = |state: &State| matches!(state, State::Edge(Edge::Word | Edge::NoWord));
        let count = all.iter().filter(|state| reads(state)).count();
        if count > Set::BITS as usize || all.len() > MOST_STATES || all.iter().any(is_word_edge) {
            return None;
        }
        let mut states = Vec::with_capacity(count);
        let mut closure = Closure {
            automaton,
            positions: vec![0; all.len()],
            seen: vec![[0; 2]; all.len()],
            round: 0,
            visits: 0,
        };
        for (at, state) in all.iter().enumerate() {
            if reads(state) {
                closure.positions.get_mut(at).into_iter().for_each(|position| *position = states.len());
                states.push(u32::try_from(at).unwrap_or(u32::MAX));
            }
        }
        let (kinds, readers) = kinds(automaton, &states);
        let mut positions = Self {
            start: closure.from(0, true),
            elsewhere: closure.from(0, false),
            after: Vec::with_capacity(count),
            found: 0,
            found_at_end: 0,
            states,
            kinds,
            readers,
        };
        for (position, state) in positions.states.iter().enumerate() {
            let reached = closure.from(state + 1, false);
            positions.after.push(reached.waiting);
            positions.found |= Set::from(reached.found) << position;
            positions.found_at_end |= Set::from(reached.found_at_end) << position;
        }
        Some((positions, closure.visits))
    }

    /// Returns the number of precomputed sets.
    pub(super) const fn len(&self) -> usize {
        self.after.len() + self.readers.len()
    }

    /// Returns whether the pattern is found anywhere in `text`. Follows the sets of positions.
    pub(super) fn follow(&self, automaton: &Automaton, text: &str, steps: &mut Steps) -> Result<bool, Error> {
        let mut here = self.start;
        for character in text.chars() {
            steps.spend(here.waiting.count_ones() as usize)?;
            let readers = match self.kinds.get(character as usize) {
                Some(kind) => self.readers(*kind) & here.waiting,
                None => self.readers_of(automaton, character, here.waiting),
            };
            here = self.read(readers);
            if here.found || (here.waiting == 0 && !here.found_at_end) {
                return Ok(here.found);
            }
        }
        Ok(here.found_at_end)
    }

    /// Returns what is reachable after the positions in `readers` have read a character.
    pub(super) fn read(&self, readers: Set) -> Reached {
        let mut waiting = self.elsewhere.waiting;
        let mut left = readers;
        while left != 0 {
            waiting |= self.after.get(left.trailing_zeros() as usize).copied().unwrap_or_default();
            left &= left - 1;
        }
        Reached {
            waiting,
            found: self.elsewhere.found || readers & self.found != 0,
            found_at_end: self.elsewhere.found_at_end || readers & self.found_at_end != 0,
        }
    }

    pub(super) fn readers(&self, kind: u8) -> Set {
        self.readers.get(usize::from(kind)).copied().unwrap_or_default()
    }

    /// Returns the positions in `waiting` that read a character.
    fn readers_of(&self, automaton: &Automaton, character: char, waiting: Set) -> Set {
        let mut readers = 0;
        let mut left = waiting;
        while left != 0 {
            let position = left.trailing_zeros();
            left &= left - 1;
            let state = self.states.get(position as usize);
            if state.is_some_and(|state| automaton.reads(*state, character)) {
                readers |= 1 << position;
            }
        }
        readers
    }
}

/// Returns the kinds of ASCII characters, and the positions that read each kind.
fn kinds(automaton: &Automaton, states: &[u32]) -> ([u8; 128], Vec<Set>) {
    let mut by_character = vec![0; 128];
    for (position, state) in states.iter().enumerate() {
        let mut characters = automaton.ascii(*state);
        while characters != 0 {
            let character = characters.trailing_zeros() as usize;
            characters &= characters - 1;
            by_character
                .get_mut(character)
                .into_iter()
                .for_each(|readers: &mut Set| *readers |= 1 << position);
        }
    }
    let (mut kinds, mut readers) = ([0; 128], Vec::new());
    let mut last = 0;
    for (kind, by) in kinds.iter_mut().zip(by_character) {
        // Neighbors usually have the same kind.
        if readers.get(last) != Some(&by) {
            last = readers.iter().position(|known| *known == by).unwrap_or(readers.len());
            if last == readers.len() {
                readers.push(by);
            }
        }
        *kind = u8::try_from(last).unwrap_or_default();
    }
    (kinds, readers)
}

/// Follows the states that read nothing.
struct Closure<'a> {
    automaton: &'a Automaton,
    /// For each state that reads, its position.
    positions: Vec<usize>,
    /// The round in which each state was last followed: normally, and after an assertion of the end.
    seen: Vec<[u32; 2]>,
    round: u32,
    visits: usize,
}

impl Closure<'_> {
    fn from(&mut self, state: u32, at_start: bool) -> Reached {
        self.round += 1;
        let mut reached = Reached::default();
        let mut stack = vec![(state, false)];
        while let Some((at, at_end)) = stack.pop() {
            let seen = self.seen.get_mut(at as usize).and_then(|seen| seen.get_mut(usize::from(at_end)));
            let Some(seen) = seen.filter(|seen| **seen != self.round) else { continue };
            *seen = self.round;
            self.visits += 1;
            match self.automaton.state(at) {
                State::Found if at_end => reached.found_at_end = true,
                State::Found => reached.found = true,
                State::Char(_) | State::Class(_) if at_end => {}
                State::Char(_) | State::Class(_) => {
                    reached.waiting |= 1 << self.positions.get(at as usize).copied().unwrap_or_default();
                }
                State::Edge(Edge::Start) if at_start => stack.push((at + 1, at_end)),
                State::Edge(Edge::End) => stack.push((at + 1, true)),
                State::Edge(_) => {}
                State::Fork(other) => stack.extend([(other, at_end), (at + 1, at_end)]),
                State::Jump(target) => stack.push((target, at_end)),
            }
        }
        reached
    }
}
