//! From an expression as it is written to a [`Program`].
//!
//! Operands come before what they are operands of, so that their types are known on the way; a stack of our own keeps
//! deep expressions off the machine's.

use alloc::{boxed::Box, format, string::String, vec::Vec};

use super::{
    Mode, check,
    compat::Coercions,
    operator::Operator,
    program::{Known, Part, PartKind, Patterns, Program, segment},
    text::{glob_of, regex_of},
    types::Types,
    value::Value,
};
use crate::{
    codes,
    error::Error,
    json::{self, Kind, Node},
    steps::Steps,
};

/// How many constants, variables and operations an expression may have.
const MAX_PARTS: usize = 1 << 16;

/// A part whose place in the program is not known yet.
pub(super) struct Draft {
    part: Part,
    /// Its value, if it is written as it is.
    pub constant: Option<Value<'static>>,
    /// What it may give.
    pub gives: Types,
}

enum Task<'e> {
    /// Look at an operand, the one at that place.
    Visit(Node<'e>, u32),
    /// All operands of the innermost open part are drafts.
    Close,
}

/// A part whose operands are being looked at.
struct Open {
    /// `None` for a list.
    operator: Option<Operator>,
    bare: bool,
    count: u32,
    /// The operand that is being looked at.
    place: u32,
}

pub(super) struct Compiler<'e, 's> {
    coercions: Option<&'static Coercions>,
    /// The program's, as they grow.
    placed: Vec<Part>,
    constants: Vec<Value<'static>>,
    known: Vec<Known>,
    patterns: Patterns,
    tasks: Vec<Task<'e>>,
    open: Vec<Open>,
    drafts: Vec<Draft>,
    parts: usize,
    /// For patterns.
    steps: &'s mut Steps,
}

impl<'e, 's> Compiler<'e, 's> {
    pub(super) const fn new(coercions: Option<&'static Coercions>, steps: &'s mut Steps) -> Self {
        Self {
            coercions,
            placed: Vec::new(),
            constants: Vec::new(),
            known: Vec::new(),
            patterns: Patterns { globs: Vec::new(), regexes: Vec::new() },
            tasks: Vec::new(),
            open: Vec::new(),
            drafts: Vec::new(),
            parts: 1,
            steps,
        }
    }

