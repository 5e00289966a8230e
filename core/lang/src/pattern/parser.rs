//! From the text of a pattern to its tree.

use alloc::{boxed::Box, format, string::String, vec::Vec};

use super::{
    class::{Class, Named},
    escape::Escape,
};
use crate::{codes, error::Error, steps::Steps};

/// How deep groups may nest: what walks the tree is recursive, and a module's stack is small.
const MAX_NESTING: usize = 50;

/// What a pattern says.
#[derive(Debug)]
pub(super) enum Tree {
    Char(char),
    /// One character of the set with that number.
    Class(u32),
    Edge(Edge),
    Sequence(Vec<Tree>),
    Either(Vec<Tree>),
    Repeat {
        tree: Box<Tree>,
        least: u32,
        most: Option<u32>,
    },
}

/// A place between characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    Start,
    End,
    Word,
    NoWord,
}

/// A pattern's tree and its sets.
#[derive(Debug)]
pub(super) struct Parsed {
    pub tree: Tree,
    pub classes: Vec<Class>,
}

/// Reads a pattern.
pub(super) fn parse(text: &str, steps: &mut Steps) -> Result<Parsed, Error> {
    let mut parser = Parser { text, at: 0, nesting: 0, classes: Vec::new(), steps };
    let tree = parser.alternatives()?;
    match parser.peek() {
        None => Ok(Parsed { tree, classes: parser.classes }),
        Some(_) => Err(parser.fault(parser.at, "a `)` without `(`")),
    }
}

pub(super) struct Parser<'p, 's> {
    text: &'p str,
    /// The byte that comes next.
    at: usize,
    nesting: usize,
    classes: Vec<Class>,
    steps: &'s mut Steps,
}

impl Parser<'_, '_> {
    fn alternatives(&mut self) -> Result<Tree, Error> {
        let first = self.sequence()?;
        if self.peek() != Some('|') {
            return Ok(first);
        }
        let mut choices = Vec::from([first]);
        while self.eat("|") {
            choices.push(self.sequence()?);
        }
        Ok(Tree::Either(choices))
    }

    fn sequence(&mut self) -> Result<Tree, Error> {
        let mut parts = Vec::new();
        while !matches!(self.peek(), None | Some('|' | ')')) {
            let part = self.atom()?;
            parts.push(self.repeated(part)?);
        }
        Ok(Tree::Sequence(parts))
    }

    fn atom(&mut self) -> Result<Tree, Error> {
        let from = self.at;
        match self.next() {
            None => Ok(Tree::Sequence(Vec::new())),
            Some('^') => Ok(Tree::Edge(Edge::Start)),
            Some('$') => Ok(Tree::Edge(Edge::End)),
            Some('.') => self.class(Named::Dot.ranges(false), false),
            Some('(') => self.group(from),
            Some('[') => self.set(from),
            Some('*' | '+' | '?') => Err(self.fault(from, "nothing to repeat")),
            Some('{') if self.bounds().is_some() => Err(self.fault(from, "nothing to repeat")),
            Some('\\') => match self.escape(from)? {
                Escape::Char(character) => Ok(Tree::Char(character)),
                Escape::Class(named, negated) => self.class(named.ranges(negated), false),
                Escape::Edge(edge) => Ok(Tree::Edge(edge)),
            },
            Some(plain) => Ok(Tree::Char(plain)),
        }
    }

    /// What follows an atom: how often it comes.
    fn repeated(&mut self, tree: Tree) -> Result<Tree, Error> {
        let from = self.at;
        let bounds = match self.next() {
            Some('*') => Some((0, None)),
            Some('+') => Some((1, None)),
            Some('?') => Some((0, Some(1))),
            Some('{') => self.bounds(),
            _ => None,
        };
        let Some((least, most)) = bounds else {
            self.at = from;
            return Ok(tree);
        };
        if matches!(tree, Tree::Edge(_)) {
            return Err(self.fault(from, "nothing to repeat"));
        }
        if most.is_some_and(|most| most < least) {
            return Err(self.fault(from, "a repetition that ends before it begins"));
        }
        // Greed decides what a group captures, not whether the text matches.
        self.eat("?");
        Ok(Tree::Repeat { tree: Box::new(tree), least, most })
    }

    /// `2}`, `2,}` or `2,5}` after a `{`; `None`, and nothing read, for anything else.
    fn bounds(&mut self) -> Option<(u32, Option<u32>)> {
        let from = self.at;
        let mut read = || {
            let least = self.digits()?;
            if self.eat("}") {
                return Some((least, Some(least)));
            }
            let most = if self.eat(",") { self.digits() } else { return None };
            self.eat("}").then_some((least, most))
        };
        let bounds = read();
        if bounds.is_none() {
            self.at = from;
        }
        bounds
    }

