//! Evaluation: walking the parts of a program.
//!
//! What both modes have in common is here and in the files next to it; what an operator makes of its operands is
//! `strict`'s and `compat`'s. Functions that call each other round and round keep small frames: an expression may
//! nest 128 levels, and a module's stack has 48 KiB. And they hand on references, for to move a value costs more than
//! most operators do.

use alloc::vec::Vec;
use core::ops::Range;

use super::{
    check::refusal,
    operator::Operator,
    program::{Part, PartKind, Program},
    scope::Scope,
    strict,
    types::Types,
    value::Value,
};
use crate::{codes, error::Error, json::MAX_DEPTH, steps::Steps};

/// What it costs to evaluate a part, or to look at one of many values, measured against comparing a byte.
pub(super) const PART: usize = 8;
/// What it costs to keep an item of a list, or a byte of a text, that an operator builds: the budget bounds memory too.
const BUILT_ITEM: usize = 64;
pub(super) const BUILT_BYTE: usize = 4;

/// That there is an error, which the machine keeps: so a result fits into a register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failed;

pub(super) type Outcome<T> = Result<T, Failed>;

/// What the operands of a part see.
pub(super) enum Place<'a, 'v> {
    /// What the expression was given.
    Outside(&'a dyn Scope<'v>),
    /// The item of an iteration.
    Item(&'a Value<'v>),
    /// The item of `reduce`, and what came of those before it.
    Fold { current: &'a Value<'v>, accumulator: &'a Value<'v> },
}

/// One evaluation.
pub(super) struct Machine<'v, 's> {
    pub program: &'v Program,
    pub steps: &'s mut Steps,
    /// What failed, once something has.
    failure: Option<Error>,
}

impl Part {
    pub(super) fn operands(&self) -> Range<u32> {
        self.first()..self.first() + self.count()
    }
}

impl<'v, 's> Machine<'v, 's> {
    pub(super) const fn new(program: &'v Program, steps: &'s mut Steps) -> Self {
        Self { program, steps, failure: None }
    }

    pub(super) const fn strict(&self) -> bool {
        self.program.coercions.is_none()
    }

