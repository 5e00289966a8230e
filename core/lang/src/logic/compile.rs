//! The compiler, from an expression in JSON to a [`Program`].
//!
//! Operands are compiled before their operation, so their types are known. An explicit stack keeps deep expressions off the machine
//! stack.

use alloc::{boxed::Box, format, string::String, vec::Vec};

use super::{
    Mode, check,
    compat::{COERCIONS, Coercions},
    expression::Form,
    operator::Operator,
    part::{CompiledPart, Part, PartKind},
    program::{ConstantVariable, Patterns, Program, segment},
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

/// The limit on constants, variables and operations of one expression.
const MAX_PARTS: usize = 1 << 16;

impl Program {
    /// Compiles an expression. `patterns` is the budget for its patterns: all expressions of one document share one from
    /// [`Steps::for_patterns`].
    ///
    /// # Errors
    ///
    /// [`codes::INVALID_EXPRESSION`], with the path of the sub-expression, for an unknown operator, a wrong number of operands, or
    /// an invalid pattern. Strict mode also rejects operand types and constants that can never work. [`codes::LIMIT_EXCEEDED`] for
    /// an expression of more than 65,536 parts, and for patterns that are too large.
    ///
    /// ```
    /// use adjudicate_lang::{Steps, json::{self, ReadLimits}, logic::{Mode, Program}};
    /// let rule = json::read(br#"{"and": [true, {"strts_with": ["a", "b"]}]}"#, ReadLimits::DOCUMENT)?;
    /// let error = Program::compile(rule.root(), Mode::Strict, &mut Steps::for_patterns()).unwrap_err();
    /// assert_eq!(error.to_string(),
    ///     "invalid_expression: unknown operator `strts_with`, did you mean `starts_with`? at /and/1");
    /// # Ok::<(), adjudicate_lang::Error>(())
    /// ```
    #[inline]
    pub fn compile(expression: Node<'_>, mode: Mode, patterns: &mut Steps) -> Result<Self, Error> {
        let coercions = match mode {
            Mode::Strict => None,
            Mode::Compat => Some(&COERCIONS),
        };
        ExpressionCompiler::new(coercions, patterns).compile(expression)
    }

    /// Compiles an expression in strict mode, to use as a condition with [`Program::holds`]. For messages, `form` names the field and
    /// its form, for example ``"`when` is a JSONLogic object"``.
    ///
    /// # Errors
    ///
    /// As in [`Program::compile`], and [`codes::INVALID_EXPRESSION`] for an expression that never returns a boolean.
    pub fn condition(expression: Node<'_>, form: &str, patterns: &mut Steps) -> Result<Self, Error> {
        let program = Self::compile(expression, Mode::Strict, patterns)?;
        let gives = program.gives();
        if gives.meets(Types::BOOL) {
            return Ok(program);
        }
        let expected = match expression.kind() {
            Kind::Object => "a condition is a boolean",
            _ => form,
        };
        Err(Error::new(codes::INVALID_EXPRESSION, format!("{expected}, found {gives}")))
    }

    /// Returns the types of the result.
    fn gives(&self) -> Types {
        let root = self.root();
        match (root.form(), root.operator()) {
            (Form::Constant(value), _) => value.types(),
            (Form::List, _) => Types::LIST,
            (_, Some(operator)) => operator.signature().gives,
            (_, None) => Types::ANY,
        }
    }
}

enum Task<'e> {
    /// Compile an operand; the number is its index.
    Visit(Node<'e>, u32),
    /// Combine the compiled operands of the innermost open operation.
    Close,
}

/// An operation or list whose operands are being compiled.
struct OpenOperation {
    /// `None` for a list.
    operator: Option<Operator>,
    bare: bool,
    count: u32,
    /// The index of the operand that is being compiled.
    place: u32,
}

pub(super) struct ExpressionCompiler<'e, 's> {
    coercions: Option<&'static Coercions>,
    /// The parts of the program so far.
    placed: Vec<Part>,
    constants: Vec<Value<'static>>,
    constant_variables: Vec<ConstantVariable>,
    patterns: Patterns,
    tasks: Vec<Task<'e>>,
    open: Vec<OpenOperation>,
    compiled: Vec<CompiledPart>,
    parts: usize,
    /// The budget for patterns.
    steps: &'s mut Steps,
}

impl<'e, 's> ExpressionCompiler<'e, 's> {
    pub(super) const fn new(coercions: Option<&'static Coercions>, steps: &'s mut Steps) -> Self {
        Self {
            coercions,
            placed: Vec::new(),
            constants: Vec::new(),
            constant_variables: Vec::new(),
            patterns: Patterns { globs: Vec::new(), regexes: Vec::new() },
            tasks: Vec::new(),
            open: Vec::new(),
            compiled: Vec::new(),
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
        let root = core::mem::take(&mut self.compiled);
        self.place(root);
        let Self { coercions, placed, constants, constant_variables, patterns, .. } = self;
        let has_patterns = !(patterns.globs.is_empty() && patterns.regexes.is_empty());
        Ok(Program {
            coercions,
            parts: placed.into(),
            constants: constants.into(),
            constant_variables: constant_variables.into(),
            patterns: has_patterns.then(|| Box::new(patterns)),
        })
    }

    const fn mode(&self) -> Mode {
        Mode::from_coercions(self.coercions)
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

    /// Returns the operator and its operand, or `None` for an object that is a constant.
    fn operation(&self, object: Node<'e>) -> Result<Option<(Operator, Node<'e>)>, Error> {
        let strict = self.is_strict();
        let mut members = object.members().filter(|(name, _)| !(strict && name.starts_with("x-")));
        let (name, operand) = match (members.next(), members.next()) {
            (Some(only), None) => only,
            _ if !strict => return Ok(None),
            _ => return Err(self.fault("an operation is an object with one field, named after its operator")),
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
        // At most `MAX_PARTS`.
        let count = u32::try_from(operands.len()).unwrap_or(u32::MAX);
        self.open.push(OpenOperation { operator, bare, count, place: 0 });
        self.tasks.push(Task::Close);
        self.tasks.extend((0..count).zip(operands).rev().map(|(place, node)| Task::Visit(node, place)));
        Ok(())
    }

    fn constant(&mut self, value: Value<'static>) -> Result<(), Error> {
        let gives = value.types();
        // `place` replaces the kind.
        self.compiled.push(CompiledPart { part: Part::leaf(PartKind::List), constant: Some(value), gives });
        Ok(())
    }

    /// Combines the innermost open operation with its compiled operands.
    fn close(&mut self) -> Result<(), Error> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let from = self.compiled.len().saturating_sub(open.count as usize);
        let operands = self.compiled.split_off(from);
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
        self.compiled.push(CompiledPart { part, constant: None, gives });
        Ok(())
    }

    fn close_list(&mut self, items: Vec<CompiledPart>) -> Result<(), Error> {
        if items.iter().all(|part| part.constant.is_some()) {
            return self.constant(Value::list(items.into_iter().filter_map(|part| part.constant).collect()));
        }
        let (first, count) = self.place(items);
        let part = Part { first, count, ..Part::leaf(PartKind::List) };
        self.compiled.push(CompiledPart { part, constant: None, gives: Types::LIST });
        Ok(())
    }

    /// Returns the kind of an operation, and compiles its constant path or pattern.
    fn kind(&mut self, operator: Operator, operands: &[CompiledPart]) -> Result<PartKind, Error> {
        let known = |place: usize| operands.get(place).and_then(|part| part.constant.as_ref());
        let number = |length: usize| u16::try_from(length).unwrap_or(u16::MAX);
        let pattern = known(1).and_then(Value::as_text);
        Ok(match (operator, pattern) {
            (Operator::Var, _) if known(0).is_some() || operands.is_empty() => {
                let path = check::path(known(0).unwrap_or(&Value::Null), self.coercions);
                let path = path.map_err(|fault| self.fault(fault))?;
                self.constant_variables.push(ConstantVariable { path, number: ConstantVariable::UNNUMBERED });
                PartKind::Variable(number(self.constant_variables.len() - 1))
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

    /// Appends parts to the program side by side. Returns the index of the first and their number.
    fn place(&mut self, compiled: Vec<CompiledPart>) -> (u16, u16) {
        // At most `MAX_PARTS` parts, so the last index is `u16::MAX`.
        let number = |length: usize| u16::try_from(length).unwrap_or(u16::MAX);
        let (first, count) = (number(self.placed.len()), number(compiled.len()));
        for (at, compiled) in (first..=u16::MAX).zip(compiled) {
            let mut part = compiled.part;
            if let Some(constant) = compiled.constant {
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

    /// Returns the JSON Pointer of the current operand.
    fn pointer(&self) -> String {
        self.open.iter().map(|open| segment(open.operator, open.bare, open.place)).collect()
    }

    fn fault(&self, fault: impl Into<String>) -> Error {
        Error::new(codes::INVALID_EXPRESSION, fault.into()).at(self.pointer())
    }

    /// Prefixes the path of an error with the pointer of the current operand.
    fn locate(&self, error: Error) -> Error {
        error.below(&self.pointer())
    }
}
