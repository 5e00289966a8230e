//! The command `check`: problems of policy documents, reported as a compiler does.
//!
//! ```text
//! text -> JSON -> Policy -> static findings -+
//!   \-----------> an error that refuses it --+-> diagnostics -> places in the text -> excerpts, or JSON
//! ```
//!
//! The core finds the problems; this module finds their places in the text.

mod diagnostic;
mod excerpt;
mod locate;
mod place;
mod report;
mod walker;

use adjudicate_core::{Error, Policy, check::check_policy};

use crate::{
    exit::{self, Exit},
    failure::Failure,
    input::{self, InputFormat, Source},
    options::{named, one_stdin},
    output::{self, Color, ReportFormat},
};
use clap::{Args, ValueEnum};
use diagnostic::Diagnostic;
use report::{Checked, Report};

/// Report problems of policy documents, with their places.
#[derive(Debug, Args)]
#[command(after_help = exit::CHECK_HELP)]
pub(crate) struct Check {
    /// The policy documents (YAML if they end in .yaml or .yml); `-` for standard input
    #[arg(value_name = "POLICY", required = true)]
    pub(crate) policies: Vec<Source>,
    /// The format of the documents, instead of the one that their names end in
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) input_format: Option<InputFormat>,
    /// Treat these as errors, too
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) deny: Option<Deny>,
    /// How to print the problems
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: ReportFormat,
    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub(crate) color: Color,
}

/// The problems to treat as errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Deny {
    Warnings,
}

impl Check {
    /// Refuses what no single argument shows to be wrong.
    fn check(&self) -> Result<(), Error> {
        one_stdin(named("POLICY", &self.policies))
    }
}

pub(crate) fn run(args: &Check) -> Result<Exit, Failure> {
    args.check()?;
    let mut report = Report::default();
    for source in &args.policies {
        report.files.push(file(source, args.input_format));
    }
    output::report(args.format, args.color, || report.json(), |width| report.text(width))?;
    let is_bad = report.errors() > 0 || (args.deny.is_some() && report.warnings() > 0);
    Ok(if is_bad { Exit::Input } else { Exit::Answered })
}

/// Checks one file.
fn file(source: &Source, said: Option<InputFormat>) -> Checked {
    let name = source.name();
    let bytes = match source.text() {
        Ok(bytes) => bytes,
        Err(error) => return Checked { name, text: String::new(), diagnostics: vec![(&error).into()] },
    };
    let format = source.format(said);
    let mut diagnostics = match input::to_json(bytes.clone(), format).and_then(|json| Policy::parse(&json)) {
        Ok(policy) => check_policy(&policy).into_iter().map(Diagnostic::from).collect(),
        Err(error) => vec![Diagnostic::from(&error)],
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    locate::locate(&text, format, &mut diagnostics);
    diagnostics.sort_by_key(|diagnostic| diagnostic.extent.map(|extent| extent.start));
    Checked { name, text, diagnostics }
}
