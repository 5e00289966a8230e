//! What evaluates its second operand for each item of a list: `map`, `filter`, `reduce`, `all`, `none`, `some`.

use alloc::vec::Vec;

use super::{
    evaluate::{Machine, Outcome, Place},
    operator::Operator,
    program::Part,
    types::Types,
    value::Value,
    walk::Walk,
};

/// The second operand of an iteration.
#[derive(Clone, Copy)]
struct Body {
    /// The iteration.
    at: u32,
    /// `None` only in compat mode, where it may be left out.
    operand: Option<u32>,
}

impl<'v> Machine<'v, '_> {
    /// `map`, `filter` and `reduce`. What is no list is as good as an empty one in compat mode.
    #[inline(never)]
    pub(super) fn iteration(
        &mut self,
        at: u32,
        part: &'v Part,
        operator: Operator,
        place: &Place<'_, 'v>,
    ) -> Outcome<Value<'v>> {
        let list = self.iterated(part, operator, place)?;
        let body = Body::of(at, part);
        let Some(items) = list.walk() else {
            return match operator {
                _ if self.strict() => Ok(Value::Unknown),
                Operator::Reduce => self.start(part, place),
                _ => Ok(Value::list(Vec::new())),
            };
        };
        match operator {
            Operator::Map => self.map(items, list.len(), body),
            Operator::Filter => self.filter(items, body),
            _ => {
                let start = self.start(part, place)?;
                self.reduce(items, body, start)
            }
        }
    }

    /// `all`, which an item undoes for which the body does not hold; `some`, which one makes for which it does; and
    /// `none`, which such a one undoes.
    #[inline(never)]
    pub(super) fn quantifier(
        &mut self,
        at: u32,
        part: &'v Part,
        operator: Operator,
        place: &Place<'_, 'v>,
    ) -> Outcome<Option<bool>> {
        let list = self.iterated(part, operator, place)?;
        let body = Body::of(at, part);
        let Some(mut items) = list.walk() else {
            return Ok(if self.strict() { None } else { Some(operator == Operator::NoneOf) });
        };
        let stop = operator != Operator::AllOf;
        let otherwise = operator == Operator::NoneOf || operator == Operator::AllOf && !list.is_empty();
        let mut outcome = Some(otherwise);
        let mut room = Value::Unknown;
        while let Some(item) = self.next(&mut items, &mut room, at)? {
            match self.holds(body, item, outcome.is_none())? {
                Some(truth) if truth == stop => return Ok(Some(operator == Operator::SomeOf)),
                Some(_) => {}
                None => outcome = None,
            }
        }
        Ok(outcome)
    }

    /// The first operand, which in strict mode is a list or unknown.
    fn iterated(&mut self, part: &'v Part, operator: Operator, place: &Place<'_, 'v>) -> Outcome<Value<'v>> {
        if part.count == 0 {
            return Ok(Value::Unknown);
        }
        let list = self.owned(part.first(), place)?;
        if self.strict() && !list.is_unknown() && list.types() != Types::LIST {
            return Err(self.misfit(part.first(), operator, Types::LIST, &list));
        }
        self.spend(list.weight(), part.first())?;
        Ok(list)
    }

    fn map(&mut self, mut items: Walk<'_, 'v>, count: usize, body: Body) -> Outcome<Value<'v>> {
        let mut results = Vec::with_capacity(count);
        let mut room = Value::Unknown;
        while let Some(item) = self.next(&mut items, &mut room, body.at)? {
            let result = match body.operand {
                Some(body) => self.owned(body, &Place::Item(item))?,
                None => Value::Null,
            };
            if result.is_unknown() && self.strict() {
                return Ok(Value::Unknown);
            }
            results.push(result);
        }
        self.built_list(results, body.at)
    }

    fn filter(&mut self, mut items: Walk<'_, 'v>, body: Body) -> Outcome<Value<'v>> {
        let mut kept = Vec::new();
        let mut room = Value::Unknown;
        while let Some(item) = self.next(&mut items, &mut room, body.at)? {
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
        room: &'r mut Value<'v>,
        at: u32,
    ) -> Outcome<Option<&'r Value<'v>>> {
        items.next(room, self.steps).map_err(|error| self.fail(error, at))
    }

    /// Whether the body holds for an item.
    fn holds(&mut self, body: Body, item: &Value<'v>, speculative: bool) -> Outcome<Option<bool>> {
        match body.operand {
            None => Ok(Some(false)),
            Some(operand) if speculative => self.speculation(operand, &Place::Item(item)),
            Some(operand) => self.condition(operand, &Place::Item(item)),
        }
    }

    /// What `reduce` begins with.
    fn start(&mut self, part: &'v Part, place: &Place<'_, 'v>) -> Outcome<Value<'v>> {
        part.operands().nth(2).map_or(Ok(Value::Null), |start| self.owned(start, place))
    }

    fn reduce(
        &mut self,
        mut items: Walk<'_, 'v>,
        body: Body,
        mut accumulator: Value<'v>,
    ) -> Outcome<Value<'v>> {
        let mut room = Value::Unknown;
        while let Some(item) = self.next(&mut items, &mut room, body.at)? {
            let place = Place::Fold { current: item, accumulator: &accumulator };
            let next = body.operand.map_or(Ok(Value::Unknown), |body| self.owned(body, &place))?;
            self.check_depth(&next, body.at)?;
            accumulator = next;
        }
        Ok(accumulator)
    }
}

impl Body {
    fn of(at: u32, part: &Part) -> Self {
        Self { at, operand: part.operands().nth(1) }
    }
}
