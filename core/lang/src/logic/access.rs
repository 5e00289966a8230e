//! The operators that look up variables: `var`, `missing`, `missing_some`.

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::{
    check, compat,
    evaluate::{Frame, Machine, MachineResult},
    number::Number,
    operator::Operator,
    part::Part,
    path::VariablePath,
    program::ConstantVariable,
    types::Types,
    value::Value,
};
use crate::{codes, error::Error};

impl<'v> Machine<'v, '_> {
    /// Evaluates `var` with a constant path, given by its index.
    #[inline(never)]
    pub(super) fn variable<'a>(
        &mut self,
        at: u32,
        part: &'v Part,
        path: u16,
        frame: &Frame<'a, 'v>,
        slot: &'a mut Value<'v>,
    ) -> MachineResult<&'a Value<'v>> {
        // The compiler assigned every index, so each is in range.
        let Some(ConstantVariable { path, number }) = self.program.constant_variables.get(usize::from(path))
        else {
            return Ok(&Value::Unknown);
        };
        if let (true, Frame::Outer(scope)) = (*number != ConstantVariable::UNNUMBERED, frame) {
            match scope.numbered(*number, self.steps) {
                Ok(Some(value)) if !value.is_unknown() => return Ok(value),
                Ok(Some(_)) => {
                    self.fall_back(at, part, path, frame, slot)?;
                    return Ok(slot);
                }
                Ok(None) => {}
                Err(error) => return Err(self.fail(error, at)),
            }
        }
        match (path.segments(), frame) {
            (_, Frame::Outer(scope)) => {
                scope.resolve(path, slot, self.steps).map_err(|error| self.fail(error, at))?;
                if slot.is_unknown() {
                    self.fall_back(at, part, path, frame, slot)?;
                }
            }
            ([], Frame::Item(item)) => return Ok(item),
            ([name], Frame::Fold { current, .. }) if **name == *"current" => return Ok(current),
            ([name], Frame::Fold { accumulator, .. })
                if **name == *"accumulator" && !accumulator.is_unknown() =>
            {
                return Ok(accumulator);
            }
            _ => self.look_up(at, part, path, frame, slot)?,
        }
        Ok(slot)
    }

    /// Evaluates `var` with a computed path.
    #[inline(never)]
    pub(super) fn computed_variable(
        &mut self,
        at: u32,
        part: &'v Part,
        frame: &Frame<'_, 'v>,
    ) -> MachineResult<Value<'v>> {
        let key = self.owned(part.first(), frame)?;
        let Some(path) = self.path_of(&key, at)? else { return Ok(Value::Unknown) };
        let mut value = Value::Unknown;
        self.look_up(at, part, &path, frame, &mut value)?;
        Ok(value)
    }

    /// Writes the value of a variable to `out`.
    fn look_up(
        &mut self,
        at: u32,
        part: &'v Part,
        path: &VariablePath,
        frame: &Frame<'_, 'v>,
        out: &mut Value<'v>,
    ) -> MachineResult<()> {
        match self.find(path, frame, out) {
            Ok(()) if !out.is_unknown() => Ok(()),
            Ok(()) => self.fall_back(at, part, path, frame, out),
            Err(error) => Err(self.fail(error, at)),
        }
    }

    /// Writes the replacement of a missing variable to `out`: a JavaScript property in compat mode, or the default.
    #[inline(never)]
    fn fall_back(
        &mut self,
        at: u32,
        part: &'v Part,
        path: &VariablePath,
        frame: &Frame<'_, 'v>,
        out: &mut Value<'v>,
    ) -> MachineResult<()> {
        if !self.strict() {
            self.property(path, frame, out).map_err(|error| self.fail(error, at))?;
            if !out.is_unknown() {
                return Ok(());
            }
        }
        *out = match part.operands().nth(1) {
            Some(default) => self.owned(default, frame)?,
            None => Value::Unknown,
        };
        if out.is_unknown() && !self.strict() {
            *out = Value::Null;
        }
        Ok(())
    }

    /// Writes the value at a path to `out`, or unknown.
    fn find(&mut self, path: &VariablePath, frame: &Frame<'_, 'v>, out: &mut Value<'v>) -> Result<(), Error> {
        match frame {
            Frame::Outer(scope) => scope.resolve(path, out, self.steps),
            Frame::Item(item) => item.descend(path.segments(), out, self.steps),
            Frame::Fold { current, accumulator } => match path.segments().split_first() {
                None => {
                    *out = both(current, accumulator);
                    Ok(())
                }
                Some((first, rest)) if **first == *"current" => current.descend(rest, out, self.steps),
                Some((first, rest)) if **first == *"accumulator" => {
                    accumulator.descend(rest, out, self.steps)
                }
                Some(_) => {
                    *out = Value::Unknown;
                    Ok(())
                }
            },
        }
    }

    /// Writes a JavaScript property of a list or string to `out`, for example `length`, if the path ends in one.
    fn property(
        &mut self,
        path: &VariablePath,
        frame: &Frame<'_, 'v>,
        out: &mut Value<'v>,
    ) -> Result<(), Error> {
        let Some((last, before)) = path.segments().split_last() else { return Ok(()) };
        if let Some(coercions) = self.program.coercions
            && compat::is_property(last)
        {
            self.find(&VariablePath::from_segments(before), frame, out)?;
            *out = (coercions.property)(out, last, self.steps)?.into();
        }
        Ok(())
    }

    /// Converts a key to a path. Returns `None` if the key is unknown.
    fn path_of(&mut self, key: &Value<'v>, at: u32) -> MachineResult<Option<VariablePath>> {
        if key.is_unknown() && self.strict() {
            return Ok(None);
        }
        self.spend(key.as_text().map_or(1, str::len), at)?;
        let path = check::path(key, self.program.coercions);
        path.map(Some).map_err(|fault| self.fail(Error::new(codes::INVALID_EXPRESSION, fault), at))
    }

    /// Returns the paths without a value.
    #[inline(never)]
    pub(super) fn missing(
        &mut self,
        at: u32,
        part: &'v Part,
        frame: &Frame<'_, 'v>,
    ) -> MachineResult<Value<'v>> {
        let mut keys = Vec::new();
        for operand in part.operands() {
            keys.push(self.owned(operand, frame)?);
        }
        // A first operand that is a list has all paths: `merge` and `if` return such lists.
        self.spend(keys.first().map_or(0, Value::weight), at)?;
        let listed = keys.first().and_then(|first| Some(first.items()?.collect::<Vec<_>>()));
        self.absent(listed.unwrap_or(keys), at, frame)
    }

    /// Returns an empty list if at least the required number of paths have a value, otherwise the paths without one.
    #[inline(never)]
    pub(super) fn missing_some(
        &mut self,
        at: u32,
        part: &'v Part,
        frame: &Frame<'_, 'v>,
    ) -> MachineResult<Value<'v>> {
        let mut operands = part.operands();
        let (first, second) = (operands.next(), operands.next());
        let needed = first.map_or(Ok(Value::Unknown), |first| self.owned(first, frame))?;
        let keys = second.map_or(Ok(Value::Unknown), |second| self.owned(second, frame))?;
        if self.strict() {
            for (operand, value, takes) in [(first, &needed, Types::NUMBER), (second, &keys, Types::LIST)] {
                if !value.is_unknown() && !value.types().meets(takes) {
                    return Err(self.type_error(operand.unwrap_or(at), Operator::MissingSome, takes, value));
                }
            }
            if needed.is_unknown() || keys.is_unknown() {
                return Ok(Value::Unknown);
            }
        }
        // The reference treats a string as one path, yet counts its characters. Other values have no length.
        self.spend(keys.weight(), at)?;
        let count = compat::length(&keys);
        let listed = keys.items().map(Iterator::collect::<Vec<_>>);
        let absent = self.absent(listed.unwrap_or_else(|| Vec::from([keys.clone()])), at, frame)?;
        let Some(count) = count else { return Ok(absent) };
        let present = Number::from(count.saturating_sub(absent.len()) as u64);
        let enough = match self.program.coercions {
            None => needed.as_number().and_then(|needed| needed.compare(&present)),
            Some(coercions) => {
                let order = (coercions.relation)(&needed, &Value::Number(present), self.steps);
                order.map_err(|error| self.fail(error, at))?
            }
        };
        let known = !absent.is_unknown();
        Ok(if known && enough.is_some_and(Ordering::is_le) { Value::list(Vec::new()) } else { absent })
    }

    /// Returns the keys without a value, as a list.
    fn absent(&mut self, keys: Vec<Value<'v>>, at: u32, frame: &Frame<'_, 'v>) -> MachineResult<Value<'v>> {
        let mut absent = Vec::new();
        for key in keys {
            let Some(path) = self.path_of(&key, at)? else { return Ok(Value::Unknown) };
            let mut value = Value::Unknown;
            let mut found = self.find(&path, frame, &mut value);
            if found.is_ok() && value.is_unknown() && !self.strict() {
                found = self.property(&path, frame, &mut value);
            }
            found.map_err(|error| self.fail(error, at))?;
            // The reference implementation counts null and the empty string as missing.
            let is_empty = matches!(value, Value::Null) || value.as_text() == Some("");
            if value.is_unknown() || is_empty && !self.strict() {
                absent.push(key);
            }
        }
        self.built_list(absent, at)
    }
}

/// Returns the scope of a `reduce` body as one object.
fn both<'v>(current: &Value<'v>, accumulator: &Value<'v>) -> Value<'v> {
    if accumulator.is_unknown() {
        return Value::Unknown;
    }
    let members = [("current", current), ("accumulator", accumulator)];
    Value::object(members.map(|(name, value)| (name.into(), value.clone())).into())
}
