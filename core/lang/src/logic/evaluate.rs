//! Evaluation of a program, part by part.
//!
//! This file and its neighbors have the code that both modes share; `strict` and `compat` have the operators. Mutually
//! recursive functions keep small stack frames: an expression can nest 128 levels, and a module's stack has 48 KiB. They pass
//! references, because moving a value costs more than most operators.

use alloc::vec::Vec;

use super::{
    cost::{BUILT_ITEM, PART},
    operator::Operator,
    part::{Part, PartKind},
    program::Program,
    scope::Scope,
    serialize::measure,
    strict,
    types::Types,
    value::Value,
};
use crate::{codes, error::Error, json::MAX_DEPTH, steps::Steps};

/// An error occurred, and the machine stores it. Without content, so that a result fits into a register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failed;

pub(super) type MachineResult<T> = Result<T, Failed>;

/// The stack frame: the variables that the operands of a part see.
pub(super) enum Frame<'a, 'v> {
    /// The caller's scope.
    Outer(&'a dyn Scope<'v>),
    /// The item of an iteration.
    Item(&'a Value<'v>),
    /// The current item and the accumulator of `reduce`.
    Fold { current: &'a Value<'v>, accumulator: &'a Value<'v> },
}

impl Program {
    /// Evaluates the expression.
    ///
    /// # Errors
    ///
    /// [`codes::LIMIT_EXCEEDED`] when the budget runs out, which also pays for writing the value, and for numbers and values out of
    /// range. [`codes::INVALID_EXPRESSION`] for wrong types, and for an invalid computed pattern. Both have the path of the
    /// sub-expression.
    pub fn evaluate<'v>(&'v self, scope: &dyn Scope<'v>, steps: &mut Steps) -> Result<Value<'v>, Error> {
        self.root().evaluate(scope, steps)
    }

    /// Evaluates the expression as a condition. Returns `None` if the result is unknown. In compat mode, every value counts as true
    /// or false. Faster than [`Program::evaluate`].
    ///
    /// # Errors
    ///
    /// As in [`Program::evaluate`]; in strict mode, also for a result that is not a boolean.
    ///
    /// ```
    /// use adjudicate_lang::{Steps, json::{self, ReadLimits}, logic::{Mode, Program}};
    /// let rule = json::read(br#"{"or": [{"var": "approved"}, {"==": [{"var": "risk"}, "low"]}]}"#, ReadLimits::DOCUMENT)?;
    /// let program = Program::compile(rule.root(), Mode::Strict, &mut Steps::for_patterns())?;
    /// for (data, expected) in [(r#"{"risk": "low"}"#, Some(true)), (r#"{"risk": "high"}"#, None)] {
    ///     let data = json::read(data.as_bytes(), ReadLimits::DOCUMENT)?;
    ///     assert_eq!(program.holds(&data.root(), &mut Steps::default())?, expected);
    /// }
    /// # Ok::<(), adjudicate_lang::Error>(())
    /// ```
    pub fn holds<'v>(&'v self, scope: &dyn Scope<'v>, steps: &mut Steps) -> Result<Option<bool>, Error> {
        self.root().holds(scope, steps)
    }

    pub(super) fn evaluate_part<'v>(
        &'v self,
        at: u32,
        scope: &dyn Scope<'v>,
        steps: &mut Steps,
    ) -> Result<Value<'v>, Error> {
        let mut machine = Machine::new(self, steps);
        match machine.owned(at, &Frame::Outer(scope)) {
            // Compat mode has no value for some expressions, for example `{"and": []}`.
            Ok(Value::Unknown) if self.coercions.is_some() => Ok(Value::Null),
            Ok(value) if value.is_container() => measure(&value, steps).map(|()| value),
            Ok(value) => Ok(value),
            Err(Failed) => Err(machine.failure()),
        }
    }

    pub(super) fn part_holds<'v>(
        &'v self,
        at: u32,
        scope: &dyn Scope<'v>,
        steps: &mut Steps,
    ) -> Result<Option<bool>, Error> {
        let mut machine = Machine::new(self, steps);
        machine.condition(at, &Frame::Outer(scope)).map_err(|Failed| machine.failure())
    }
}

/// The state of one evaluation.
pub(super) struct Machine<'v, 's> {
    pub program: &'v Program,
    pub steps: &'s mut Steps,
    /// The first error, if any.
    failure: Option<Error>,
}

impl<'v, 's> Machine<'v, 's> {
    pub(super) const fn new(program: &'v Program, steps: &'s mut Steps) -> Self {
        Self { program, steps, failure: None }
    }

    pub(super) const fn strict(&self) -> bool {
        self.program.coercions.is_none()
    }

