//! The same rules and schemas in this engine and in six others, measured in one run: `adjudicate-peers [--quick] [--schemas]`.
//!
//! ```text
//! inputs -> every contestant -> the same verdict? -> contest -> one flat JSON object on stdout
//! ```
//!
//! `cargo xtask bench --peers` builds it, runs it, and makes the table. docs/benchmarks.md lists the equal and the different
//! conditions of the engines.

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

/// A reason why a measurement failed.
pub(crate) type Failure = Box<dyn Error>;

/// The measured values by key.
pub(crate) type Values = BTreeMap<String, f64>;

/// The efforts of published numbers and of `--quick`, as in the other benchmarks.
const FULL: Effort = Effort { rounds: 401, turn: Duration::from_millis(2) };
const QUICK: Effort = Effort { rounds: 61, turn: Duration::from_millis(1) };

/// The name and the function of a measurement.
type Part = (&'static str, fn(Effort) -> Result<Values, Failure>);

/// All measurements; `--schemas` runs the last one alone.
static PARTS: [Part; 3] =
    [("nine rules", decision::measure), ("expressions", expressions::measure), ("schemas", schema::measure)];

fn main() -> ExitCode {
    let (mut effort, mut parts) = (FULL, PARTS.as_slice());
    for argument in env::args().skip(1) {
        match argument.as_str() {
            "--quick" => effort = QUICK,
            "--schemas" => parts = PARTS.get(2..).unwrap_or_default(),
            _ => {
                eprintln!("usage: adjudicate-peers [--quick] [--schemas]");
                return ExitCode::from(64);
            }
        }
    }
    match measure(parts, effort).and_then(|values| Ok(serde_json::to_string(&values)?)) {
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

fn measure(parts: &[Part], effort: Effort) -> Result<Values, Failure> {
    let mut values = Values::new();
    for (name, measure) in parts {
        eprintln!("measuring: {name}");
        values.extend(measure(effort)?);
    }
    Ok(values)
}
