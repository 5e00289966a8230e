//! The simulation of an automaton with all states at once.

use alloc::{vec, vec::Vec};
use core::mem;

use super::{
    automaton::{Automaton, State},
    class::is_word,
    tree::Edge,
};
use crate::{error::Error, steps::Steps};

/// Returns whether the pattern is found anywhere in `text`.
pub(super) fn finds(automaton: &Automaton, text: &str, steps: &mut Steps) -> Result<bool, Error> {
    let mut search = Search::new(automaton, steps)?;
    let anchored = matches!(automaton.states().first(), Some(State::Edge(Edge::Start)));
    let mut rest = text.chars();
    let mut position = TextPosition { before: None, after: rest.next() };
    loop {
        // The pattern can begin anywhere, so the first state is added at every position.
        if !anchored || position.before.is_none() {
            search.arrivals.push(0);
        }
        if search.arrive(position)? {
            return Ok(true);
        }
        let Some(character) = position.after else { return Ok(false) };
        search.read(character)?;
        if anchored && search.arrivals.is_empty() {
            return Ok(false);
        }
        position = TextPosition { before: Some(character), after: rest.next() };
    }
}

/// A position in the text: the characters around it.
#[derive(Clone, Copy)]
struct TextPosition {
    before: Option<char>,
    after: Option<char>,
}

impl TextPosition {
    fn is(self, edge: Edge) -> bool {
        let is_word_edge = self.before.is_some_and(is_word) != self.after.is_some_and(is_word);
        match edge {
            Edge::Start => self.before.is_none(),
            Edge::End => self.after.is_none(),
            Edge::Word => is_word_edge,
            Edge::NoWord => !is_word_edge,
        }
    }
}

/// The simulation of the automaton.
struct Search<'a, 's> {
    automaton: &'a Automaton,
    steps: &'s mut Steps,
    /// States to follow at the next position.
    arrivals: Vec<u32>,
    /// States that wait for a character.
    waiting: Vec<u32>,
    /// For each state, the round in which it was last followed, so that each is followed once per round.
    followed: Vec<u32>,
    round: u32,
}

impl<'a, 's> Search<'a, 's> {
    fn new(automaton: &'a Automaton, steps: &'s mut Steps) -> Result<Self, Error> {
        let count = automaton.states().len();
        steps.spend(count)?;
        Ok(Self {
            automaton,
            steps,
            arrivals: Vec::new(),
            waiting: Vec::new(),
            followed: vec![0; count],
            round: 0,
        })
    }

    /// Follows the arrivals through all states that read nothing. Returns `true` if the pattern is found.
    fn arrive(&mut self, position: TextPosition) -> Result<bool, Error> {
        // Rounds cannot overflow: documents are limited to 8 MiB.
        self.round += 1;
        while let Some(at) = self.arrivals.pop() {
            self.steps.spend(1)?;
            match self.followed.get_mut(at as usize) {
                Some(round) if *round == self.round => continue,
                Some(round) => *round = self.round,
                None => continue,
            }
            match self.automaton.state(at) {
                State::Found => return Ok(true),
                State::Char(_) | State::Class(_) => self.waiting.push(at),
                State::Edge(edge) if position.is(edge) => self.arrivals.push(at + 1),
                State::Edge(_) => {}
                State::Fork(other) => self.arrivals.extend([other, at + 1]),
                State::Jump(target) => self.arrivals.push(target),
            }
        }
        Ok(false)
    }

    /// Moves the waiting states that read a character.
    fn read(&mut self, character: char) -> Result<(), Error> {
        self.steps.spend(self.waiting.len())?;
        let mut waiting = mem::take(&mut self.waiting);
        for at in waiting.drain(..) {
            if self.automaton.reads(at, character) {
                self.arrivals.push(at + 1);
            }
        }
        // Reuses the memory in the next round.
        self.waiting = waiting;
        Ok(())
    }
}