    /// The value of a part. `room` is where it is put if it is not there already.
    #[inline]
    pub(super) fn value<'a>(
        &mut self,
        at: u32,
        place: &Place<'a, 'v>,
        room: &'a mut Value<'v>,
    ) -> Outcome<&'a Value<'v>> {
        self.spend(PART, at)?;
        let part = self.program.part(at);
        match part.kind {
            PartKind::Constant(index) => return Ok(self.program.constant(index)),
            PartKind::Variable(path) => return self.variable(at, part, path, place, room),
            _ => self.operation(at, part, place, room)?,
        }
        Ok(room)
    }

    /// The value of a part, to keep.
    pub(super) fn owned(&mut self, at: u32, place: &Place<'_, 'v>) -> Outcome<Value<'v>> {
        let mut room = Value::Unknown;
        let part = self.program.part(at);
        if matches!(part.kind, PartKind::Constant(_) | PartKind::Variable(_)) {
            return self.value(at, place, &mut room).cloned();
        }
        self.spend(PART, at)?;
        self.operation(at, part, place, &mut room)?;
        Ok(room)
    }

    #[inline(never)]
    fn operation(
        &mut self,
        at: u32,
        part: &'v Part,
        place: &Place<'_, 'v>,
        out: &mut Value<'v>,
    ) -> Outcome<()> {
        if part.decides {
            *out = self.decision(at, part, place)?.into();
            return Ok(());
        }
        let Some(operator) = part.kind.operator() else {
            *out = self.list(at, part, place)?;
            return Ok(());
        };
        *out = match operator {
            Operator::If | Operator::Ternary => self.choice(part, place),
            Operator::And => self.first_that(false, part, place),
            Operator::Or => self.first_that(true, part, place),
            Operator::Var => self.computed_variable(at, part, place),
            Operator::Missing => self.missing(at, part, place),
            Operator::MissingSome => self.missing_some(at, part, place),
            Operator::Plus | Operator::Times | Operator::Max | Operator::Min => {
                self.arithmetic(at, part, operator, place)
            }
            Operator::Cat => self.cat(at, part, place),
            Operator::Merge => self.merge(at, part, place),
            Operator::Map | Operator::Filter | Operator::Reduce => self.iteration(at, part, operator, place),
            _ => self.computation(at, part, operator, place),
        }?;
        Ok(())
    }

    /// An operator of up to three operands, all of which are evaluated first.
    #[inline(never)]
    fn computation(
        &mut self,
        at: u32,
        part: &'v Part,
        operator: Operator,
        place: &Place<'_, 'v>,
    ) -> Outcome<Value<'v>> {
        let mut room = [const { Value::Unknown }; 3];
        let operands = self.operands(part, place, &mut room)?;
        let value = match self.program.coercions {
            None => strict::compute(operator, operands, part.count(), self.steps),
            Some(coercions) => (coercions.compute)(operator, operands, self.steps),
        };
        value.map_err(|error| self.fail(error, at))
    }

    /// The values of up to three operands. One that is not there is unknown, which in compat mode stands for
    /// JavaScript's `undefined`.
    #[inline]
    pub(super) fn operands<'a>(
        &mut self,
        part: &'v Part,
        place: &Place<'a, 'v>,
        rooms: &'a mut [Value<'v>; 3],
    ) -> Outcome<[&'a Value<'v>; 3]> {
        let mut operands = [const { &Value::Unknown }; 3];
        for ((operand, slot), room) in part.operands().zip(&mut operands).zip(rooms) {
            *slot = self.value(operand, place, room)?;
        }
        Ok(operands)
    }

    #[inline(never)]
    fn list(&mut self, at: u32, part: &'v Part, place: &Place<'_, 'v>) -> Outcome<Value<'v>> {
        let mut items = Vec::new();
        for operand in part.operands() {
            match self.owned(operand, place)? {
                Value::Unknown if self.strict() => return Ok(Value::Unknown),
                item => items.push(item),
            }
        }
        self.built_list(items, at)
    }

    /// A list that does not nest too deeply: `reduce` could wrap its accumulator over and over.
    pub(super) fn built_list(&mut self, mut items: Vec<Value<'v>>, at: u32) -> Outcome<Value<'v>> {
        self.spend(items.len() * BUILT_ITEM, at)?;
        // Only compat mode has any: `undefined` becomes null inside of a list.
        if !self.strict() {
            for item in items.iter_mut().filter(|item| item.is_unknown()) {
                *item = Value::Null;
            }
        }
        let list = Value::list(items);
        self.check_depth(&list, at)?;
        Ok(list)
    }

    /// Refuses what was built and nests too deeply.
    pub(super) fn check_depth(&mut self, value: &Value<'v>, at: u32) -> Outcome<()> {
        if value.depth() as usize <= MAX_DEPTH {
            return Ok(());
        }
        let message = alloc::format!("a value of more than {MAX_DEPTH} nested containers");
        Err(self.fail(Error::new(codes::LIMIT_EXCEEDED, message), at))
    }

    #[inline]
    pub(super) fn spend(&mut self, steps: usize, at: u32) -> Outcome<()> {
        self.steps.spend(steps).map_err(|error| self.fail(error, at))
    }

    /// Keeps an error, pointing at a part unless it points at one within already.
    #[cold]
    #[inline(never)]
    pub(super) fn fail(&mut self, error: Error, at: u32) -> Failed {
        self.failure = Some(if error.path().is_empty() { error.at(self.program.pointer(at)) } else { error });
        Failed
    }

    /// Keeps the error of an operand that an operator does not take.
    #[cold]
    #[inline(never)]
    pub(super) fn misfit(&mut self, at: u32, operator: Operator, takes: Types, found: &Value<'_>) -> Failed {
        let message = refusal(operator, takes, found.types());
        self.fail(Error::new(codes::INVALID_EXPRESSION, message), at)
    }

    /// Whether what failed is no more than a type, which is not an error where it might not be evaluated; such a
    /// failure is forgotten.
    pub(super) fn forgives(&mut self) -> bool {
        let forgiven = self.failure.take_if(|error| error.code() == codes::INVALID_EXPRESSION);
        forgiven.is_some()
    }

    /// What failed.
    pub(super) fn failure(self) -> Error {
        let nothing = || Error::new(codes::INVALID_EXPRESSION, "the expression has no value");
        self.failure.unwrap_or_else(nothing)
    }
}
