//! The language of the adjudicate policy engine: how documents are read, compared, written and asked.
//!
//! | module | purpose |
//! | --- | --- |
//! | [`json`] | reads strict JSON with pointers, writes it, makes the canonical form and digests |
//! | [`logic`] | JSONLogic expressions, compiled once |
//! | [`schema`] | JSON Schema, draft-07 and 2020-12, compiled once |
//! | [`pattern`] | regular expressions that take linear time |
//! | [`paths`] | paths in normal form, and globs |
//! | [`order`] | sorting and sets that compile to little code |
//!
//! A [`Decimal`] is the exact value of a number. [`Steps`] bounds every computation that is not linear in its input. [`Error`]
//! says why there is no answer. Nothing here knows a document of the engine: those are in `adjudicate-core`, which exports again
//! the parts of this crate that its users need.
//!
//! ```
//! use adjudicate_lang::{Steps, json::{self, Limits}, logic::{Mode, Program}};
//! let expression = json::read(br#"{">": [{"var": "count"}, 40]}"#, Limits::DOCUMENT)?;
//! let data = json::read(br#"{"count": 41}"#, Limits::DOCUMENT)?;
//! let program = Program::compile(expression.root(), Mode::Strict, &mut Steps::for_patterns())?;
//! assert_eq!(program.holds(&data.root(), &mut Steps::default())?, Some(true));
//! # Ok::<(), adjudicate_lang::Error>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod codes;
mod decimal;
mod error;
pub mod json;
pub mod logic;
pub mod order;
pub mod paths;
pub mod pattern;
pub mod schema;
mod steps;
mod text;

pub use codes::{ErrorCode, Subject};
pub use decimal::Decimal;
pub use error::Error;
pub use steps::Steps;
pub use text::is_hidden;
