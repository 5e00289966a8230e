//! The automaton of a pattern, and following all of its states at once.

use alloc::{boxed::Box, format, vec, vec::Vec};
use core::mem;

use super::{
    class::{Class, is_word},
    parser::{Edge, Parsed, Tree},
    positions::Positions,
};
use crate::{codes, error::Error, steps::Steps};

/// How many states a pattern may stand for.
const MAX_STATES: usize = 1 << 14;

/// One state; what comes after it is the next one, unless it says otherwise.
#[derive(Clone, Copy, Debug)]
pub(super) enum State {
    Char(char),
    /// One character of the set with that number.
    Class(u32),
    /// Nothing, at such a place.
    Edge(Edge),
    /// Nothing, and then both the next state and that one.
    Fork(u32),
    /// Nothing, and then that state.
    Jump(u32),
    Found,
}

#[derive(Clone, Debug)]
pub(super) struct Automaton {
    states: Box<[State]>,
    classes: Box<[Class]>,
    /// What makes finding quick, where the pattern has it.
    positions: Option<Box<Positions>>,
}

impl Automaton {
    pub(super) fn build(pattern: Parsed, steps: &mut Steps) -> Result<Self, Error> {
        let mut builder = Builder { states: Vec::new(), steps };
        builder.add(&pattern.tree)?;
        builder.push(State::Found)?;
        let states = builder.states.into();
        let mut automaton = Self { states, classes: pattern.classes.into(), positions: None };
        automaton.positions = Positions::of(&automaton, steps).map(Box::new);
        Ok(automaton)
    }

    /// Whether the pattern is found anywhere in `text`.
    pub(super) fn finds(&self, text: &str, steps: &mut Steps) -> Result<bool, Error> {
        if let Some(positions) = &self.positions {
            return positions.find(self, text, steps);
        }
        let mut search = Search::new(self, steps)?;
        let anchored = matches!(self.states.first(), Some(State::Edge(Edge::Start)));
        let mut rest = text.chars();
        let mut place = Place { before: None, after: rest.next() };
        loop {
            // The pattern may begin anywhere, so the first state joins at every place.
            if !anchored || place.before.is_none() {
                search.arrivals.push(0);
            }
            if search.arrive(place)? {
                return Ok(true);
            }
            let Some(character) = place.after else { return Ok(false) };
            search.read(character)?;
            if anchored && search.arrivals.is_empty() {
                return Ok(false);
            }
            place = Place { before: Some(character), after: rest.next() };
        }
    }

    pub(super) fn states(&self) -> &[State] {
        &self.states
    }

    /// The ASCII characters that a state reads, a bit each.
    pub(super) fn ascii(&self, at: u32) -> u128 {
        match self.state(at) {
            State::Char(character) if character.is_ascii() => 1 << u32::from(character),
            State::Class(number) => self.classes.get(number as usize).map_or(0, Class::ascii),
            _ => 0,
        }
    }

    pub(super) fn state(&self, at: u32) -> State {
        self.states.get(at as usize).copied().unwrap_or(State::Found)
    }

    /// Whether a state reads that character.
    pub(super) fn reads(&self, at: u32, character: char) -> bool {
        match self.state(at) {
            State::Char(expected) => expected == character,
            State::Class(number) => {
                let class = self.classes.get(number as usize);
                class.is_some_and(|class| class.contains(character))
            }
            _ => false,
        }
    }
}

/// Lays the states out.
struct Builder<'s> {
    states: Vec<State>,
    steps: &'s mut Steps,
}

