//! The operators: one table of names, operands, results and meanings.

use alloc::{format, string::String};

use super::{Mode, types::Types};

/// A row of the operator table. In compat mode, operators of the reference take any number and types of operands.
#[derive(Clone, Copy, Debug)]
pub struct OperatorSignature {
    /// The name in expressions.
    pub name: &'static str,
    /// The least number of operands.
    pub least: usize,
    /// The largest number of operands, or `None` for no limit.
    pub most: Option<usize>,
    /// The operand types of strict mode by index. The last entry also applies to all further operands.
    pub takes: &'static [Types],
    /// The result type in strict mode, or all types.
    pub gives: Types,
    /// True if the reference implementation has the operator.
    pub reference: bool,
}

impl OperatorSignature {
    /// Returns the operand types of strict mode at an index, counted from 0.
    #[must_use]
    pub fn takes_at(&self, place: usize) -> Types {
        self.takes.get(place).or(self.takes.last()).copied().unwrap_or(Types::ANY)
    }
}

const BOOL: Types = Types::BOOL;
const NUMBER: Types = Types::NUMBER;
const TEXT: Types = Types::TEXT;
const LIST: Types = Types::LIST;
const OBJECT: Types = Types::OBJECT;
const ANY: Types = Types::ANY;
const ORDERED: Types = Types::ORDERED;

/// Declares the operators: name, operand count from..to, operand types, result type, meaning.
macro_rules! operators {
    ($($kind:ident $operator:ident = $name:literal $least:literal .. $($most:literal)?
        ($($takes:expr),*) -> $gives:expr, $meaning:literal;)+) => {
        /// The operators of expressions.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Operator { $(#[doc = $meaning] $operator,)+ }

        impl Operator {
            /// All operators, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$operator,)+];

            /// All names, in the order of the table.
            pub(super) const NAMES: &'static [&'static str] = &[$($name,)+];

            /// Returns the operator's row of the table.
            ///
            /// ```
            /// use adjudicate_lang::logic::Operator;
            /// let row = Operator::Between.signature();
            /// assert_eq!((row.name, row.least, row.most), ("between", 3, Some(3)));
            /// ```
            #[must_use]
            pub const fn signature(self) -> &'static OperatorSignature {
                match self {
                    $(Self::$operator => &const { OperatorSignature {
                        name: $name,
                        least: $least,
                        most: most!($($most)?),
                        takes: &[$($takes),*],
                        gives: $gives,
                        reference: reference!($kind),
                    } },)+
                }
            }

            /// Returns one line of documentation. Not in the signature, so that programs that do not read the texts do not contain
            /// them.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$operator => $meaning,)+ }
            }
        }
    };
}

macro_rules! most {
    () => {
        None
    };
    ($most:literal) => {
        Some($most)
    };
}

macro_rules! reference {
    (reference) => {
        true
    };
    (extension) => {
        false
    };
}

operators! {
    reference Var = "var" 1..2 (ORDERED, ANY) -> ANY, "the value at a path, or the second operand if there is none";
    reference Missing = "missing" 0.. (ORDERED.or(LIST), ORDERED) -> LIST, "the paths without a value";
    reference MissingSome = "missing_some" 2..2 (NUMBER, LIST) -> LIST,
        "an empty list if at least that many paths have a value, else the paths without one";
    reference If = "if" 2.. (ANY) -> ANY, "the operand after the first condition that holds, or else the last";
    reference Ternary = "?:" 2.. (ANY) -> ANY, "another name for `if`";
    reference And = "and" 1.. (BOOL) -> BOOL, "whether all hold; stops at the first that does not";
    reference Or = "or" 1.. (BOOL) -> BOOL, "whether one holds; stops at the first that does";
    reference Not = "!" 1..1 (BOOL) -> BOOL, "whether it does not hold";
    reference Truth = "!!" 1..1 (BOOL) -> BOOL, "whether it holds";
    reference Equal = "==" 2..2 (ANY) -> BOOL, "whether both are the same value";
    reference SameAs = "===" 2..2 (ANY) -> BOOL, "another name for `==`, except in compat mode";
    reference Unequal = "!=" 2..2 (ANY) -> BOOL, "whether they are not the same value";
    reference NotSameAs = "!==" 2..2 (ANY) -> BOOL, "another name for `!=`, except in compat mode";
    reference Less = "<" 2..3 (ORDERED) -> BOOL, "whether each is less than the next";
    reference AtMost = "<=" 2..3 (ORDERED) -> BOOL, "whether each is less than or equal to the next";
    reference Greater = ">" 2..2 (ORDERED) -> BOOL, "whether the first is greater";
    reference AtLeast = ">=" 2..2 (ORDERED) -> BOOL, "whether the first is greater or equal";
    extension Between = "between" 3..3 (ORDERED) -> BOOL,
        "whether the first lies from the second to the third, both included";
    reference Plus = "+" 1.. (NUMBER) -> NUMBER, "the sum";
    reference Minus = "-" 1..2 (NUMBER) -> NUMBER, "the difference, or the negative of a single operand";
    reference Times = "*" 1.. (NUMBER) -> NUMBER, "the product";
    reference Divide = "/" 2..2 (NUMBER) -> NUMBER, "the quotient";
    reference Remainder = "%" 2..2 (NUMBER) -> NUMBER, "the remainder, with the sign of the first";
    reference Max = "max" 1.. (NUMBER) -> NUMBER, "the largest";
    reference Min = "min" 1.. (NUMBER) -> NUMBER, "the smallest";
    reference Map = "map" 2..2 (LIST, ANY) -> LIST, "the second operand for each item of the first";
    reference Filter = "filter" 2..2 (LIST, BOOL) -> LIST, "the items for which the second operand holds";
    reference Reduce = "reduce" 3..3 (LIST, ANY, ANY) -> ANY,
        "the second operand for each `current` item with the `accumulator` so far, begun with the third";
    reference AllOf = "all" 2..2 (LIST, BOOL) -> BOOL, "whether it holds for each item, and there is one";
    reference NoneOf = "none" 2..2 (LIST, BOOL) -> BOOL, "whether it holds for no item";
    reference SomeOf = "some" 2..2 (LIST, BOOL) -> BOOL, "whether it holds for an item";
    reference Merge = "merge" 0.. (ANY) -> LIST, "one list of the operands and the items of those that are lists";
    reference In = "in" 2..2 (ANY, TEXT.or(LIST)) -> BOOL, "whether the second contains the first";
    reference Cat = "cat" 1.. (ORDERED) -> TEXT, "the operands written one after the other";
    reference Substr = "substr" 2..3 (TEXT, NUMBER) -> TEXT,
        "the part from a start, with a length; negative numbers count from the end";
    reference Log = "log" 1..1 (ANY) -> ANY, "the operand itself; nothing is logged";
    extension Length = "length" 1..1 (TEXT.or(LIST).or(OBJECT)) -> NUMBER,
        "the number of characters, items or fields";
    extension StartsWith = "starts_with" 2..2 (TEXT) -> BOOL, "whether the first begins with the second";
    extension EndsWith = "ends_with" 2..2 (TEXT) -> BOOL, "whether the first ends with the second";
    extension Glob = "glob" 2..2 (TEXT) -> BOOL, "whether the path matches the glob, as lists of paths have it";
    extension Regex = "regex" 2..2 (TEXT) -> BOOL, "whether the pattern is found in the text";
}

