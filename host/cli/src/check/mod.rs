//! The command `check`: problems of policy documents, reported as a compiler does.
//!
//! ```text
//! text -> JSON -> Policy -> static findings -+
//!   \-----------> an error that refuses it --+-> diagnostics -> places in the text -> excerpts, or JSON
//! ```
//!
//! The core finds the problems; this module finds their places in the text.

mod report;

use adjudicate_core::{Error, Policy, check::check_policy};

use crate::{
    environment::Environment,
    excerpt::{AnnotatedDocument, Diagnostic, locate},
    exit::Exit,
    failure::Failure,
    input::{self, InputFormat, Source},
    options::{named, one_stdin},
    output::{self, Color, ReportFormat},
};
use clap::{Args, ValueEnum};
use report::CheckReport;
pub(crate) use report::ReportJson;

/// Report the problems of policy documents, with line and column.
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// The policy documents (YAML if they end in .yaml or .yml); `-` for standard input
    #[arg(value_name = "POLICY", required = true)]
    pub(crate) policies: Vec<Source>,
    /// The format of the documents, instead of the one that their names end in
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) input_format: Option<InputFormat>,
    /// Treat these problems as errors, too
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) deny: Option<Deny>,
    /// The format of the problems
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: ReportFormat,
    /// When to use colors
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub(crate) color: Color,
}

/// The problems to treat as errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Deny {
    Warnings,
}

impl Check {
    /// Rejects arguments that exclude each other.
    fn check(&self) -> Result<(), Error> {
        one_stdin(named("POLICY", &self.policies))
    }
}

pub(crate) fn run(args: &Check, env: &Environment) -> Result<Exit, Failure> {
    args.check()?;
    let mut report = CheckReport::default();
    for source in &args.policies {
        report.files.push(file(source, args.input_format, env));
    }
    output::report(env, args.format, args.color, || report.json(), |width| report.text(width))?;
    let is_bad = report.errors() > 0 || (args.deny.is_some() && report.warnings() > 0);
    Ok(if is_bad { Exit::Input } else { Exit::Answered })
}

/// Checks one file.
fn file(source: &Source, given: Option<InputFormat>, env: &Environment) -> AnnotatedDocument {
    let name = source.name();
    let bytes = match source.text(env) {
        Ok(bytes) => bytes,
        Err(error) => {
            return AnnotatedDocument { name, text: String::new(), diagnostics: vec![(&error).into()] };
        }
    };
    let format = source.format(given);
    let mut diagnostics: Vec<Diagnostic> =
        match input::to_json(bytes.clone(), format).and_then(|json| Policy::parse(&json)) {
            Ok(policy) => check_policy(&policy).into_iter().map(Diagnostic::from).collect(),
            Err(error) => error.all().map(Diagnostic::from).collect(),
        };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    locate(&text, format, &mut diagnostics);
    diagnostics.sort_by_key(|diagnostic| diagnostic.extent.as_ref().map(|extent| extent.start));
    AnnotatedDocument { name, text, diagnostics }
}
