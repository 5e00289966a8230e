//! Going through the items and members of a value, wherever they are.

use core::slice;

use super::{number::Number, value::Value};
use crate::{
    error::Error,
    json::{Items, Kind},
    steps::Steps,
};

impl<'v> Value<'v> {
    /// The items, if it is a list.
    #[must_use]
    pub fn items(&self) -> Option<impl Iterator<Item = Self> + Clone> {
        match self {
            Self::List(items) => Some(Either::Values(items.iter().cloned())),
            Self::BuiltList(list) => Some(Either::Values(list.parts().iter().cloned())),
            Self::Data(node) if node.kind() == Kind::Array => {
                Some(Either::Data(node.items().map(Self::from)))
            }
            _ => None,
        }
    }

    /// The members in their order, if it is an object.
    #[must_use]
    pub fn members(&self) -> Option<impl Iterator<Item = (&str, Self)> + Clone> {
        match self {
            Self::Object(object) => {
                let members = object.parts().iter();
                Some(Either::Values(members.map(|(name, value)| (&**name, value.clone()))))
            }
            Self::Data(node) if node.kind() == Kind::Object => {
                Some(Either::Data(node.members().map(|(name, value)| (name, Self::from(value)))))
            }
            _ => None,
        }
    }

    /// Walks the items, if it is a list.
    pub(super) fn walk(&self) -> Option<Walk<'_, 'v>> {
        match self {
            Self::List(items) => Some(Walk::Values(items.iter())),
            Self::BuiltList(list) => Some(Walk::Values(list.parts().iter())),
            Self::Data(node) if node.kind() == Kind::Array => Some(Walk::Data(node.items())),
            _ => None,
        }
    }
}

/// The items of a list, one after the other, as they are or made as they come.
pub(super) enum Walk<'a, 'v> {
    Data(Items<'v>),
    Values(slice::Iter<'a, Value<'v>>),
}

impl<'a, 'v> Walk<'a, 'v> {
    /// The next item; `room` is where it is put if it is not there already.
    ///
    /// # Errors
    ///
    /// Running out of the budget.
    #[inline]
    pub(super) fn next<'r>(
        &mut self,
        room: &'r mut Value<'v>,
        steps: &mut Steps,
    ) -> Result<Option<&'r Value<'v>>, Error>
    where
        'a: 'r,
    {
        match self {
            Self::Data(items) => {
                let Some(node) = items.next() else { return Ok(None) };
                *room = Value::from(node);
                steps.spend(room.as_number().map_or(0, Number::reading))?;
                Ok(Some(room))
            }
            Self::Values(items) => Ok(items.next()),
        }
    }
}

/// What walks a container of the data, or one of values.
#[derive(Clone)]
enum Either<D, V> {
    Data(D),
    Values(V),
}

impl<T, D: Iterator<Item = T>, V: Iterator<Item = T>> Iterator for Either<D, V> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        match self {
            Self::Data(parts) => parts.next(),
            Self::Values(parts) => parts.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Self::Data(parts) => parts.size_hint(),
            Self::Values(parts) => parts.size_hint(),
        }
    }
}
