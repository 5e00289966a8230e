//! The command line.

use std::path::PathBuf;

use adjudicate_core::{Error, ErrorCode};
use adjudicate_host::Digest;
use clap::{Args, Parser, Subcommand, ValueEnum, error::ErrorKind};

use crate::{exit, failure::Failure, input::Source, usage};

/// Judge what an agent run did: typed evidence in, one deterministic decision out.
#[derive(Debug, Parser)]
#[command(name = "adjudicate", version, after_help = exit::HELP, max_term_width = 100)]
struct Command {
    #[command(subcommand)]
    verb: Verb,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Evaluate(Evaluate),
    Inspect(Inspect),
}

/// Decide on an evaluator envelope: a status, the next step, what to fix, and why.
#[derive(Debug, Args)]
#[command(after_help = exit::HELP)]
pub(crate) struct Evaluate {
    /// The envelope, or `{"envelope": ..., "policy": ...}`; `-` for standard input
    #[arg(value_name = "FILE")]
    pub(crate) input: Source,
    /// The policy document to decide by (YAML if it ends in .yaml or .yml); FILE is then a bare envelope
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<Source>,
    /// Read one request per line, write one reply per line, in order; blank lines are skipped
    #[arg(long)]
    pub(crate) ndjson: bool,
    /// How to print the answer
    #[arg(long, value_enum, default_value_t, conflicts_with = "ndjson")]
    pub(crate) format: Format,
    /// When to use colours in a table
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub(crate) color: Color,
    /// End with a status that tells the decision's status
    #[arg(long)]
    pub(crate) exit_status: bool,
    /// What FILE is, whatever its name ends in
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) input_format: Option<InputFormat>,
    #[command(flatten)]
    pub(crate) sandbox: Sandbox,
}

/// Which module decides, and what it may use.
#[derive(Debug, Args)]
pub(crate) struct Sandbox {
    /// Let this policy module decide, in a sandbox, instead of the engine built in
    #[arg(long, value_name = "FILE")]
    pub(crate) module: Option<PathBuf>,
    /// The digest of an engine to trust: it runs without fuel and deadline, and its answers are not checked
    #[arg(long, value_name = "DIGEST", requires = "module")]
    pub(crate) known_engine: Vec<Digest>,
    /// Fuel for each call, about one unit per instruction
    #[arg(long, value_name = "N", requires = "module", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) fuel: Option<u64>,
    /// Do not keep the compiled module in the cache directory, nor look for it there
    #[arg(long, requires = "module")]
    pub(crate) no_cache: bool,
}

/// Tell what a policy module is, without compiling or running it.
#[derive(Debug, Args)]
#[command(after_help = exit::HELP)]
pub(crate) struct Inspect {
    /// The module
    #[arg(value_name = "MODULE")]
    pub(crate) module: PathBuf,
    /// How to print what is found
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    /// When to use colours in a table
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub(crate) color: Color,
}

/// How an answer is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// JSON on one line, byte for byte what the engine answered
    #[default]
    Json,
    /// JSON, two spaces of indentation
    Pretty,
    /// For people
    Table,
}

/// When colours are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    Always,
    Never,
}

/// How an input is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum InputFormat {
    Json,
    Yaml,
}

/// Reads the command line.
pub(crate) fn parse() -> Result<Verb, Failure> {
    let command = Command::try_parse().map_err(|error| failure(&error))?;
    match &command.verb {
        Verb::Evaluate(evaluate) => evaluate.check()?,
        Verb::Inspect(_) => {}
    }
    Ok(command.verb)
}

impl Evaluate {
    /// Refuses what no single argument shows to be wrong.
    fn check(&self) -> Result<(), Error> {
        let wrong = |message: &'static str| Err(Error::new(ErrorCode::WrongUsage, message));
        if self.input == Source::Stdin && self.policy == Some(Source::Stdin) {
            return wrong("standard input cannot be both the envelope and the policy");
        }
        if self.ndjson && self.input.format(self.input_format) == InputFormat::Yaml {
            return wrong("`--ndjson` reads JSON lines, not YAML");
        }
        Ok(())
    }
}

/// Help and version go to standard output; anything else is one line, as all errors are.
fn failure(error: &clap::Error) -> Failure {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => match error.print() {
            Ok(()) => Failure::Told,
            Err(error) => Failure::of_writing(&error),
        },
        _ => Error::new(ErrorCode::WrongUsage, usage::message(error)).into(),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        super::Command::command().debug_assert();
    }
}
