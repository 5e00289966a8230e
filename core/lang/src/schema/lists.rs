//! What the lists of a compiled schema hold: what rules look at that is larger than a number.

use super::tree::{Id, Run, Text};
use crate::{decimal::Decimal, json::Ends, logic::Number};

/// A number to compare with.
#[derive(Clone, Debug)]
pub(super) struct Limit {
    /// For those who ask what the schema allows.
    pub value: Number,
    pub decimal: Decimal,
    /// The float nearest to it.
    pub near: f64,
    /// The integer that it is, if floats tell it from its neighbours.
    pub whole: Option<i64>,
}

/// The values that a schema allows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub strings: Names,
    /// Null, true and false: of which a bit, in this order, is set.
    pub constants: u8,
    /// Integers that are seen at a glance, sorted, in [`Schema::integers`](super::Schema).
    pub integers: Run,
    /// The least of them, and those that are near: of it and the 63 after it each has a bit.
    pub least: i32,
    pub near: u64,
    /// All others, by their key (`key::key`).
    pub others: Names,
}

/// Texts that others are looked up among.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Names {
    /// Each as the name of a property, sorted.
    pub properties: Run,
    /// A power of two of slots; none where binary search is better.
    pub slots: Run,
}

/// What an object's members must be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Members {
    /// Its named properties.
    pub names: Names,
    /// The one that is declared first.
    pub first: u32,
    /// How many are required.
    pub required: u32,
    pub patterns: Run,
    /// What no property and no pattern speaks of.
    pub additional: Id,
}

/// A member that an object must not have otherwise, if it has it, for a schema to hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guard {
    pub name: Text,
    /// One of [`Schema::choices`](super::Schema), of strings alone.
    pub choice: u32,
}

/// A property with a name, or a string among others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Property {
    /// How its name begins and ends, which tells most names apart.
    pub ends: Ends,
    pub name: Text,
    pub schema: Id,
    pub required: bool,
    /// The property that is declared after it, which likely comes after it in objects too.
    pub next: u32,
}

/// Properties whose names match a pattern.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByPattern {
    pub pattern: u32,
    pub schema: Id,
}

/// What a property calls for where it is there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dependent {
    pub name: Text,
    /// Names of other properties, in [`Schema::texts`](super::Schema).
    pub required: Run,
    pub schema: Id,
}

/// A schema that `$dynamicRef` may lead to.
#[derive(Clone, Copy, Debug)]
pub(super) struct DynamicAnchor {
    pub name: Text,
    /// The number of the first anchor of that name.
    pub namesake: u32,
    pub resource: u32,
    pub schema: Id,
}
