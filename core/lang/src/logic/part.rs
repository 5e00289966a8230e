//! The parts of a compiled expression.

use core::ops::Range;

use super::{operator::Operator, types::Types, value::Value};

/// One part of an expression, in 12 bytes. The last part is the whole expression. `MAX_PARTS` is 65,536, so 16 bits suffice for
/// indices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub kind: PartKind,
    /// True if the only operand is written without a list around it.
    pub bare: bool,
    /// True if the result is always true, false or unknown.
    pub decides: bool,
    /// The index of the first operand, and the number of operands.
    pub first: u16,
    pub count: u16,
    /// The index of the operation around this part; meaningless for the whole.
    pub parent: u16,
}

const _: () = assert!(size_of::<Part>() <= 12);

/// The kind of a part. Numbers are indices into the program's tables.
#[derive(Clone, Copy, Debug)]
pub(super) enum PartKind {
    Constant(u16),
    /// `var` with a constant path.
    Variable(u16),
    /// A list of expressions.
    List,
    Operation(Operator),
    /// `glob` or `regex` with a constant pattern.
    Glob(u16),
    Regex(u16),
}

impl Part {
    pub(super) const fn leaf(kind: PartKind) -> Self {
        Self { kind, bare: false, decides: false, first: 0, count: 0, parent: 0 }
    }

    pub(super) fn first(&self) -> u32 {
        self.first.into()
    }

    pub(super) fn count(&self) -> u32 {
        self.count.into()
    }

    pub(super) fn operands(&self) -> Range<u32> {
        self.first()..self.first() + self.count()
    }
}

impl PartKind {
    /// Returns the operator as written.
    pub(super) const fn operator(self) -> Option<Operator> {
        match self {
            Self::Operation(operator) => Some(operator),
            Self::Variable(_) => Some(Operator::Var),
            Self::Glob(_) => Some(Operator::Glob),
            Self::Regex(_) => Some(Operator::Regex),
            Self::Constant(_) | Self::List => None,
        }
    }
}

/// A compiled part that has no index in the program yet.
pub(super) struct CompiledPart {
    pub part: Part,
    /// The value of a constant.
    pub constant: Option<Value<'static>>,
    /// The types that the part can return.
    pub gives: Types,
}
