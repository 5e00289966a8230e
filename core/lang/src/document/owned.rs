//! The code that all owned forms share, and the names that the derive generates.

use alloc::string::ToString;

pub use alloc::{collections::BTreeMap, string::String, vec::Vec};
use serde::{Deserialize, Deserializer, de::Error as _};

use super::{Magnitude, Notes};
use crate::{
    error::Error,
    json::{self, MAX_ANSWER_BYTES, Node, OwnedValue, ReadLimits},
    order::SortedMap,
    paths::Pattern,
};

/// Fields that are not declared, by name: extensions, whose names begin with `x-`, `$schema`, and in objects that take other
/// fields, those fields.
pub type Extra = BTreeMap<String, OwnedValue>;

/// The limits of texts that become owned forms, which may be answers.
pub const LIMITS: ReadLimits = ReadLimits { documents: &[], bytes: MAX_ANSWER_BYTES };

/// A value that has an owned form.
pub trait IntoOwned<'t> {
    /// The owned form.
    type Owned;

    /// Returns the owned form. `node` is the JSON value that was read, for the parts of it that the borrowed form leaves out.
    fn into_owned(self, node: Node<'t>) -> Self::Owned;
}

impl<'t> IntoOwned<'t> for Pattern<'t> {
    type Owned = String;

    fn into_owned(self, _: Node<'t>) -> String {
        self.text().to_string()
    }
}

impl<'t> IntoOwned<'t> for Node<'t> {
    type Owned = OwnedValue;

    fn into_owned(self, _: Node<'t>) -> OwnedValue {
        self.into()
    }
}

/// The number as written.
impl<'t> IntoOwned<'t> for Magnitude {
    type Owned = OwnedValue;

    fn into_owned(self, node: Node<'t>) -> OwnedValue {
        node.into()
    }
}

/// As written: a string, or a list.
impl<'t> IntoOwned<'t> for Notes<'t> {
    type Owned = OwnedValue;

    fn into_owned(self, node: Node<'t>) -> OwnedValue {
        node.into()
    }
}

/// Converts the items of a list.
pub fn items<'t, T, O>(list: Vec<T>, node: Node<'t>, mut convert: impl FnMut(T, Node<'t>) -> O) -> Vec<O> {
    list.into_iter().zip(node.items()).map(|(item, node)| convert(item, node)).collect()
}

/// Converts the values of an object in which every name is data.
pub fn members<'t, T, O>(
    object: SortedMap<&str, T>,
    node: Node<'t>,
    mut convert: impl FnMut(T, Node<'t>) -> O,
) -> BTreeMap<String, O> {
    let nodes = SortedMap::from_entries(node.members().collect());
    let members = object.into_iter().zip(nodes);
    members.map(|((name, value), (_, node))| (name.to_string(), convert(value, node))).collect()
}

/// Returns the fields of an object that are not among the declared ones.
#[must_use]
pub fn extra(node: Node<'_>, declared: &[&str]) -> Extra {
    let others = node.members().filter(|(name, _)| !declared.contains(name));
    others.map(|(name, value)| (name.to_string(), value.into())).collect()
}

/// Reads an owned form from any format of serde, by the reader of its JSON text.
///
/// # Errors
///
/// The errors of the format, and the first error of `read`, with its path.
pub fn deserialize<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    read: impl FnOnce(&[u8]) -> Result<T, Error>,
) -> Result<T, D::Error> {
    let value = OwnedValue::deserialize(deserializer)?;
    read(json::write(&value).as_bytes()).map_err(D::Error::custom)
}
