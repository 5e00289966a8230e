//! The parser of patterns.

use alloc::{boxed::Box, format, string::String, vec::Vec};

use super::{
    class::{Class, NamedClass},
    cursor::Cursor,
    escape::Escape,
    tree::{Edge, ParsedPattern, PatternTree},
};
use crate::{codes, error::Error, steps::Steps};

/// The most nested groups: the functions that visit the tree are recursive, and a module's stack is small.
const MAX_NESTING: usize = 50;

/// Parses a pattern.
pub(super) fn parse(text: &str, steps: &mut Steps) -> Result<ParsedPattern, Error> {
    let mut parser = Parser { cursor: Cursor { text, at: 0 }, nesting: 0, classes: Vec::new(), steps };
    let tree = parser.alternatives()?;
    match parser.cursor.peek() {
        None => Ok(ParsedPattern { tree, classes: parser.classes }),
        Some(_) => Err(parser.cursor.fault(parser.cursor.at, "a `)` without `(`")),
    }
}

struct Parser<'p, 's> {
    cursor: Cursor<'p>,
    nesting: usize,
    classes: Vec<Class>,
    steps: &'s mut Steps,
}

impl Parser<'_, '_> {
    fn alternatives(&mut self) -> Result<PatternTree, Error> {
        let first = self.sequence()?;
        if self.cursor.peek() != Some('|') {
            return Ok(first);
        }
        let mut choices = Vec::from([first]);
        while self.cursor.eat("|") {
            choices.push(self.sequence()?);
        }
        Ok(PatternTree::Either(choices))
    }

    fn sequence(&mut self) -> Result<PatternTree, Error> {
        let mut parts = Vec::new();
        while !matches!(self.cursor.peek(), None | Some('|' | ')')) {
            let part = self.atom()?;
            parts.push(self.repeated(part)?);
        }
        Ok(PatternTree::Sequence(parts))
    }

    fn atom(&mut self) -> Result<PatternTree, Error> {
        let from = self.cursor.at;
        match self.cursor.next() {
            None => Ok(PatternTree::Sequence(Vec::new())),
            Some('^') => Ok(PatternTree::Edge(Edge::Start)),
            Some('$') => Ok(PatternTree::Edge(Edge::End)),
            Some('.') => self.class(NamedClass::Dot.ranges(false), false),
            Some('(') => self.group(from),
            Some('[') => self.set(from),
            Some('*' | '+' | '?') => Err(self.cursor.fault(from, "nothing to repeat")),
            Some('{') if self.bounds().is_some() => Err(self.cursor.fault(from, "nothing to repeat")),
            Some('\\') => match self.cursor.escape(from)? {
                Escape::Char(character) => Ok(PatternTree::Char(character)),
                Escape::Class(named, negated) => self.class(named.ranges(negated), false),
                Escape::Edge(edge) => Ok(PatternTree::Edge(edge)),
            },
            Some(plain) => Ok(PatternTree::Char(plain)),
        }
    }

    /// Parses the repetition after an atom.
    fn repeated(&mut self, tree: PatternTree) -> Result<PatternTree, Error> {
        let from = self.cursor.at;
        let bounds = match self.cursor.next() {
            Some('*') => Some((0, None)),
            Some('+') => Some((1, None)),
            Some('?') => Some((0, Some(1))),
            Some('{') => self.bounds(),
            _ => None,
        };
        let Some((least, most)) = bounds else {
            self.cursor.at = from;
            return Ok(tree);
        };
        if matches!(tree, PatternTree::Edge(_)) {
            return Err(self.cursor.fault(from, "nothing to repeat"));
        }
        if most.is_some_and(|most| most < least) {
            return Err(self.cursor.fault(from, "a repetition that ends before it begins"));
        }
        // Greed affects captures, and not whether the text matches.
        self.cursor.eat("?");
        Ok(PatternTree::Repeat { tree: Box::new(tree), least, most })
    }