    pub(super) fn compile(mut self, expression: Node<'e>) -> Result<Program, Error> {
        self.visit(expression)?;
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Visit(expression, place) => {
                    if let Some(open) = self.open.last_mut() {
                        open.place = place;
                    }
                    self.visit(expression)?;
                }
                Task::Close => self.close()?,
            }
        }
        let root = core::mem::take(&mut self.drafts);
        self.place(root);
        let Self { coercions, placed, constants, known, patterns, .. } = self;
        let has_patterns = !(patterns.globs.is_empty() && patterns.regexes.is_empty());
        Ok(Program {
            coercions,
            parts: placed.into(),
            constants: constants.into(),
            known: known.into(),
            patterns: has_patterns.then(|| Box::new(patterns)),
        })
    }

    const fn mode(&self) -> Mode {
        Mode::of(self.coercions)
    }

    const fn is_strict(&self) -> bool {
        self.coercions.is_none()
    }

    fn visit(&mut self, expression: Node<'e>) -> Result<(), Error> {
        match expression.kind() {
            Kind::Array => self.open(None, false, expression.items().collect()),
            Kind::Object => match self.operation(expression)? {
                Some((operator, operand)) if operand.kind() == Kind::Array => {
                    self.open(Some(operator), false, operand.items().collect())
                }
                Some((operator, operand)) => self.open(Some(operator), true, Vec::from([operand])),
                None => self.constant(Value::from(expression).into_owned()),
            },
            _ => self.constant(Value::from(expression).into_owned()),
        }
    }

    /// The operator and its operands; `None` for an object that is no operation but stands for itself.
    fn operation(&self, object: Node<'e>) -> Result<Option<(Operator, Node<'e>)>, Error> {
        let strict = self.is_strict();
        let mut members = object.members().filter(|(name, _)| !(strict && name.starts_with("x-")));
        let (name, operand) = match (members.next(), members.next()) {
            (Some(only), None) => only,
            _ if !strict => return Ok(None),
            _ => return Err(self.fault("an operation is an object with one member, named by its operator")),
        };
        match Operator::from_name(name) {
            Some(operator) => Ok(Some((operator, operand))),
            None => Err(self.fault(json::unknown("operator", name, Operator::NAMES))),
        }
    }

    fn open(&mut self, operator: Option<Operator>, bare: bool, operands: Vec<Node<'e>>) -> Result<(), Error> {
        if let Some(operator) = operator {
            check::count(operator, operands.len(), self.mode()).map_err(|fault| self.fault(fault))?;
        }
        self.parts += operands.len();
        if self.parts > MAX_PARTS {
            let message = format!("an expression of more than {MAX_PARTS} parts");
            return Err(Error::new(codes::LIMIT_EXCEEDED, message).at(self.pointer()));
        }
        // Far below 4 billion.
        let count = u32::try_from(operands.len()).unwrap_or(u32::MAX);
        self.open.push(Open { operator, bare, count, place: 0 });
        self.tasks.push(Task::Close);
        self.tasks.extend((0..count).zip(operands).rev().map(|(place, node)| Task::Visit(node, place)));
        Ok(())
    }

    fn constant(&mut self, value: Value<'static>) -> Result<(), Error> {
        let gives = value.types();
        // The kind is set when it is placed.
        self.drafts.push(Draft { part: Part::leaf(PartKind::List), constant: Some(value), gives });
        Ok(())
    }

    /// Makes a draft of the innermost open part and the drafts of its operands.
    fn close(&mut self) -> Result<(), Error> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let from = self.drafts.len().saturating_sub(open.count as usize);
        let operands = self.drafts.split_off(from);
        let Some(operator) = open.operator else { return self.close_list(operands) };
        let gives = if self.is_strict() {
            check::types(operator, &operands).map_err(|(place, fault)| {
                let path = self.pointer() + &segment(Some(operator), open.bare, place);
                Error::new(codes::INVALID_EXPRESSION, fault).at(path)
            })?
        } else {
            Types::ANY
        };
        let kind = self.kind(operator, &operands)?;
        let (first, count) = self.place(operands);
        let decides = operator.decides(self.mode());
        let part = Part { kind, bare: open.bare, decides, first, count, parent: 0 };
        self.drafts.push(Draft { part, constant: None, gives });
        Ok(())
    }

    fn close_list(&mut self, items: Vec<Draft>) -> Result<(), Error> {
        if items.iter().all(|draft| draft.constant.is_some()) {
            return self
                .constant(Value::list(items.into_iter().filter_map(|draft| draft.constant).collect()));
        }
        let (first, count) = self.place(items);
        let part = Part { first, count, ..Part::leaf(PartKind::List) };
        self.drafts.push(Draft { part, constant: None, gives: Types::LIST });
        Ok(())
    }

    /// What an operation is, its known path or pattern made ready.
    fn kind(&mut self, operator: Operator, operands: &[Draft]) -> Result<PartKind, Error> {
        let known = |place: usize| operands.get(place).and_then(|draft| draft.constant.as_ref());
        let number = |length: usize| u16::try_from(length).unwrap_or(u16::MAX);
        let pattern = known(1).and_then(Value::as_text);
        Ok(match (operator, pattern) {
            (Operator::Var, _) if known(0).is_some() || operands.is_empty() => {
                let path = check::path(known(0).unwrap_or(&Value::Null), self.coercions);
                let path = path.map_err(|fault| self.fault(fault))?;
                self.known.push(Known { path, number: Known::UNNUMBERED });
                PartKind::Variable(number(self.known.len() - 1))
            }
            (Operator::Glob, Some(pattern)) => {
                let glob = glob_of(pattern, self.steps).map_err(|error| self.locate(error))?;
                self.patterns.globs.push(glob);
                PartKind::Glob(number(self.patterns.globs.len() - 1))
            }
            (Operator::Regex, Some(pattern)) => {
                let regex = regex_of(pattern, self.steps).map_err(|error| self.locate(error))?;
                self.patterns.regexes.push(regex);
                PartKind::Regex(number(self.patterns.regexes.len() - 1))
            }
            _ => PartKind::Operation(operator),
        })
    }

    /// Gives drafts their places, side by side; returns the first and how many there are.
    fn place(&mut self, drafts: Vec<Draft>) -> (u16, u16) {
        // There are `MAX_PARTS` of them at most, so the last number is `u16::MAX`.
        let number = |length: usize| u16::try_from(length).unwrap_or(u16::MAX);
        let (first, count) = (number(self.placed.len()), number(drafts.len()));
        for (at, draft) in (first..=u16::MAX).zip(drafts) {
            let mut part = draft.part;
            if let Some(constant) = draft.constant {
                part = Part::leaf(PartKind::Constant(number(self.constants.len())));
                self.constants.push(constant);
            }
            for operand in part.operands() {
                self.adopt(operand, at);
            }
            self.placed.push(part);
        }
        (first, count)
    }

    fn adopt(&mut self, operand: u32, parent: u16) {
        if let Some(part) = self.placed.get_mut(operand as usize) {
            part.parent = parent;
        }
    }

    /// Where the compiler stands.
    fn pointer(&self) -> String {
        self.open.iter().map(|open| segment(open.operator, open.bare, open.place)).collect()
    }

    fn fault(&self, fault: impl Into<String>) -> Error {
        Error::new(codes::INVALID_EXPRESSION, fault.into()).at(self.pointer())
    }

    /// Makes the path of an error within the current part begin at the whole expression.
    fn locate(&self, error: Error) -> Error {
        error.below(&self.pointer())
    }
}
