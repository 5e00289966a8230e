//! The operators: one table of names, operands, results and meanings.

use super::{Mode, types::Types};

/// What the table says about an operator. Compat mode takes any number and any types of operands, as the reference
/// does, except for the extensions.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// The name, as expressions spell it.
    pub name: &'static str,
    /// The least number of operands.
    pub least: usize,
    /// The largest number of operands; `None` for as many as wanted.
    pub most: Option<usize>,
    /// What strict mode takes at each place; the last one also at all places after it.
    pub takes: &'static [Types],
    /// What strict mode gives, if it is known.
    pub gives: Types,
    /// Whether the reference has it too.
    pub reference: bool,
}

impl Signature {
    /// What strict mode takes at a place, counted from 0.
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

/// Declares the operators: name, operands from..to, what it takes, what it gives, meaning.
macro_rules! operators {
    ($($kind:ident $operator:ident = $name:literal $least:literal .. $($most:literal)?
        ($($takes:expr),*) -> $gives:expr, $meaning:literal;)+) => {
        /// What an expression can do.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Operator { $(#[doc = $meaning] $operator,)+ }

        impl Operator {
            /// All operators, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$operator,)+];

            /// All names, in the order of the table.
            pub(super) const NAMES: &'static [&'static str] = &[$($name,)+];

            /// The operator's row of the table.
            ///
            /// ```
            /// use adjudicate_lang::logic::Operator;
            /// let row = Operator::Between.signature();
            /// assert_eq!((row.name, row.least, row.most), ("between", 3, Some(3)));
            /// ```
            #[must_use]
            pub const fn signature(self) -> &'static Signature {
                match self {
                    $(Self::$operator => &const { Signature {
                        name: $name,
                        least: $least,
                        most: most!($($most)?),
                        takes: &[$($takes),*],
                        gives: $gives,
                        reference: reference!($kind),
                    } },)+
                }
            }

            /// One line on what it does. Beside the signature and not in it: who does not ask, does not carry the texts.
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
    reference Var = "var" 1..2 (ORDERED, ANY) -> ANY, "the variable at a path, or else the second operand";
    reference Missing = "missing" 0.. (ORDERED.or(LIST), ORDERED) -> LIST, "those of the paths that lead nowhere";
    reference MissingSome = "missing_some" 2..2 (NUMBER, LIST) -> LIST,
        "nothing if at least so many of the paths lead somewhere, else those that do not";
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
        "the part from a character on, with so many characters; negative numbers count from the end";
    reference Log = "log" 1..1 (ANY) -> ANY, "the operand itself; nothing is logged";
    extension Length = "length" 1..1 (TEXT.or(LIST).or(OBJECT)) -> NUMBER,
        "how many characters, items or members there are";
    extension StartsWith = "starts_with" 2..2 (TEXT) -> BOOL, "whether the first begins with the second";
    extension EndsWith = "ends_with" 2..2 (TEXT) -> BOOL, "whether the first ends with the second";
    extension Glob = "glob" 2..2 (TEXT) -> BOOL, "whether the path matches the glob, as lists of paths have it";
    extension Regex = "regex" 2..2 (TEXT) -> BOOL, "whether the pattern is found in the text";
}

impl Operator {
    /// The operator with that name, or `None`.
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

    /// The name, as expressions spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.signature().name
    }

    /// Whether it evaluates its second operand for each item of a list; only that item is in scope there.
    #[must_use]
    pub const fn iterates(self) -> bool {
        matches!(self, Self::Map | Self::Filter | Self::Reduce | Self::AllOf | Self::NoneOf | Self::SomeOf)
    }

    /// Whether it gives nothing but true, false and unknown.
    pub(super) fn decides(self, mode: Mode) -> bool {
        // In compat mode they give one of their operands.
        let is_connective = matches!(self, Self::And | Self::Or);
        self.signature().gives == Types::BOOL && !(is_connective && mode == Mode::Compat)
    }

    /// Whether it asks which of its operands comes first.
    pub(super) const fn orders(self) -> bool {
        matches!(self, Self::Less | Self::AtMost | Self::Greater | Self::AtLeast | Self::Between)
    }
}
