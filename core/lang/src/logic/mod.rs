//! Logic expressions: JSONLogic, compiled once and evaluated against borrowed data (SPEC section 5).
//!
//! ```text
//! JSON -> compile (check, types) -> Program -> evaluate(Scope, Steps) -> Value, or an error
//! ```
//!
//! - [`Program`] is the compiled form; [`Program::holds`] asks it as a condition. It borrows nothing and copies nothing
//!   of the data.
//! - [`Scope`] is where variables come from: a document, a value, or what an implementor makes of its own facts.
//! - [`Expression`] views a program part by part, for those who analyse or explain it; [`Program::variables`] lists what
//!   it reads.
//! - [`Operator`] is the table of operators, [`Types`] what strict mode knows of their operands.
//!
//! [`Mode::Strict`] is three-valued (unknown is [`Value::Unknown`]), exact, and coerces nothing. [`Mode::Compat`] is the
//! reference's, floats and coercions included. `core/READINGS.md` has the choices where the sources leave one.
//!
//! Not here: which roots a policy's conditions see, and what happens when one is unknown. Regular expressions are in
//! [`pattern`](crate::pattern), globs in [`paths`](crate::paths).

mod access;
mod arithmetic;
mod branch;
mod call;
mod check;
mod coerce;
mod collect;
mod compat;
mod compile;
mod decide;
mod equal;
mod evaluate;
mod expression;
mod iterate;
mod javascript;
mod number;
mod operator;
mod path;
mod program;
mod ratio;
mod scope;
mod serialize;
mod strict;
mod text;
mod texts;
mod types;
mod value;
mod walk;

pub use call::evaluate_text;
pub use expression::{Expression, Form, Variable};
pub use number::Number;
pub use operator::{Operator, Signature};
pub use path::Path;
pub use program::Program;
pub use scope::Scope;
pub use texts::Texts;
pub use types::Types;
pub use value::{Built, Value};

/// How an expression is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Three-valued and exact; nothing is coerced.
    #[default]
    Strict,
    /// As the reference implementation does.
    Compat,
}

impl Mode {
    /// That of an expression which coerces so.
    const fn of(coercions: Option<&'static compat::Coercions>) -> Self {
        if coercions.is_some() { Self::Compat } else { Self::Strict }
    }
}
