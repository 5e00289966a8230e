//! What evaluates its second operand for each item of a list: `map`, `filter`, `reduce`, `all`, `none`, `some`.

use alloc::vec::Vec;

use super::{
    evaluate::{Machine, Outcome, Place},
    operator::Operator,
    program::Part,
    types::Types,
    value::Value,
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
        let Some(items) = list.items() else {
            return match operator {
                _ if self.strict() => Ok(Value::Unknown),
                Operator::Reduce => self.start(part, place),
                _ => Ok(Value::list(Vec::new())),
            };
        };
        match operator {
            Operator::Map => self.map(items, body),
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
        let Some(items) = list.items() else {
            return Ok(if self.strict() { None } else { Some(operator == Operator::NoneOf) });
        };
        let stop = operator != Operator::AllOf;
        let otherwise = operator == Operator::NoneOf || operator == Operator::AllOf && !list.is_empty();
        let mut outcome = Some(otherwise);
        for item in items {
            match self.holds(body, &item, outcome.is_none())? {
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
        let list = self.owned(part.first, place)?;
        if self.strict() && !list.is_unknown() && list.types() != Types::LIST {
            return Err(self.misfit(part.first, operator, Types::LIST, &list));
        }
        self.spend(list.weight(), part.first)?;
        Ok(list)
    }

    fn map(&mut self, items: impl Iterator<Item = Value<'v>>, body: Body) -> Outcome<Value<'v>> {
        let mut results = Vec::new();
        for item in items {
            let result =
                body.operand.map_or(Ok(Value::Null), |body| self.owned(body, &Place::Item(&item)))?;
            if result.is_unknown() && self.strict() {
                return Ok(Value::Unknown);
            }
            results.push(result);
        }
        self.built_list(results, body.at)
    }

    fn filter(&mut self, items: impl Iterator<Item = Value<'v>>, body: Body) -> Outcome<Value<'v>> {
        let mut kept = Vec::new();
        for item in items {
            match self.holds(body, &item, false)? {
                Some(true) => kept.push(item),
                Some(false) => {}
                None => return Ok(Value::Unknown),
            }
        }
        self.built_list(kept, body.at)
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
        items: impl Iterator<Item = Value<'v>>,
        body: Body,
        mut accumulator: Value<'v>,
    ) -> Outcome<Value<'v>> {
        for item in items {
            let place = Place::Fold { current: &item, accumulator: &accumulator };
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
