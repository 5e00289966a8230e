//! The positions of a pattern: its states that read a character, a bit each, with what comes after each worked out before.
//!
//! What reads nothing is gone, so that a character takes a mask and, for each position that reads it, one union. Patterns with
//! more positions than there are bits, and those that look for the edges of words, are followed state by state instead.

use alloc::{vec, vec::Vec};

use super::{
    automaton::{Automaton, State},
    parser::Edge,
    table::Table,
};
use crate::{error::Error, steps::Steps};

/// A set of positions.
pub(super) type Set = u128;

/// How many states a pattern may have, those that read nothing included.
const MOST_STATES: usize = 512;

/// How many steps are left to patterns that come later: without positions they need fewer.
const RESERVE: u64 = 1 << 19;

/// What is reached without reading a character.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reached {
    /// Positions that wait for a character.
    pub waiting: Set,
    /// Whether the pattern is found.
    pub found: bool,
    /// Whether it is, if the text ends here.
    pub found_at_end: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Positions {
    /// The state that each position is.
    states: Vec<u32>,
    /// What is reached at the start of the text.
    pub start: Reached,
    /// What is reached at any other place, for the pattern may begin there.
    pub elsewhere: Reached,
    /// The positions that wait after each has read its character.
    after: Vec<Set>,
    /// Those with which the pattern is found, and those with which it is if the text ends.
    found: Set,
    found_at_end: Set,
    /// ASCII characters by kind: those of one kind are read by the same positions.
    pub kinds: [u8; 128],
    /// The positions that read a character of a kind.
    pub readers: Vec<Set>,
    table: Option<Table>,
}

impl Positions {
    /// Those of an automaton, if it has so few and there is budget for them.
    pub(super) fn of(automaton: &Automaton, steps: &mut Steps) -> Option<Self> {
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
            table: None,
        };
        for (position, state) in positions.states.iter().enumerate() {
            let reached = closure.from(state + 1, false);
            positions.after.push(reached.waiting);
            positions.found |= Set::from(reached.found) << position;
            positions.found_at_end |= Set::from(reached.found_at_end) << position;
        }
        positions.table = Table::of(&positions);
        let room = positions.after.len()
            + positions.readers.len()
            + positions.table.as_ref().map_or(0, Table::len) / 8;
        // A step for eight bytes.
        let cost = 2 * (room + positions.kinds.len() / 16) + closure.visits / 8;
        (steps.left() > RESERVE && steps.spend(cost).is_ok()).then_some(positions)
    }

    /// Whether the pattern is found anywhere in `text`.
    pub(super) fn find(&self, automaton: &Automaton, text: &str, steps: &mut Steps) -> Result<bool, Error> {
        steps.spend(text.len() + 1)?;
        if self.start.found || text.is_empty() {
            return Ok(self.start.found || self.start.found_at_end);
        }
        match self.table.as_ref().and_then(|table| table.finds(&self.kinds, text)) {
            Some(found) => Ok(found),
            None => self.follow(automaton, text, steps),
        }
    }

    fn follow(&self, automaton: &Automaton, text: &str, steps: &mut Steps) -> Result<bool, Error> {
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

    /// What is reached when those positions have read a character.
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

    /// Those of `waiting` that read a character.
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

/// The kinds of ASCII characters, and who reads them.
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
        // Neighbours are mostly of one kind.
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

/// Follows what reads nothing.
struct Closure<'a> {
    automaton: &'a Automaton,
    /// By state, where it reads.
    positions: Vec<usize>,
    /// The round in which each state was last followed: on the way, and behind what asks for the end.
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
