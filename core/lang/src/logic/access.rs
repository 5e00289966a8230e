//! What looks variables up: `var`, `missing`, `missing_some`.

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::{
    check, compat,
    evaluate::{Machine, Outcome, Place},
    number::Number,
    operator::Operator,
    path::Path,
    program::{Known, Part},
    types::Types,
    value::Value,
};
use crate::{codes, error::Error};

impl<'v> Machine<'v, '_> {
    /// `var` with the path of that number.
    #[inline(never)]
    pub(super) fn variable<'a>(
        &mut self,
        at: u32,
        part: &'v Part,
        path: u16,
        place: &Place<'a, 'v>,
        room: &'a mut Value<'v>,
    ) -> Outcome<&'a Value<'v>> {
        // Every number in the tables was given out by the compiler.
        let Some(Known { path, number }) = self.program.known.get(usize::from(path)) else {
            return Ok(&Value::Unknown);
        };
        if let (true, Place::Outside(scope)) = (*number != Known::UNNUMBERED, place) {
            match scope.numbered(*number, self.steps) {
                Ok(Some(value)) if !value.is_unknown() => return Ok(value),
                Ok(Some(_)) => {
                    self.fall_back(at, part, path, place, room)?;
                    return Ok(room);
                }
                Ok(None) => {}
                Err(error) => return Err(self.fail(error, at)),
            }
        }
        match (path.segments(), place) {
            (_, Place::Outside(scope)) => {
                scope.resolve(path, room, self.steps).map_err(|error| self.fail(error, at))?;
                if room.is_unknown() {
                    self.fall_back(at, part, path, place, room)?;
                }
            }
            ([], Place::Item(item)) => return Ok(item),
            ([name], Place::Fold { current, .. }) if **name == *"current" => return Ok(current),
            ([name], Place::Fold { accumulator, .. })
                if **name == *"accumulator" && !accumulator.is_unknown() =>
            {
                return Ok(accumulator);
            }
            _ => self.look_up(at, part, path, place, room)?,
        }
        Ok(room)
    }

    /// `var` with a path that is an expression itself.
    #[inline(never)]
    pub(super) fn computed_variable(
        &mut self,
        at: u32,
        part: &'v Part,
        place: &Place<'_, 'v>,
    ) -> Outcome<Value<'v>> {
        let key = self.owned(part.first(), place)?;
        let Some(path) = self.path_of(&key, at)? else { return Ok(Value::Unknown) };
        let mut value = Value::Unknown;
        self.look_up(at, part, &path, place, &mut value)?;
        Ok(value)
    }

    /// Leaves a variable's value in `out`.
    fn look_up(
        &mut self,
        at: u32,
        part: &'v Part,
        path: &Path,
        place: &Place<'_, 'v>,
        out: &mut Value<'v>,
    ) -> Outcome<()> {
        match self.find(path, place, out) {
            Ok(()) if !out.is_unknown() => Ok(()),
            Ok(()) => self.fall_back(at, part, path, place, out),
            Err(error) => Err(self.fail(error, at)),
        }
    }

    /// Leaves in `out` what a variable is that is not there.
    #[inline(never)]
    fn fall_back(
        &mut self,
        at: u32,
        part: &'v Part,
        path: &Path,
        place: &Place<'_, 'v>,
        out: &mut Value<'v>,
    ) -> Outcome<()> {
        if !self.strict() {
            self.property(path, place, out).map_err(|error| self.fail(error, at))?;
            if !out.is_unknown() {
                return Ok(());
            }
        }
        *out = match part.operands().nth(1) {
            Some(default) => self.owned(default, place)?,
            None => Value::Unknown,
        };
        if out.is_unknown() && !self.strict() {
            *out = Value::Null;
        }
        Ok(())
    }

    /// Leaves in `out` the value at a path, or unknown.
    fn find(&mut self, path: &Path, place: &Place<'_, 'v>, out: &mut Value<'v>) -> Result<(), Error> {
        match place {
            Place::Outside(scope) => scope.resolve(path, out, self.steps),
            Place::Item(item) => item.descend(path.segments(), out, self.steps),
            Place::Fold { current, accumulator } => match path.segments().split_first() {
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

    /// Leaves in `out` the property of a list or a string, as JavaScript has them, that a path ends in.
    fn property(&mut self, path: &Path, place: &Place<'_, 'v>, out: &mut Value<'v>) -> Result<(), Error> {
        let Some((last, before)) = path.segments().split_last() else { return Ok(()) };
        if let Some(coercions) = self.program.coercions
            && compat::is_property(last)
        {
            self.find(&Path::of(before), place, out)?;
            *out = (coercions.property)(out, last, self.steps)?.into();
        }
        Ok(())
    }

    /// The path that a key names; `None` if that is unknown.
    fn path_of(&mut self, key: &Value<'v>, at: u32) -> Outcome<Option<Path>> {
        if key.is_unknown() && self.strict() {
            return Ok(None);
        }
        self.spend(key.as_text().map_or(1, str::len), at)?;
        let path = check::path(key, self.program.coercions);
        path.map(Some).map_err(|fault| self.fail(Error::new(codes::INVALID_EXPRESSION, fault), at))
    }

    /// Those of the paths that lead nowhere.
    #[inline(never)]
    pub(super) fn missing(&mut self, at: u32, part: &'v Part, place: &Place<'_, 'v>) -> Outcome<Value<'v>> {
        let mut keys = Vec::new();
        for operand in part.operands() {
            keys.push(self.owned(operand, place)?);
        }
        // A first operand that is a list has all the paths: that is what `merge` and `if` give.
        self.spend(keys.first().map_or(0, Value::weight), at)?;
        let listed = keys.first().and_then(|first| Some(first.items()?.collect::<Vec<_>>()));
        self.absent(listed.unwrap_or(keys), at, place)
    }

    /// Nothing if at least so many of the paths lead somewhere, else those that do not.
    #[inline(never)]
    pub(super) fn missing_some(
        &mut self,
        at: u32,
        part: &'v Part,
        place: &Place<'_, 'v>,
    ) -> Outcome<Value<'v>> {
        let mut operands = part.operands();
        let (first, second) = (operands.next(), operands.next());
        let needed = first.map_or(Ok(Value::Unknown), |first| self.owned(first, place))?;
        let keys = second.map_or(Ok(Value::Unknown), |second| self.owned(second, place))?;
        if self.strict() {
            for (operand, value, takes) in [(first, &needed, Types::NUMBER), (second, &keys, Types::LIST)] {
                if !value.is_unknown() && !value.types().meets(takes) {
                    return Err(self.misfit(operand.unwrap_or(at), Operator::MissingSome, takes, value));
                }
            }
            if needed.is_unknown() || keys.is_unknown() {
                return Ok(Value::Unknown);
            }
        }
        // A string is one path, and yet JavaScript counts its characters; of anything else it knows no length.
        self.spend(keys.weight(), at)?;
        let count = compat::length(&keys);
        let listed = keys.items().map(Iterator::collect::<Vec<_>>);
        let absent = self.absent(listed.unwrap_or_else(|| Vec::from([keys.clone()])), at, place)?;
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

    /// Those of the keys that lead nowhere, as a list.
    fn absent(&mut self, keys: Vec<Value<'v>>, at: u32, place: &Place<'_, 'v>) -> Outcome<Value<'v>> {
        let mut absent = Vec::new();
        for key in keys {
            let Some(path) = self.path_of(&key, at)? else { return Ok(Value::Unknown) };
            let mut value = Value::Unknown;
            let mut found = self.find(&path, place, &mut value);
            if found.is_ok() && value.is_unknown() && !self.strict() {
                found = self.property(&path, place, &mut value);
            }
            found.map_err(|error| self.fail(error, at))?;
            // The reference has it so: null and the empty string are not there.
            let is_empty = matches!(value, Value::Null) || value.as_text() == Some("");
            if value.is_unknown() || is_empty && !self.strict() {
                absent.push(key);
            }
        }
        self.built_list(absent, at)
    }
}

/// All that the body of `reduce` sees, as one object.
fn both<'v>(current: &Value<'v>, accumulator: &Value<'v>) -> Value<'v> {
    if accumulator.is_unknown() {
        return Value::Unknown;
    }
    let members = [("current", current), ("accumulator", accumulator)];
    Value::object(members.map(|(name, value)| (name.into(), value.clone())).into())
}
