//! The operators that take any number of operands and combine them one by one: `+`, `*`, `max`, `min`, `cat`, `merge`.

use alloc::{
    string::{String, ToString as _},
    vec::Vec,
};

use super::{
    compat::Coercions,
    cost::BUILT_BYTE,
    evaluate::{Frame, Machine, MachineResult},
    number::Number,
    operator::Operator,
    part::Part,
    strict,
    types::Types,
    value::Value,
};

impl<'v> Machine<'v, '_> {
    pub(super) fn arithmetic(
        &mut self,
        at: u32,
        part: &'v Part,
        operator: Operator,
        frame: &Frame<'_, 'v>,
    ) -> MachineResult<Value<'v>> {
        match self.program.coercions {
            None => self.exact(at, part, operator, frame),
            Some(coercions) => self.floating(coercions, at, part, operator, frame),
        }
    }

    #[inline(never)]
    fn exact(
        &mut self,
        at: u32,
        part: &'v Part,
        operator: Operator,
        frame: &Frame<'_, 'v>,
    ) -> MachineResult<Value<'v>> {
        let (mut total, mut unknown): (Option<Number>, _) = (None, false);
        let mut slot = Value::Unknown;
        for operand in part.operands() {
            match (self.value(operand, frame, &mut slot)?, &total) {
                (Value::Unknown, _) => unknown = true,
                (Value::Number(number), None) => total = Some(number.clone()),
                (Value::Number(number), Some(so_far)) => {
                    let next = strict::combine(operator, so_far, number);
                    total = Some(next.map_err(|error| self.fail(error, at))?);
                }
                (other, _) => return Err(self.type_error(operand, operator, Types::NUMBER, other)),
            }
        }
        Ok(if unknown { Value::Unknown } else { total.into() })
    }

    #[inline(never)]
    fn floating(
        &mut self,
        coercions: &Coercions,
        at: u32,
        part: &'v Part,
        operator: Operator,
        frame: &Frame<'_, 'v>,
    ) -> MachineResult<Value<'v>> {
        let mut total = (coercions.start)(operator);
        for operand in part.operands() {
            let mut slot = Value::Unknown;
            let value = self.value(operand, frame, &mut slot)?;
            if operator == Operator::Times && part.count == 1 {
                // The reference returns a single operand unchanged.
                return Ok(value.clone());
            }
            let sum = (coercions.add)(operator, total, value, self.steps);
            total = sum.map_err(|error| self.fail(error, at))?;
        }
        Ok(Value::Number(Number::float(total)))
    }

    #[inline(never)]
    pub(super) fn cat(&mut self, at: u32, part: &'v Part, frame: &Frame<'_, 'v>) -> MachineResult<Value<'v>> {
        let (mut text, mut unknown) = (String::new(), false);
        for operand in part.operands() {
            let mut slot = Value::Unknown;
            let value = self.value(operand, frame, &mut slot)?;
            if let Some(piece) = value.as_text() {
                self.spend(piece.len() * BUILT_BYTE, at)?;
                text.push_str(piece);
                continue;
            }
            match (value, self.program.coercions) {
                (_, Some(coercions)) => {
                    let written = (coercions.join)(value, &mut text, self.steps);
                    written.map_err(|error| self.fail(error, at))?;
                }
                (Value::Number(number), None) => text.push_str(&number.to_string()),
                (Value::Unknown, None) => unknown = true,
                _ => return Err(self.type_error(operand, Operator::Cat, Types::ORDERED, value)),
            }
        }
        Ok(if unknown { Value::Unknown } else { Value::BuiltText(text.into()) })
    }

    #[inline(never)]
    pub(super) fn merge(
        &mut self,
        at: u32,
        part: &'v Part,
        frame: &Frame<'_, 'v>,
    ) -> MachineResult<Value<'v>> {
        let (mut merged, mut unknown) = (Vec::new(), false);
        for operand in part.operands() {
            let value = self.owned(operand, frame)?;
            unknown |= value.is_unknown() && self.strict();
            if let Some(items) = value.items() {
                self.spend(value.weight(), at)?;
                merged.extend(items);
                continue;
            }
            merged.push(value);
        }
        if unknown { Ok(Value::Unknown) } else { self.built_list(merged, at) }
    }
}
