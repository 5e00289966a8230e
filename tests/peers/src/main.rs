//! The same rules and schemas in this engine and in others, measured in one run: `adjudicate-peers [--quick]`.
//!
//! ```text
//! inputs -> every engine -> the same verdict? -> contest -> one flat JSON object on stdout
//! ```
//!
//! `cargo xtask bench --peers` builds it, runs it, and fills the tables of docs/benchmarks.md, which lists the equal and
//! the different conditions of the engines.

#[path = "../../benches/src/contest.rs"]
#[expect(dead_code, reason = "no operation here takes many turns")]
mod contest;
mod engines;
mod inputs;
mod rules;
mod schema;
mod schema_cases;

use std::{collections::BTreeMap, env, error::Error};

use crate::contest::Effort;

/// A reason why a measurement failed.
pub(crate) type Failure = Box<dyn Error>;

/// The measured values by key.
pub(crate) type Values = BTreeMap<String, f64>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let effort = match arguments.as_slice() {
        [] => Effort::FULL,
        [quick] if quick == "--quick" => Effort::QUICK,
        _ => return Err("usage: adjudicate-peers [--quick]".into()),
    };
    let mut values = rules::measure(effort)?;
    values.extend(schema::measure(effort)?);
    println!("{}", serde_json::to_string(&values)?);
    Ok(())
}