    /// Parses `2}`, `2,}` or `2,5}` after a `{`. For anything else, returns `None` and does not move.
    fn bounds(&mut self) -> Option<(u32, Option<u32>)> {
        let from = self.cursor.at;
        let mut read = || {
            let least = self.cursor.digits()?;
            if self.cursor.eat("}") {
                return Some((least, Some(least)));
            }
            let most = if self.cursor.eat(",") { self.cursor.digits() } else { return None };
            self.cursor.eat("}").then_some((least, most))
        };
        let bounds = read();
        if bounds.is_none() {
            self.cursor.at = from;
        }
        bounds
    }

    /// Parses the rest of the group whose `(` is at `from`.
    fn group(&mut self, from: usize) -> Result<PatternTree, Error> {
        if self.cursor.eat("?") {
            self.group_kind(from)?;
        }
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            let message = format!("more than {MAX_NESTING} nested groups in a pattern");
            return Err(Error::new(codes::LIMIT_EXCEEDED, message));
        }
        let tree = self.alternatives()?;
        self.nesting -= 1;
        if self.cursor.eat(")") { Ok(tree) } else { Err(self.cursor.fault(from, "a `(` without `)`")) }
    }

    /// Parses the text after `(?`.
    fn group_kind(&mut self, from: usize) -> Result<(), Error> {
        if self.cursor.eat(":") {
            return Ok(());
        }
        for look in ["=", "!", "<=", "<!"] {
            if self.cursor.eat(look) {
                return Err(self.cursor.fault(from, &format!("look-around `(?{look}` is not supported")));
            }
        }
        if !self.cursor.eat("<") {
            let kind = self.cursor.next().map(String::from).unwrap_or_default();
            return Err(self.cursor.fault(from, &format!("unknown group `(?{kind}`")));
        }
        let name = self.cursor.rest().split('>').next().unwrap_or_default();
        // Accepts all characters beyond ASCII, because a table of Unicode's identifier characters would be larger than this module.
        let is_plain =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || !byte.is_ascii();
        if name.is_empty()
            || name.starts_with(|first: char| first.is_ascii_digit())
            || !name.bytes().all(is_plain)
        {
            return Err(self.cursor.fault(from, "a group's name is letters, digits, `_` and `$`"));
        }
        self.cursor.at += name.len() + 1;
        Ok(())
    }

    /// Parses the rest of the class whose `[` is at `from`.
    fn set(&mut self, from: usize) -> Result<PatternTree, Error> {
        let negated = self.cursor.eat("^");
        let mut ranges = Vec::new();
        while !self.cursor.eat("]") {
            let start = self.cursor.at;
            let first = self.member(from)?;
            let dash = self.cursor.at;
            if !self.cursor.eat("-") || self.cursor.peek() == Some(']') {
                self.cursor.at = dash;
                first.add_to(&mut ranges);
                continue;
            }
            match (first, self.member(from)?) {
                (Escape::Char(first), Escape::Char(last)) if first > last => {
                    return Err(self.cursor.fault(start, "a range that ends before it begins"));
                }
                (Escape::Char(first), Escape::Char(last)) => ranges.push((first.into(), last.into())),
                // Not a range: the `-` is an ordinary character.
                (first, last) => {
                    [first, Escape::Char('-'), last].iter().for_each(|part| part.add_to(&mut ranges));
                }
            }
        }
        self.class(ranges, negated)
    }

    /// Parses one entry of the class whose `[` is at `set`.
    fn member(&mut self, set: usize) -> Result<Escape, Error> {
        let from = self.cursor.at;
        match self.cursor.next() {
            None => Err(self.cursor.fault(set, "a `[` without `]`")),
            Some('\\') => match self.cursor.escape(from)? {
                Escape::Edge(Edge::Word) => Ok(Escape::Char('\u{8}')),
                Escape::Edge(_) => Err(self.cursor.fault(from, r"unknown escape `\B`")),
                escape => Ok(escape),
            },
            Some(plain) => Ok(Escape::Char(plain)),
        }
    }

    /// Stores a class. Its ranges cost steps, because a short name can mean hundreds of ranges.
    fn class(&mut self, ranges: Vec<(u32, u32)>, negated: bool) -> Result<PatternTree, Error> {
        self.steps.spend(ranges.len())?;
        let number = u32::try_from(self.classes.len()).unwrap_or(u32::MAX);
        self.classes.push(if negated { Class::complement(ranges) } else { Class::new(ranges) });
        Ok(PatternTree::Class(number))
    }
}