    /// The number at the cursor; one that is too large is the largest, which no pattern can have room for.
    fn digits(&mut self) -> Option<u32> {
        let rest = self.rest();
        let end = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
        let digits = rest.get(..end).filter(|digits| !digits.is_empty())?;
        let number = digits.parse().unwrap_or(u32::MAX);
        self.at += end;
        Some(number)
    }

    /// The rest of the group whose `(` is at `from`.
    fn group(&mut self, from: usize) -> Result<Tree, Error> {
        if self.eat("?") {
            self.group_kind(from)?;
        }
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            let message = format!("more than {MAX_NESTING} nested groups in a pattern");
            return Err(Error::new(codes::LIMIT_EXCEEDED, message));
        }
        let tree = self.alternatives()?;
        self.nesting -= 1;
        if self.eat(")") { Ok(tree) } else { Err(self.fault(from, "a `(` without `)`")) }
    }

    /// What follows `(?`.
    fn group_kind(&mut self, from: usize) -> Result<(), Error> {
        if self.eat(":") {
            return Ok(());
        }
        for look in ["=", "!", "<=", "<!"] {
            if self.eat(look) {
                return Err(self.fault(from, &format!("look-around `(?{look}` is not supported")));
            }
        }
        if !self.eat("<") {
            let kind = self.next().map(String::from).unwrap_or_default();
            return Err(self.fault(from, &format!("unknown group `(?{kind}`")));
        }
        let name = self.rest().split('>').next().unwrap_or_default();
        // All letters beyond ASCII will do: a table of those that Unicode has would be larger than all of this.
        let is_plain =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || !byte.is_ascii();
        if name.is_empty()
            || name.starts_with(|first: char| first.is_ascii_digit())
            || !name.bytes().all(is_plain)
        {
            return Err(self.fault(from, "a group's name is letters, digits, `_` and `$`"));
        }
        self.at += name.len() + 1;
        Ok(())
    }

    /// The rest of the set whose `[` is at `from`.
    fn set(&mut self, from: usize) -> Result<Tree, Error> {
        let negated = self.eat("^");
        let mut ranges = Vec::new();
        while !self.eat("]") {
            let start = self.at;
            let first = self.member(from)?;
            let dash = self.at;
            if !self.eat("-") || self.peek() == Some(']') {
                self.at = dash;
                first.add_to(&mut ranges);
                continue;
            }
            match (first, self.member(from)?) {
                (Escape::Char(first), Escape::Char(last)) if first > last => {
                    return Err(self.fault(start, "a range that ends before it begins"));
                }
                (Escape::Char(first), Escape::Char(last)) => ranges.push((first.into(), last.into())),
                // No range: the `-` stands for itself.
                (first, last) => {
                    [first, Escape::Char('-'), last].iter().for_each(|part| part.add_to(&mut ranges));
                }
            }
        }
        self.class(ranges, negated)
    }

    /// One member of the set whose `[` is at `set`.
    fn member(&mut self, set: usize) -> Result<Escape, Error> {
        let from = self.at;
        match self.next() {
            None => Err(self.fault(set, "a `[` without `]`")),
            Some('\\') => match self.escape(from)? {
                Escape::Edge(Edge::Word) => Ok(Escape::Char('\u{8}')),
                Escape::Edge(_) => Err(self.fault(from, r"unknown escape `\B`")),
                escape => Ok(escape),
            },
            Some(plain) => Ok(Escape::Char(plain)),
        }
    }

    /// Keeps a set; large ones count, for a short name may stand for hundreds of ranges.
    fn class(&mut self, ranges: Vec<(u32, u32)>, negated: bool) -> Result<Tree, Error> {
        self.steps.spend(ranges.len())?;
        let number = u32::try_from(self.classes.len()).unwrap_or(u32::MAX);
        self.classes.push(if negated { Class::complement(ranges) } else { Class::new(ranges) });
        Ok(Tree::Class(number))
    }

    pub(super) fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Moves `length` bytes on.
    pub(super) const fn skip(&mut self, length: usize) {
        self.at += length;
    }

    /// Moves behind `word` if it comes next.
    pub(super) fn eat(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word);
        self.at += if found { word.len() } else { 0 };
        found
    }

    /// An error about what begins at byte `at`.
    pub(super) fn fault(&self, at: usize, fault: &str) -> Error {
        let character = self.text.get(..at).unwrap_or_default().chars().count() + 1;
        Error::new(codes::INVALID_VALUE, format!("{fault}, character {character} of the pattern"))
    }
}
