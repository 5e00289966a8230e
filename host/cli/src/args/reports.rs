//! The verbs that report on files.

use std::path::PathBuf;

use adjudicate_core::{Error, ErrorCode};
use clap::{Args, ValueEnum};

use super::{Color, Format, InputFormat, layouts, named, one_stdin};
use crate::{exit, input::Source};

/// Tell what is wrong with policy documents, and where.
#[derive(Debug, Args)]
#[command(after_help = exit::CHECK_HELP)]
pub(crate) struct Check {
    /// The policy documents (YAML if they end in .yaml or .yml); `-` for standard input
    #[arg(value_name = "POLICY", required = true)]
    pub(crate) policies: Vec<Source>,
    /// What the documents are, whatever their names end in
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) input_format: Option<InputFormat>,
    /// What is as bad as an error
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) deny: Option<Deny>,
    /// How to print what is found
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: ReportFormat,
    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub(crate) color: Color,
}

/// What else is as bad as an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Deny {
    Warnings,
}

/// Run the tests of policy documents, and tell what they cover.
#[derive(Debug, Args)]
#[command(after_help = exit::TEST_HELP)]
pub(crate) struct Test {
    /// The policy documents, whose `tests` are run (YAML if they end in .yaml or .yml); `-` for standard input
    #[arg(value_name = "POLICY", required = true)]
    pub(crate) policies: Vec<Source>,
    /// A file of further cases: one or a list of `{name, policy?, input, expect}`, or `{name, policy?, input, expect?,
    /// cases: [{name, set?, remove?, expect?}]}`; `set` is from JSON Pointers to values
    #[arg(long = "case", value_name = "FILE")]
    pub(crate) cases: Vec<Source>,
    /// What the policies and files of cases are, whatever their names end in
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) input_format: Option<InputFormat>,
    /// Run only tests whose name has this in it
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    /// Fail when, of any policy, fewer of its rules than this both fired and stayed quiet
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(crate) min_coverage: Option<u8>,
    /// Write a report for build servers to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Go on, and run everything again when a file changes
    #[arg(long)]
    pub(crate) watch: bool,
    /// How to print the report
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: ReportFormat,
    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub(crate) color: Color,
}

/// Tell what a policy module is, without compiling or running it.
#[derive(Debug, Args)]
#[command(after_help = exit::HELP)]
pub(crate) struct Inspect {
    /// The module
    #[arg(value_name = "MODULE")]
    pub(crate) module: PathBuf,
    /// How to print what is found
    #[arg(long, value_parser = layouts(), default_value = "json")]
    pub(crate) format: Format,
    /// When to use colours in a table
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub(crate) color: Color,
}

/// Hold a policy module against the interface, requirement by requirement.
#[derive(Debug, Args)]
#[command(after_help = exit::CONFORMANCE_HELP)]
pub(crate) struct Conformance {
    /// The module
    #[arg(value_name = "MODULE", required_unless_present = "export", conflicts_with = "export")]
    pub(crate) module: Option<PathBuf>,
    /// Write the modules that hosts are checked with, and cases.json, to this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) export: Option<PathBuf>,
    /// Write a report for build servers to this file
    #[arg(long, value_name = "FILE", conflicts_with = "export")]
    pub(crate) junit: Option<PathBuf>,
    /// How to print the report
    #[arg(long, value_enum, default_value_t, conflicts_with = "export")]
    pub(crate) format: ReportFormat,
    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, conflicts_with = "export")]
    pub(crate) color: Color,
}

/// How a report is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people
    #[default]
    Text,
    /// JSON on one line
    Json,
}

impl Check {
    /// Refuses what no single argument shows to be wrong.
    pub(super) fn check(&self) -> Result<(), Error> {
        one_stdin(named("POLICY", &self.policies))
    }
}

impl Test {
    /// Refuses what no single argument shows to be wrong.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.filter.is_some() && self.min_coverage.is_some() {
            let message = "`--min-coverage` needs all tests, so it cannot be used with `--filter`";
            return Err(Error::new(ErrorCode::WrongUsage, message));
        }
        if self.watch && self.sources().any(|source| *source == Source::Stdin) {
            let message = "`--watch` looks at files, and standard input is none";
            return Err(Error::new(ErrorCode::WrongUsage, message));
        }
        one_stdin(named("POLICY", &self.policies).chain(named("--case", &self.cases)))
    }

    /// All that is read.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &Source> {
        self.policies.iter().chain(&self.cases)
    }
}
