//! The syntax tree of a pattern.

use alloc::{boxed::Box, vec::Vec};

use super::class::Class;

/// The syntax tree of a pattern.
#[derive(Debug)]
pub(super) enum PatternTree {
    Char(char),
    /// One character of the class with this index.
    Class(u32),
    Edge(Edge),
    Sequence(Vec<PatternTree>),
    Either(Vec<PatternTree>),
    Repeat {
        tree: Box<PatternTree>,
        least: u32,
        most: Option<u32>,
    },
}

/// An assertion about the position between two characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    Start,
    End,
    Word,
    NoWord,
}

/// The syntax tree of a pattern and its classes.
#[derive(Debug)]
pub(super) struct ParsedPattern {
    pub tree: PatternTree,
    pub classes: Vec<Class>,
}
