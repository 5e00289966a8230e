//! Logic expressions: JSONLogic, compiled once and evaluated against borrowed data (docs/reference/logic.md).
//!
//! ```text
//! JSON -> compile (check, types) -> Program -> evaluate(Scope, Steps) -> Value, or an error
//! ```
//!
//! - [`Program`] is the compiled form. It borrows nothing and copies no data. [`Program::holds`] evaluates it as a condition.
//! - [`Scope`] supplies the variables: a document, a value, or your own implementation.
//! - [`Expression`] is a read-only view of a program, part by part. [`Program::variables`] lists the variables that it reads.
//! - [`Operator`] is the table of operators. [`Types`] are the operand types of strict mode.
//!
//! [`Mode::Strict`] is three-valued ([`Value::Unknown`]) and exact, without coercions. [`Mode::Compat`] follows the reference
//! implementation, including floats and coercions. `docs/reference/logic.md` lists the decisions where the sources are ambiguous.
//!
//! Policies define the variables and the effect of an unknown condition, not this module. Regular expressions are in
//! [`pattern`](crate::pattern), globs in [`paths`](crate::paths).

mod access;
mod arithmetic;
mod branch;
mod check;
mod coerce;
mod collect;
mod compat;
mod compile;
mod cost;
mod decide;
mod equal;
mod evaluate;
mod expression;
mod interner;
mod iterate;
mod javascript;
mod number;
mod operator;
mod part;
mod path;
mod program;
mod ratio;
mod scope;
mod serialize;
mod strict;
mod text;
mod types;
mod value;
mod walk;

pub use expression::{Expression, ExpressionVariable, Form};
pub use interner::StringInterner;
pub use number::Number;
pub use operator::{Operator, OperatorSignature};
pub use path::VariablePath;
pub use program::Program;
pub use scope::Scope;
pub use types::Types;
pub use value::{Built, Value};

/// The semantics of an expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Three-valued and exact, without coercions.
    #[default]
    Strict,
    /// As the reference implementation.
    Compat,
}

impl Mode {
    /// Returns the mode of a program with or without coercions.
    const fn from_coercions(coercions: Option<&'static compat::Coercions>) -> Self {
        if coercions.is_some() { Self::Compat } else { Self::Strict }
    }
}
