//! The operators that evaluate their second operand per item of a list: `map`, `filter`, `reduce`, `all`, `none`, `some`.

use alloc::vec::Vec;

use super::{
    evaluate::{Frame, Machine, MachineResult},
    operator::Operator,
    part::Part,
    types::Types,
    value::Value,
    walk::Walk,
};

/// The second operand of an iteration.
#[derive(Clone, Copy)]
struct Body {
    /// The index of the iteration.
    at: u32,
    /// `None` only in compat mode, where the operand is optional.
    operand: Option<u32>,
}

impl<'v> Machine<'v, '_> {
    /// Evaluates `map`, `filter` or `reduce`. In compat mode, a value that is not a list counts as an empty list.
    #[inline(never)]
    pub(super) fn iteration(
        &mut self,
        at: u32,
        part: &'v Part,
        operator: Operator,
        frame: &Frame<'_, 'v>,
    ) -> MachineResult<Value<'v>> {
        let list = self.iterated(part, operator, frame)?;
        let body = Body::new(at, part);
        let Some(items) = list.walk() else {
            return match operator {
                _ if self.strict() => Ok(Value::Unknown),
                Operator::Reduce => self.start(part, frame),
                _ => Ok(Value::list(Vec::new())),
            };
        };
        match operator {
            Operator::Map => self.map(items, list.len(), body),
            Operator::Filter => self.filter(items, body),
            _ => {
                let start = self.start(part, frame)?;
                self.reduce(items, body, start)
            }
        }
    }

    /// Evaluates `all`, `some` or `none`. An item decides `all` if the body is false, and `some` and `none` if it is true.
    #[inline(never)]
    pub(super) fn quantifier(
        &mut self,
        at: u32,
        part: &'v Part,
        operator: Operator,
        frame: &Frame<'_, 'v>,
    ) -> MachineResult<Option<bool>> {
        let list = self.iterated(part, operator, frame)?;
        let body = Body::new(at, part);
        let Some(mut items) = list.walk() else {
            return Ok(if self.strict() { None } else { Some(operator == Operator::NoneOf) });
        };
        let stop = operator != Operator::AllOf;
        let otherwise = operator == Operator::NoneOf || operator == Operator::AllOf && !list.is_empty();
        let mut outcome = Some(otherwise);
        let mut slot = Value::Unknown;
        while let Some(item) = self.next(&mut items, &mut slot, at)? {
            match self.holds(body, item, outcome.is_none())? {
                Some(truth) if truth == stop => return Ok(Some(operator == Operator::SomeOf)),
                Some(_) => {}
                None => outcome = None,
            }
        }
        Ok(outcome)
    }

    /// Evaluates the first operand, which in strict mode must be a list or unknown.
    fn iterated(
        &mut self,
        part: &'v Part,
        operator: Operator,
        frame: &Frame<'_, 'v>,
    ) -> MachineResult<Value<'v>> {
        if part.count == 0 {
            return Ok(Value::Unknown);
        }
        let list = self.owned(part.first(), frame)?;
        if self.strict() && !list.is_unknown() && list.types() != Types::LIST {
            return Err(self.type_error(part.first(), operator, Types::LIST, &list));
        }
        self.spend(list.weight(), part.first())?;
        Ok(list)
    }

    fn map(&mut self, mut items: Walk<'_, 'v>, count: usize, body: Body) -> MachineResult<Value<'v>> {
        let mut results = Vec::with_capacity(count);
        let mut slot = Value::Unknown;
        while let Some(item) = self.next(&mut items, &mut slot, body.at)? {
            let result = match body.operand {
                Some(body) => self.owned(body, &Frame::Item(item))?,
                None => Value::Null,
            };
            if result.is_unknown() && self.strict() {
                return Ok(Value::Unknown);
            }
            results.push(result);
        }
        self.built_list(results, body.at)
    }

    fn filter(&mut self, mut items: Walk<'_, 'v>, body: Body) -> MachineResult<Value<'v>> {
        let mut kept = Vec::new();
        let mut slot = Value::Unknown;
        while let Some(item) = self.next(&mut items, &mut slot, body.at)? {
            match self.holds(body, item, false)? {
                Some(true) => kept.push(item.clone()),
                Some(false) => {}
                None => return Ok(Value::Unknown),
            }
        }
        self.built_list(kept, body.at)
    }

    #[inline]
    fn next<'r, 'a: 'r>(
        &mut self,
        items: &mut Walk<'a, 'v>,
        slot: &'r mut Value<'v>,
        at: u32,
    ) -> MachineResult<Option<&'r Value<'v>>> {
        items.next(slot, self.steps).map_err(|error| self.fail(error, at))
    }

    /// Evaluates the body for an item.
    fn holds(&mut self, body: Body, item: &Value<'v>, speculative: bool) -> MachineResult<Option<bool>> {
        match body.operand {
            None => Ok(Some(false)),
            Some(operand) if speculative => self.speculation(operand, &Frame::Item(item)),
            Some(operand) => self.condition(operand, &Frame::Item(item)),
        }
    }

    /// Returns the initial accumulator of `reduce`.
    fn start(&mut self, part: &'v Part, frame: &Frame<'_, 'v>) -> MachineResult<Value<'v>> {
        part.operands().nth(2).map_or(Ok(Value::Null), |start| self.owned(start, frame))
    }

    fn reduce(
        &mut self,
        mut items: Walk<'_, 'v>,
        body: Body,
        mut accumulator: Value<'v>,
    ) -> MachineResult<Value<'v>> {
        let mut slot = Value::Unknown;
        while let Some(item) = self.next(&mut items, &mut slot, body.at)? {
            let frame = Frame::Fold { current: item, accumulator: &accumulator };
            let next = body.operand.map_or(Ok(Value::Unknown), |body| self.owned(body, &frame))?;
            self.check_depth(&next, body.at)?;
            accumulator = next;
        }
        Ok(accumulator)
    }
}

impl Body {
    fn new(at: u32, part: &Part) -> Self {
        Self { at, operand: part.operands().nth(1) }
    }
}
