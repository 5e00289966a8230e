//! The automaton of a pattern.

use alloc::{boxed::Box, format, vec::Vec};

use super::{
    class::Class,
    tree::{Edge, ParsedPattern, PatternTree},
};
use crate::{codes, error::Error, steps::Steps};

/// The most states of a pattern.
const MAX_STATES: usize = 1 << 14;

/// A state. Its successor is the next state, unless noted.
#[derive(Clone, Copy, Debug)]
pub(super) enum State {
    Char(char),
    /// Reads one character of the class with this index.
    Class(u32),
    /// Reads nothing, at an edge.
    Edge(Edge),
    /// Reads nothing. Continues with the next state and with this one.
    Fork(u32),
    /// Reads nothing. Continues with this state.
    Jump(u32),
    Found,
}

#[derive(Clone, Debug)]
pub(super) struct Automaton {
    states: Box<[State]>,
    classes: Box<[Class]>,
}

impl Automaton {
    pub(super) fn build(pattern: ParsedPattern, steps: &mut Steps) -> Result<Self, Error> {
        let mut builder = AutomatonBuilder { states: Vec::new(), steps };
        builder.add(&pattern.tree)?;
        builder.push(State::Found)?;
        Ok(Self { states: builder.states.into(), classes: pattern.classes.into() })
    }

    pub(super) fn states(&self) -> &[State] {
        &self.states
    }

    /// Returns the ASCII characters that a state reads, one bit each.
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

    /// Returns whether a state reads a character.
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

/// Writes the states.
struct AutomatonBuilder<'s> {
    states: Vec<State>,
    steps: &'s mut Steps,
}

impl AutomatonBuilder<'_> {
    fn add(&mut self, tree: &PatternTree) -> Result<(), Error> {
        self.steps.spend(1)?;
        match tree {
            PatternTree::Char(character) => self.push(State::Char(*character)),
            PatternTree::Class(number) => self.push(State::Class(*number)),
            PatternTree::Edge(edge) => self.push(State::Edge(*edge)),
            PatternTree::Sequence(parts) => parts.iter().try_for_each(|part| self.add(part)),
            PatternTree::Either(choices) => self.either(choices),
            PatternTree::Repeat { tree, least, most } => self.repeat(tree, *least, *most),
        }
    }

    fn either(&mut self, choices: &[PatternTree]) -> Result<(), Error> {
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

    fn repeat(&mut self, tree: &PatternTree, least: u32, most: Option<u32>) -> Result<(), Error> {
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
            let message = format!("the pattern expands to more than {MAX_STATES} states");
            return Err(Error::new(codes::LIMIT_EXCEEDED, message));
        }
        self.states.push(state);
        Ok(())
    }

    fn here(&self) -> u32 {
        // At most `MAX_STATES`.
        u32::try_from(self.states.len()).unwrap_or(u32::MAX)
    }

    /// Sets the target of a state that was pushed before the target was known.
    fn aim(&mut self, at: u32, state: State) {
        if let Some(slot) = self.states.get_mut(at as usize) {
            *slot = state;
        }
    }
}
