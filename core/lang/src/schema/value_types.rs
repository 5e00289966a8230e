//! The types of values, as bits.

use alloc::{string::String, vec::Vec};

use super::tree::Family;
use crate::{
    decimal::Decimal,
    json::{Kind, Node},
    logic::Types,
};

const NUMBER: u8 = 1 << 4;
const INTEGER: u8 = 1 << 6;
/// The types with their texts in messages. The bit of a type is its index.
pub(super) const TYPES: [(&str, &str); 7] = [
    ("null", "null"),
    ("boolean", "a boolean"),
    ("array", "a list"),
    ("object", "an object"),
    ("number", "a number"),
    ("string", "a string"),
    ("integer", "an integer"),
];

/// Returns the bits of a value's types, and the family of its rules. A float that [`is_whole`] has only the bit for numbers here.
#[inline]
pub(super) fn bits_and_family(value: Node<'_>) -> (u8, Family) {
    const STRING: (u8, Family) = (1 << 5, Family::String);
    const BOOLEAN: (u8, Family) = (1 << 1, Family::Any);
    // In the order of the tape's tags.
    const ROWS: [(u8, Family); 9] = [
        (1, Family::Any),
        BOOLEAN,
        BOOLEAN,
        (NUMBER | INTEGER, Family::Number),
        (NUMBER, Family::Number),
        STRING,
        STRING,
        (1 << 2, Family::Array),
        (1 << 3, Family::Object),
    ];
    ROWS.get(value.tag()).copied().unwrap_or((0, Family::Any))
}

/// Returns whether a call of [`is_whole`] is needed.
#[inline]
pub(super) const fn may_be_whole(types: u8, bits: u8) -> bool {
    types & INTEGER != 0 && bits == NUMBER
}

/// Returns whether integers are allowed and the value is an integer in float notation, for example `1.0`.
#[inline(never)]
pub(super) fn is_whole(types: u8, value: Node<'_>) -> bool {
    types & INTEGER != 0 && value.kind() == Kind::Float && value.as_decimal().is_some_and(Decimal::is_whole)
}

/// Returns the types as JSONLogic types, and whether its numbers must be integers.
pub(super) fn as_logic(types: u8) -> (Types, bool) {
    // In the order of the bits.
    const KINDS: [Types; TYPES.len()] =
        [Types::NULL, Types::BOOL, Types::LIST, Types::OBJECT, Types::NUMBER, Types::TEXT, Types::NUMBER];
    let kinds = KINDS.iter().enumerate().filter(|(at, _)| types >> at & 1 == 1);
    let all = kinds.fold(Types::NONE, |all, (_, kind)| all.or(*kind));
    (all, types & (NUMBER | INTEGER) == INTEGER)
}

/// Returns the text of `expected` for types.
pub(super) fn names(types: u8) -> String {
    let names = TYPES.iter().enumerate().filter(|(at, _)| types >> at & 1 == 1).map(|(_, (_, shown))| *shown);
    names.collect::<Vec<_>>().join(" or ")
}