/// Matches the operators that evaluate their operands themselves, in a method of the machine.
macro_rules! own_operands {
    () => {
        Operator::Var
            | Operator::Missing
            | Operator::MissingSome
            | Operator::If
            | Operator::Ternary
            | Operator::And
            | Operator::Or
            | Operator::Not
            | Operator::Plus
            | Operator::Times
            | Operator::Max
            | Operator::Min
            | Operator::Map
            | Operator::Filter
            | Operator::Reduce
            | Operator::AllOf
            | Operator::NoneOf
            | Operator::SomeOf
            | Operator::Merge
            | Operator::Cat
    };
}
pub(super) use own_operands;

/// Matches the operators of `decide`, in both modes.
macro_rules! decided {
    () => {
        Operator::Truth
            | Operator::Equal
            | Operator::SameAs
            | Operator::Unequal
            | Operator::NotSameAs
            | Operator::Less
            | Operator::AtMost
            | Operator::Greater
            | Operator::AtLeast
            | Operator::Between
            | Operator::In
            | Operator::StartsWith
            | Operator::EndsWith
            | Operator::Glob
            | Operator::Regex
    };
}
pub(super) use decided;

/// Matches the operators of `compute`, in both modes.
macro_rules! computed {
    () => {
        Operator::Minus
            | Operator::Divide
            | Operator::Remainder
            | Operator::Substr
            | Operator::Log
            | Operator::Length
    };
}
pub(super) use computed;

impl Operator {
    /// Returns the operator with this name.
    ///
    /// ```
    /// use adjudicate_lang::logic::Operator;
    /// assert_eq!(Operator::from_name("starts_with"), Some(Operator::StartsWith));
    /// assert_eq!(Operator::from_name("begins_with"), None);
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let place = Self::NAMES.iter().position(|known| *known == name)?;
        Self::ALL.get(place).copied()
    }

    /// Returns the name in expressions.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.signature().name
    }

    /// Returns whether the operator evaluates its second operand per item of a list. Only the item is in scope there.
    #[must_use]
    pub const fn iterates(self) -> bool {
        matches!(self, Self::Map | Self::Filter | Self::Reduce | Self::AllOf | Self::NoneOf | Self::SomeOf)
    }

    /// Returns whether the result is always true, false or unknown.
    pub(super) fn decides(self, mode: Mode) -> bool {
        // In compat mode, `and` and `or` return an operand.
        let is_connective = matches!(self, Self::And | Self::Or);
        self.signature().gives == Types::BOOL && !(is_connective && mode == Mode::Compat)
    }

    /// Formats a type error, for example `` `+` takes a number, found a string ``.
    pub(super) fn refusal(self, takes: Types, found: Types) -> String {
        format!("`{}` takes {takes}, found {found}", self.name())
    }

    /// Returns whether the operator compares the order of its operands.
    #[must_use]
    pub const fn orders(self) -> bool {
        matches!(self, Self::Less | Self::AtMost | Self::Greater | Self::AtLeast | Self::Between)
    }

    /// Returns whether the operator finds equal values.
    #[must_use]
    pub const fn equates(self) -> bool {
        matches!(self, Self::Equal | Self::SameAs | Self::Unequal | Self::NotSameAs | Self::In)
    }
}
