//! Iteration over the items and fields of a value.

use core::slice;

use super::{number::Number, value::Value};
use crate::{
    error::Error,
    json::{Items, Kind},
    steps::Steps,
};

impl<'v> Value<'v> {
    /// Returns the items of a list.
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

    /// Returns the fields of an object in their order.
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

    /// Returns an iterator over the items of a list that borrows existing items.
    pub(super) fn walk(&self) -> Option<Walk<'_, 'v>> {
        match self {
            Self::List(items) => Some(Walk::Values(items.iter())),
            Self::BuiltList(list) => Some(Walk::Values(list.parts().iter())),
            Self::Data(node) if node.kind() == Kind::Array => Some(Walk::Data(node.items())),
            _ => None,
        }
    }
}

/// An iterator over a list that borrows items or builds them one by one.
pub(super) enum Walk<'a, 'v> {
    Data(Items<'v>),
    Values(slice::Iter<'a, Value<'v>>),
}

impl<'a, 'v> Walk<'a, 'v> {
    /// Returns the next item. An item that must be built goes to `slot`.
    ///
    /// # Errors
    ///
    /// [`LIMIT_EXCEEDED`](crate::codes::LIMIT_EXCEEDED) when the budget runs out.
    #[inline]
    pub(super) fn next<'r>(
        &mut self,
        slot: &'r mut Value<'v>,
        steps: &mut Steps,
    ) -> Result<Option<&'r Value<'v>>, Error>
    where
        'a: 'r,
    {
        match self {
            Self::Data(items) => {
                let Some(node) = items.next() else { return Ok(None) };
                *slot = Value::from(node);
                steps.spend(slot.as_number().map_or(0, Number::reading))?;
                Ok(Some(slot))
            }
            Self::Values(items) => Ok(items.next()),
        }
    }
}

/// An iterator over a container of the data, or over values.
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