impl Builder<'_> {
    fn add(&mut self, tree: &Tree) -> Result<(), Error> {
        self.steps.spend(1)?;
        match tree {
            Tree::Char(character) => self.push(State::Char(*character)),
            Tree::Class(number) => self.push(State::Class(*number)),
            Tree::Edge(edge) => self.push(State::Edge(*edge)),
            Tree::Sequence(parts) => parts.iter().try_for_each(|part| self.add(part)),
            Tree::Either(choices) => self.either(choices),
            Tree::Repeat { tree, least, most } => self.repeat(tree, *least, *most),
        }
    }

    fn either(&mut self, choices: &[Tree]) -> Result<(), Error> {
        let mut exits = Vec::new();
        for (index, choice) in choices.iter().enumerate() {
            let is_last = index + 1 == choices.len();
            let fork = self.here();
            if !is_last {
                self.push(State::Fork(0))?;
            }
            self.add(choice)?;
            if !is_last {
                exits.push(self.here());
                self.push(State::Jump(0))?;
                self.aim(fork, State::Fork(self.here()));
            }
        }
        for exit in exits {
            self.aim(exit, State::Jump(self.here()));
        }
        Ok(())
    }

    fn repeat(&mut self, tree: &Tree, least: u32, most: Option<u32>) -> Result<(), Error> {
        for _ in 0..least {
            self.add(tree)?;
        }
        let Some(most) = most else {
            let fork = self.here();
            self.push(State::Fork(0))?;
            self.add(tree)?;
            self.push(State::Jump(fork))?;
            self.aim(fork, State::Fork(self.here()));
            return Ok(());
        };
        let mut exits = Vec::new();
        for _ in least..most {
            exits.push(self.here());
            self.push(State::Fork(0))?;
            self.add(tree)?;
        }
        for exit in exits {
            self.aim(exit, State::Fork(self.here()));
        }
        Ok(())
    }

    fn push(&mut self, state: State) -> Result<(), Error> {
        if self.states.len() >= MAX_STATES {
            let message = format!("a pattern that stands for more than {MAX_STATES} states");
            return Err(Error::new(codes::LIMIT_EXCEEDED, message));
        }
        self.states.push(state);
        Ok(())
    }

    fn here(&self) -> u32 {
        // `MAX_STATES` is far below.
        u32::try_from(self.states.len()).unwrap_or(u32::MAX)
    }

    /// Replaces a state whose target was not known.
    fn aim(&mut self, at: u32, state: State) {
        if let Some(slot) = self.states.get_mut(at as usize) {
            *slot = state;
        }
    }
}

/// A place in the text: the characters around it.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub before: Option<char>,
    pub after: Option<char>,
}

impl Place {
    pub(super) fn is(self, edge: Edge) -> bool {
        let is_word_edge = self.before.is_some_and(is_word) != self.after.is_some_and(is_word);
        match edge {
            Edge::Start => self.before.is_none(),
            Edge::End => self.after.is_none(),
            Edge::Word => is_word_edge,
            Edge::NoWord => !is_word_edge,
        }
    }
}

/// The states that are followed.
struct Search<'a, 's> {
    automaton: &'a Automaton,
    steps: &'s mut Steps,
    /// States to follow from the place that comes next.
    arrivals: Vec<u32>,
    /// States that wait for a character.
    waiting: Vec<u32>,
    /// For each state the round in which it was last followed, so that none is followed twice in one.
    followed: Vec<u32>,
    round: u32,
}

impl<'a, 's> Search<'a, 's> {
    fn new(automaton: &'a Automaton, steps: &'s mut Steps) -> Result<Self, Error> {
        let count = automaton.states.len();
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

    /// Follows the arrivals through all states that read nothing; true if the pattern is found.
    fn arrive(&mut self, place: Place) -> Result<bool, Error> {
        // A text has fewer places than there are rounds: documents are limited to 8 MiB.
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
                State::Edge(edge) if place.is(edge) => self.arrivals.push(at + 1),
                State::Edge(_) => {}
                State::Fork(other) => self.arrivals.extend([other, at + 1]),
                State::Jump(target) => self.arrivals.push(target),
            }
        }
        Ok(false)
    }

    /// Lets the waiting states read a character.
    fn read(&mut self, character: char) -> Result<(), Error> {
        self.steps.spend(self.waiting.len())?;
        let mut waiting = mem::take(&mut self.waiting);
        for at in waiting.drain(..) {
            if self.automaton.reads(at, character) {
                self.arrivals.push(at + 1);
            }
        }
        // Its room serves the next round.
        self.waiting = waiting;
        Ok(())
    }
}
