//! The same rules and schemas in this engine and in six others, measured in one run: `adjudicate-peers [--quick]`.
//!
//! ```text
//! inputs -> every contestant -> the same verdict? -> contest -> one flat JSON object on stdout
//! ```
//!
//! `cargo xtask bench --peers` builds it, runs it, and makes the table. What is equal and what is not is said in
//! BENCHMARKS.md.

mod cedar;
mod cel;
#[path = "../../benches/src/contest.rs"]
mod contest;
mod datalogic;
mod decision;
mod expressions;
mod inputs;
mod ours;
mod rego;
mod schema;
mod schema_cases;
mod verdict;

use std::{collections::BTreeMap, env, error::Error, process::ExitCode, time::Duration};

use crate::contest::Effort;

/// Anything that keeps a measurement from being made.
pub(crate) type Failure = Box<dyn Error>;

/// The measured values by key.
pub(crate) type Values = BTreeMap<String, f64>;

/// What is published, and a look: as in the other benchmarks.
const FULL: Effort = Effort { rounds: 401, turn: Duration::from_millis(2) };
const QUICK: Effort = Effort { rounds: 61, turn: Duration::from_millis(1) };

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let effort = match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => FULL,
        ["--quick"] => QUICK,
        _ => {
            eprintln!("usage: adjudicate-peers [--quick]");
            return ExitCode::from(64);
        }
    };
    match measure(effort).and_then(|values| Ok(serde_json::to_string(&values)?)) {
        Ok(json) => {
            println!("{json}");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("adjudicate-peers: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn measure(effort: Effort) -> Result<Values, Failure> {
    eprintln!("measuring: nine rules");
    let mut values = decision::measure(effort)?;
    eprintln!("measuring: expressions");
    values.extend(expressions::measure(effort)?);
    eprintln!("measuring: schemas");
    values.extend(schema::measure(effort)?);
    Ok(values)
}
