//! The engine in this project's sandbox and as an Extism plugin, measured in one run: `adjudicate-extism ENGINE PLUGIN [--quick]`.
//!
//! ```text
//! calls -> every way to answer them -> the same bytes? -> contest -> one flat JSON object on stdout
//! ```
//!
//! `cargo xtask bench --extism` builds both modules and this program, runs it, and makes the tables. docs/benchmarks.md
//! lists the equal and the different conditions of the two sandboxes.

mod calls;
mod clock;
#[path = "../../benches/src/contest.rs"]
#[expect(
    dead_code,
    reason = "what is timed here goes by other clocks, and each workload has a column of its own"
)]
mod contest;
mod loading;
mod memory;
mod ours;
mod theirs;
mod workload;

use std::{
    collections::BTreeMap,
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use crate::{contest::Effort, workload::Workload};

/// A reason why a measurement failed.
pub(crate) type Failure = Box<dyn Error>;

/// The measured values by key.
pub(crate) type Values = BTreeMap<String, f64>;

/// The efforts of published numbers and of `--quick`, as in the other benchmarks.
const FULL: Effort = Effort { rounds: 401, turn: Duration::from_millis(2) };
const QUICK: Effort = Effort { rounds: 61, turn: Duration::from_millis(1) };

/// The same engine as two modules.
pub(crate) struct Modules {
    /// The module for our host.
    pub(crate) engine: PathBuf,
    /// The module for Extism.
    pub(crate) plugin: PathBuf,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (modules, effort) = match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [engine, plugin] => (Modules { engine: engine.into(), plugin: plugin.into() }, FULL),
        [engine, plugin, "--quick"] => (Modules { engine: engine.into(), plugin: plugin.into() }, QUICK),
        _ => {
            eprintln!("usage: adjudicate-extism ENGINE PLUGIN [--quick]");
            return ExitCode::from(64);
        }
    };
    match measure(&modules, effort).and_then(|values| Ok(serde_json::to_string(&values)?)) {
        Ok(json) => {
            println!("{json}");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("adjudicate-extism: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn measure(modules: &Modules, effort: Effort) -> Result<Values, Failure> {
    let workloads = Workload::all()?;
    let [short, ..] = &workloads;
    let mut values = Values::new();
    values.insert("module_ours_bytes".into(), size(&modules.engine)?);
    values.insert("module_extism_bytes".into(), size(&modules.plugin)?);
    // First, before the process has freed memory that it could use again.
    eprintln!("measuring: memory");
    values.extend(memory::measure(modules, short)?);
    for workload in &workloads {
        eprintln!("measuring: {}", workload.name);
        values.extend(calls::measure(modules, workload, effort)?);
    }
    eprintln!("measuring: all threads");
    values.extend(calls::measure_all_threads(modules, short, effort)?);
    eprintln!("measuring: loading");
    values.extend(loading::measure(modules, short, effort)?);
    Ok(values)
}

/// The bytes of a module.
pub(crate) fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(file).map_err(|error| format!("{}: {error}", file.display()).into())
}

fn size(file: &Path) -> Result<f64, Failure> {
    Ok(read(file)?.len() as f64)
}

/// Returns an error if an answer is wrong, so that no wrong answer is timed.
pub(crate) fn agree(who: &str, actual: &str, expected: &str) -> Result<(), Failure> {
    if actual == expected { Ok(()) } else { Err(format!("{who} answers {actual}, not {expected}").into()) }
}
