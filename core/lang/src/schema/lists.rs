//! The entries of a compiled schema's lists: the data of rules that do not fit into a number.

use super::range::{ListRange, SchemaId, Text};
use crate::{decimal::Decimal, json::Ends, logic::Number};

/// A number to compare with.
#[derive(Clone, Debug)]
pub(super) struct Limit {
    /// For [`RuleView`](super::view::RuleView).
    pub value: Number,
    pub decimal: Decimal,
    /// The nearest float.
    pub near: f64,
    /// The integer value, if it is below 2^53, so that floats distinguish it from its neighbors.
    pub whole: Option<i64>,
}

/// The values that `enum` or `const` allows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub strings: Names,
    /// One bit each for null, true and false, in this order.
    pub constants: u8,
    /// Integers of at most 32 bits, sorted, in [`Schema::integers`](super::Schema).
    pub integers: ListRange,
    /// The least integer, and one bit each for it and the next 63.
    pub least: i32,
    pub near: u64,
    /// All other values, by their canonical equality keys (`equality_key`).
    pub others: Names,
}

/// A set of strings to look up.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Names {
    /// One property per string, sorted.
    pub properties: ListRange,
    /// A hash table with a power of two of slots; empty if binary search is better.
    pub slots: ListRange,
}

/// The rules for the fields of an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct ObjectRules {
    /// The named properties.
    pub names: Names,
    /// The property that is declared first.
    pub first: u32,
    /// The number of required properties.
    pub required: u32,
    pub patterns: ListRange,
    /// The schema of fields that match no property and no pattern.
    pub additional: SchemaId,
}

/// The discriminator of a schema: a field that, if present, must be one of some strings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Discriminator {
    pub name: Text,
    /// An entry of [`Schema::choices`](super::Schema) that has only strings.
    pub choice: u32,
}

/// A property, or a string of a set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Property {
    /// The first and last bytes of the name, which distinguish most names.
    pub ends: Ends,
    pub name: Text,
    pub schema: SchemaId,
    pub required: bool,
    /// The next declared property. Objects often have their fields in this order.
    pub next: u32,
}

/// The schema of the fields whose names match a pattern.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByPattern {
    pub pattern: u32,
    pub schema: SchemaId,
}

/// The requirements that apply if a property is present.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dependent {
    pub name: Text,
    /// Names of other required properties, in [`Schema::texts`](super::Schema).
    pub required: ListRange,
    pub schema: SchemaId,
}

/// A schema that `$dynamicRef` can resolve to.
#[derive(Clone, Copy, Debug)]
pub(super) struct DynamicAnchor {
    pub name: Text,
    /// The index of the first anchor of the same name.
    pub namesake: u32,
    pub resource: u32,
    pub schema: SchemaId,
}
