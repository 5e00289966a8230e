//! What gives one of its operands: `if`, and in compat mode `and` and `or`.

use super::{
    evaluate::{Machine, Outcome, Place},
    program::Part,
    value::Value,
};

impl<'v> Machine<'v, '_> {
    /// `if`; an unknown condition leaves the whole unknown.
    #[inline(never)]
    pub(super) fn choice(&mut self, part: &'v Part, place: &Place<'_, 'v>) -> Outcome<Value<'v>> {
        let mut operands = part.operands();
        while let Some(first) = operands.next() {
            let Some(branch) = operands.next() else { return self.owned(first, place) };
            match self.condition(first, place)? {
                Some(true) => return self.owned(branch, place),
                Some(false) => {}
                None => return Ok(Value::Unknown),
            }
        }
        Ok(Value::Null)
    }

    /// The first operand that counts as true, or as false, or else the last.
    #[inline(never)]
    pub(super) fn first_that(
        &mut self,
        truth: bool,
        part: &'v Part,
        place: &Place<'_, 'v>,
    ) -> Outcome<Value<'v>> {
        let mut last = Value::Unknown;
        // In strict mode both decide something, and come to where that is done.
        let Some(coercions) = self.program.coercions else { return Ok(last) };
        for operand in part.operands() {
            last = self.owned(operand, place)?;
            if (coercions.truthy)(&last) == truth {
                break;
            }
        }
        Ok(last)
    }
}
