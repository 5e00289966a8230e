//! The languages of the adjudicate policy engine: JSON, JSONLogic, JSON Schema, regular expressions, and paths.
//!
//! | module | purpose |
//! | --- | --- |
//! | [`document`] | reads documents into types, and describes the types as data |
//! | [`json`] | reads and writes strict JSON; pointers, canonical form, digests |
//! | [`logic`] | JSONLogic expressions, compiled once |
//! | [`schema`] | JSON Schema, draft-07 and 2020-12, compiled once |
//! | [`pattern`] | regular expressions that take linear time |
//! | [`paths`] | normalized paths, and globs |
//! | [`order`] | sorting and sorted sets in little code |
//!
//! A [`Decimal`] is the exact value of a number. [`Steps`] bounds every computation that is not linear in its input. [`Error`]
//! says why there is no answer. Nothing here knows a document of the engine: those are in `adjudicate-core`, which exports again
//! the parts of this crate that its users need.
//!
//! ```
//! use adjudicate_lang::{Steps, json::{self, ReadLimits}, logic::{Mode, Program}};
//! let expression = json::read(br#"{">": [{"var": "count"}, 40]}"#, ReadLimits::DOCUMENT)?;
//! let data = json::read(br#"{"count": 41}"#, ReadLimits::DOCUMENT)?;
//! let program = Program::compile(expression.root(), Mode::Strict, &mut Steps::for_patterns())?;
//! assert_eq!(program.holds(&data.root(), &mut Steps::default())?, Some(true));
//! # Ok::<(), adjudicate_lang::Error>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
// For the code that `#[derive(Document)]` makes here.
extern crate self as adjudicate_lang;

pub mod codes;
mod decimal;
pub mod document;
mod error;
pub mod json;
pub mod logic;
mod logic_call;
pub mod order;
pub mod paths;
pub mod pattern;
pub mod schema;
mod steps;
mod text;

pub use codes::{ErrorCode, Subject};
pub use decimal::Decimal;
pub use error::Error;
pub use logic_call::evaluate_logic;
pub use steps::Steps;
pub use text::is_hidden;
