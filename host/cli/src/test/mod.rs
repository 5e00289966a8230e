//! The command `test`: the tests inside policies, further cases, and the coverage of all.
//!
//! ```text
//! policy files, case files -> Suite -> (evaluate each) -> Report -> text or JSON, JUnit, exit status
//! ```

mod case;
mod coverage;
mod document;
mod edit;
mod items;
mod junit;
mod report;
mod suite;
mod text;
mod watch;

use std::path::PathBuf;

use adjudicate_core::Error;

use crate::{
    codes,
    environment::Environment,
    exit::Exit,
    failure::Failure,
    input::{InputFormat, Source},
    layout,
    options::{named, one_stdin},
    output::{self, Color, ReportFormat},
    replace,
};
pub(crate) use case::read as read_cases;
use clap::Args;
pub(crate) use document::Cases;
pub(crate) use report::SuiteReport;
use suite::Suite;

/// Run the tests of policy documents, and report their coverage.
#[derive(Debug, Args)]
pub(crate) struct Test {
    /// The policies with `tests` (YAML if they end in .yaml or .yml); `-` for standard input
    #[arg(value_name = "POLICY", required = true)]
    pub(crate) policies: Vec<Source>,
    /// A file of further cases; repeatable
    ///
    /// The file has one case or a list of cases. A case is `{name, policy?, input, expect}`, or with variants `{name, policy?,
    /// input, expect?, cases: [{name, set?, remove?, expect?}]}`. `set` maps JSON Pointers to values.
    #[arg(long = "case", value_name = "FILE")]
    pub(crate) cases: Vec<Source>,
    /// The format of all files, instead of the one that their names end in
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) input_format: Option<InputFormat>,
    /// Run only tests whose name contains this text
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    /// Fail if fewer rules of a policy than this both fired and stayed quiet
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(crate) min_coverage: Option<u8>,
    /// Write a JUnit report for CI to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Run all tests again when a file changes
    #[arg(long)]
    pub(crate) watch: bool,
    /// The format of the report
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: ReportFormat,
    /// When to use colors
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub(crate) color: Color,
}

impl Test {
    /// Rejects arguments that exclude each other.
    fn check(&self) -> Result<(), Error> {
        if self.filter.is_some() && self.min_coverage.is_some() {
            let message = "`--min-coverage` needs all tests, so it cannot be used with `--filter`";
            return Err(Error::new(codes::WRONG_USAGE, message));
        }
        if self.watch && self.sources().any(|source| *source == Source::Stdin) {
            let message = "`--watch` looks at files, and standard input is none";
            return Err(Error::new(codes::WRONG_USAGE, message));
        }
        one_stdin(named("POLICY", &self.policies).chain(named("--case", &self.cases)))
    }

    /// Returns all input files.
    fn sources(&self) -> impl Iterator<Item = &Source> {
        self.policies.iter().chain(&self.cases)
    }
}

pub(crate) fn run(args: &Test, env: &Environment) -> Result<Exit, Failure> {
    args.check()?;
    if args.watch { watch::run(args, env) } else { print_report(&report(args, env)?, args, env) }
}

/// Reads all files and runs all tests.
fn report(args: &Test, env: &Environment) -> Result<SuiteReport, Error> {
    SuiteReport::run(&Suite::load(args, env)?, args.min_coverage)
}

/// Prints and writes a report, and returns the exit status.
fn print_report(report: &SuiteReport, args: &Test, env: &Environment) -> Result<Exit, Failure> {
    let text = |width| text::page(report).render(width);
    output::report(env, args.format, args.color, || layout::json(report), text)?;
    if let Some(path) = &args.junit {
        replace::report(path, &junit::document(report), env)?;
    }
    Ok(if report.is_good() { Exit::Answered } else { Exit::Failed })
}
