//! Sets of JSON types, for operands and results.

use core::{fmt, ops::BitOr};

/// A set of JSON types.
///
/// ```
/// use adjudicate_lang::logic::Types;
/// assert_eq!((Types::NUMBER | Types::TEXT).to_string(), "a number or a string");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Types(u8);

impl Types {
    /// No type: an unknown value has none.
    pub const NONE: Self = Self(0);
    /// `null`.
    pub const NULL: Self = Self(1);
    /// A boolean.
    pub const BOOL: Self = Self(1 << 1);
    /// A number.
    pub const NUMBER: Self = Self(1 << 2);
    /// A string.
    pub const TEXT: Self = Self(1 << 3);
    /// A list.
    pub const LIST: Self = Self(1 << 4);
    /// An object.
    pub const OBJECT: Self = Self(1 << 5);
    /// Any of them.
    pub const ANY: Self = Self((1 << 6) - 1);
    /// The types with an order: numbers and strings.
    pub const ORDERED: Self = Self::NUMBER.or(Self::TEXT);

    /// Returns the union.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the intersection.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns whether the sets share a type.
    #[must_use]
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for Types {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.or(other)
    }
}

/// Formats the set as in `a number or a string`.
impl fmt::Display for Types {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: [(Types, &str); 6] = [
            (Types::NULL, "null"),
            (Types::BOOL, "a boolean"),
            (Types::NUMBER, "a number"),
            (Types::TEXT, "a string"),
            (Types::LIST, "a list"),
            (Types::OBJECT, "an object"),
        ];
        if *self == Self::NONE {
            return f.write_str("unknown");
        }
        let mut left = self.0.count_ones();
        for (_, name) in NAMES.iter().filter(|(types, _)| types.meets(*self)) {
            f.write_str(name)?;
            left -= 1;
            match left {
                0 => {}
                1 => f.write_str(" or ")?,
                _ => f.write_str(", ")?,
            }
        }
        Ok(())
    }
}