    /// Evaluates a part. A result that must be built goes to `slot`.
    #[inline]
    pub(super) fn value<'a>(
        &mut self,
        at: u32,
        frame: &Frame<'a, 'v>,
        slot: &'a mut Value<'v>,
    ) -> MachineResult<&'a Value<'v>> {
        self.spend(PART, at)?;
        let part = self.program.part(at);
        match part.kind {
            PartKind::Constant(index) => return Ok(self.program.constant(index)),
            PartKind::Variable(path) => return self.variable(at, part, path, frame, slot),
            _ => self.operation(at, part, frame, slot)?,
        }
        Ok(slot)
    }

    /// Evaluates a part and returns an owned value.
    pub(super) fn owned(&mut self, at: u32, frame: &Frame<'_, 'v>) -> MachineResult<Value<'v>> {
        let mut slot = Value::Unknown;
        let part = self.program.part(at);
        if matches!(part.kind, PartKind::Constant(_) | PartKind::Variable(_)) {
            return self.value(at, frame, &mut slot).cloned();
        }
        self.spend(PART, at)?;
        self.operation(at, part, frame, &mut slot)?;
        Ok(slot)
    }

    #[inline(never)]
    fn operation(
        &mut self,
        at: u32,
        part: &'v Part,
        frame: &Frame<'_, 'v>,
        out: &mut Value<'v>,
    ) -> MachineResult<()> {
        if part.decides {
            *out = self.decision(at, part, frame)?.into();
            return Ok(());
        }
        let Some(operator) = part.kind.operator() else {
            *out = self.list(at, part, frame)?;
            return Ok(());
        };
        *out = match operator {
            Operator::If | Operator::Ternary => self.choice(part, frame),
            Operator::And => self.first_that(false, part, frame),
            Operator::Or => self.first_that(true, part, frame),
            Operator::Var => self.computed_variable(at, part, frame),
            Operator::Missing => self.missing(at, part, frame),
            Operator::MissingSome => self.missing_some(at, part, frame),
            Operator::Plus | Operator::Times | Operator::Max | Operator::Min => {
                self.arithmetic(at, part, operator, frame)
            }
            Operator::Cat => self.cat(at, part, frame),
            Operator::Merge => self.merge(at, part, frame),
            Operator::Map | Operator::Filter | Operator::Reduce => self.iteration(at, part, operator, frame),
            _ => self.computation(at, part, operator, frame),
        }?;
        Ok(())
    }

    /// Evaluates an operator of at most three operands, all operands first.
    #[inline(never)]
    fn computation(
        &mut self,
        at: u32,
        part: &'v Part,
        operator: Operator,
        frame: &Frame<'_, 'v>,
    ) -> MachineResult<Value<'v>> {
        let mut slot = [const { Value::Unknown }; 3];
        let operands = self.operands(part, frame, &mut slot)?;
        let value = match self.program.coercions {
            None => strict::compute(operator, operands, part.count(), self.steps),
            Some(coercions) => (coercions.compute)(operator, operands, self.steps),
        };
        value.map_err(|error| self.fail(error, at))
    }

    /// Evaluates up to three operands. A missing operand is unknown, which stands for JavaScript's `undefined` in compat mode.
    #[inline]
    pub(super) fn operands<'a>(
        &mut self,
        part: &'v Part,
        frame: &Frame<'a, 'v>,
        slots: &'a mut [Value<'v>; 3],
    ) -> MachineResult<[&'a Value<'v>; 3]> {
        let mut operands = [const { &Value::Unknown }; 3];
        for ((operand, value), slot) in part.operands().zip(&mut operands).zip(slots) {
            *value = self.value(operand, frame, slot)?;
        }
        Ok(operands)
    }

    #[inline(never)]
    fn list(&mut self, at: u32, part: &'v Part, frame: &Frame<'_, 'v>) -> MachineResult<Value<'v>> {
        let mut items = Vec::new();
        for operand in part.operands() {
            match self.owned(operand, frame)? {
                Value::Unknown if self.strict() => return Ok(Value::Unknown),
                item => items.push(item),
            }
        }
        self.built_list(items, at)
    }

    /// Builds a list. Checks its depth, because `reduce` can wrap its accumulator repeatedly.
    pub(super) fn built_list(&mut self, mut items: Vec<Value<'v>>, at: u32) -> MachineResult<Value<'v>> {
        self.spend(items.len() * BUILT_ITEM, at)?;
        // Only in compat mode, where `undefined` becomes null within a list.
        if !self.strict() {
            for item in items.iter_mut().filter(|item| item.is_unknown()) {
                *item = Value::Null;
            }
        }
        let list = Value::list(items);
        self.check_depth(&list, at)?;
        Ok(list)
    }

    /// Fails if a built value nests too deeply.
    pub(super) fn check_depth(&mut self, value: &Value<'v>, at: u32) -> MachineResult<()> {
        if value.depth() as usize <= MAX_DEPTH {
            return Ok(());
        }
        let message = alloc::format!("a value of more than {MAX_DEPTH} nested containers");
        Err(self.fail(Error::new(codes::LIMIT_EXCEEDED, message), at))
    }

    #[inline]
    pub(super) fn spend(&mut self, steps: usize, at: u32) -> MachineResult<()> {
        self.steps.spend(steps).map_err(|error| self.fail(error, at))
    }

    /// Stores an error with the pointer of a part, unless it already has a pointer.
    #[cold]
    #[inline(never)]
    pub(super) fn fail(&mut self, error: Error, at: u32) -> Failed {
        self.failure = Some(if error.path().is_empty() { error.at(self.program.pointer(at)) } else { error });
        Failed
    }

    /// Stores the type error of an operand.
    #[cold]
    #[inline(never)]
    pub(super) fn type_error(
        &mut self,
        at: u32,
        operator: Operator,
        takes: Types,
        found: &Value<'_>,
    ) -> Failed {
        let message = operator.refusal(takes, found.types());
        self.fail(Error::new(codes::INVALID_EXPRESSION, message), at)
    }

    /// Drops the stored error if it is a type error. Returns whether it did. The caller then treats the operand as unknown.
    pub(super) fn forgives(&mut self) -> bool {
        let forgiven = self.failure.take_if(|error| error.code() == codes::INVALID_EXPRESSION);
        forgiven.is_some()
    }

    /// Returns the stored error.
    pub(super) fn failure(self) -> Error {
        let nothing = || Error::new(codes::INVALID_EXPRESSION, "the expression has no value");
        self.failure.unwrap_or_else(nothing)
    }
}
