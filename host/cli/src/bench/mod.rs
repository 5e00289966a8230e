//! The command `bench`: the fuel, the time and the memory of each case of a policy or a module.
//!
//! ```text
//! policy --bake--> module -+-> sandbox: a fresh instance for each run -> report -> table or JSON, exit status
//! case files, envelopes ---+                              baseline ---^
//! ```

mod cases;
mod measure;
mod progress;
mod report;
mod table;

use std::path::PathBuf;

use adjudicate_core::Error;
use adjudicate_sandbox::{Limits, Module, ModuleLabel};
use clap::Args;

use crate::{
    build, codes, compiler,
    environment::Environment,
    exit::Exit,
    failure::Failure,
    input::{self, InputFormat, Source},
    layout,
    options::{named, one_stdin},
    output::{self, Color, ReportFormat},
};
pub(crate) use report::BenchReport;

/// The longest measurement, in seconds.
const MAX_SECONDS: u64 = 3600;

/// Measure the fuel, the time and the memory of each case of a policy or a module.
#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// Case files and envelopes; without any, the tests of the policy or the module
    ///
    /// Case files are those of `test --case`.
    #[arg(value_name = "CASES")]
    cases: Vec<Source>,
    /// The policy document, which is measured in the engine's module
    #[arg(long, value_name = "FILE", required_unless_present = "module", conflicts_with = "module")]
    policy: Option<Source>,
    /// The policy module
    #[arg(long, value_name = "FILE")]
    module: Option<PathBuf>,
    /// The engine module to put the policy into, as for `build`
    #[arg(long, value_name = "FILE", requires = "policy")]
    engine: Option<PathBuf>,
    /// The format of all documents, instead of the one that their names end in
    #[arg(long, value_enum, value_name = "FORMAT")]
    input_format: Option<InputFormat>,
    /// The fuel for each call, about one unit per instruction
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    fuel: Option<u64>,
    /// The time for all cases together, in seconds; each case runs at least once
    #[arg(long, value_name = "SECONDS", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=MAX_SECONDS))]
    seconds: u64,
    /// Fail if a case takes more fuel than in this earlier report (`--format json`)
    #[arg(long, value_name = "FILE")]
    baseline: Option<Source>,
    /// The additional fuel that the baseline allows, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 0, requires = "baseline", value_parser = clap::value_parser!(u32).range(..=1000))]
    tolerance: u32,
    /// Do not show the progress
    #[arg(long)]
    no_progress: bool,
    /// The format of the report
    #[arg(long, value_enum, default_value_t)]
    format: ReportFormat,
    /// When to use colors
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    color: Color,
}

impl Bench {
    /// Rejects arguments that exclude each other.
    fn check(&self) -> Result<(), Error> {
        let others = named("--policy", &self.policy).chain(named("--baseline", &self.baseline));
        one_stdin(named("CASES", &self.cases).chain(others))
    }

    /// Loads the module, or the policy in the engine's module. It runs with fuel, whichever engine it has.
    fn load(&self, env: &Environment) -> Result<Module, Failure> {
        let defaults = Limits::default();
        let limits = Limits { fuel: self.fuel.unwrap_or(defaults.fuel), ..defaults };
        let host = compiler::host(limits, env)?;
        let module = match (&self.policy, &self.module) {
            (Some(policy), _) => {
                let document = policy.document(self.input_format, env)?;
                let engine = build::engine(self.engine.as_deref(), env)?;
                host.bake(&engine, &document, &ModuleLabel::default())?
            }
            (None, Some(path)) => input::module(path, limits.module_bytes, env)?,
            (None, None) => {
                return Err(Error::new(codes::WRONG_USAGE, "`bench` needs `--policy` or `--module`").into());
            }
        };
        Ok(host.load(&module)?)
    }
}

pub(crate) fn run(args: &Bench, env: &Environment) -> Result<Exit, Failure> {
    args.check()?;
    let baseline = args.baseline.as_ref().map(|source| source.part("baseline", None, env)).transpose()?;
    let tape = baseline.as_deref().map(report::read).transpose()?;
    let baseline = tape.as_ref().map(report::parse).transpose()?;
    let module = args.load(env)?;
    let cases = cases::load(&args.cases, &module, args.input_format, env)?;
    let measured = measure::all(&module, &cases, args.seconds, args.no_progress, env)?;
    let digest = module.digest().to_string();
    let report =
        BenchReport::new(&module, &digest, &cases, &measured).against(baseline.as_ref(), args.tolerance);
    output::report(
        env,
        args.format,
        args.color,
        || layout::json(&report),
        |width| table::page(&report).render(width),
    )?;
    Ok(if report.is_good() { Exit::Answered } else { Exit::Failed })
}
