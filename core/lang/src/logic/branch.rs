//! The operators that return one of their operands: `if`, and in compat mode `and` and `or`.

use super::{
    evaluate::{Frame, Machine, MachineResult},
    part::Part,
    value::Value,
};

impl<'v> Machine<'v, '_> {
    /// Evaluates `if`. The result is unknown if a condition is.
    #[inline(never)]
    pub(super) fn choice(&mut self, part: &'v Part, frame: &Frame<'_, 'v>) -> MachineResult<Value<'v>> {
        let mut operands = part.operands();
        while let Some(first) = operands.next() {
            let Some(branch) = operands.next() else { return self.owned(first, frame) };
            match self.condition(first, frame)? {
                Some(true) => return self.owned(branch, frame),
                Some(false) => {}
                None => return Ok(Value::Unknown),
            }
        }
        Ok(Value::Null)
    }

    /// Returns the first operand with this truth, otherwise the last operand.
    #[inline(never)]
    pub(super) fn first_that(
        &mut self,
        truth: bool,
        part: &'v Part,
        frame: &Frame<'_, 'v>,
    ) -> MachineResult<Value<'v>> {
        let mut last = Value::Unknown;
        // In strict mode, `and` and `or` are decisions, which `decide` evaluates.
        let Some(coercions) = self.program.coercions else { return Ok(last) };
        for operand in part.operands() {
            last = self.owned(operand, frame)?;
            if (coercions.truthy)(&last) == truth {
                break;
            }
        }
        Ok(last)
    }
}
