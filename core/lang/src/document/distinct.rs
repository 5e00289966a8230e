//! Lists of objects that a string in one of their fields identifies.

use alloc::vec::Vec;
use core::ops::Deref;

use super::{Document, Reader, Shape, values::reserved};
use crate::json::Node;

/// An object that a string in one of its fields identifies.
pub trait Keyed {
    /// The name of the field.
    const KEY: &'static str;
}

/// A list of objects, no two of which have the same string in the field [`Keyed::KEY`].
///
/// ```
/// use adjudicate_lang::{document::{self, Distinct, Document, Keyed}, json};
/// #[derive(Document)]
/// #[document(expecting = "a tool")]
/// struct Tool<'a> { name: &'a str, weight: u64 }
/// impl Keyed for Tool<'_> { const KEY: &'static str = "name"; }
/// let tape = json::read(br#"[{"name": "saw", "weight": 2}, {"weight": -1, "name": "saw", "size": 3}]"#, json::ReadLimits::DOCUMENT)?;
/// let error = document::read::<Distinct<Tool<'_>>>(tape.root()).map(drop).unwrap_err();
/// assert_eq!(Vec::from_iter(error.all().map(adjudicate_lang::Error::path)), ["/1/weight", "/1/name", "/1/size"]);
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distinct<T>(pub Vec<T>);

impl<T> Default for Distinct<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Deref for Distinct<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<'t, T: Document<'t> + Keyed> Document<'t> for Distinct<T> {
    const SHAPE: Shape = Shape::List(&T::SHAPE);

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        let mut items = reserved(node);
        let is_list = reader.distinct(node, T::KEY, &mut |item, reader| {
            if let Some(item) = T::read(item, reader) {
                items.push(item);
            }
        });
        is_list.then(|| Self(items))
    }
}
