//! Arguments that several commands share, and their parsers.

use adjudicate_core::Error;
use adjudicate_trust::parse_time;
use clap::{
    Args, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};
use jiff::Timestamp;
use serde::Serialize;

use crate::{
    codes,
    environment::Environment,
    exit::Exit,
    failure::Failure,
    input::Source,
    layout,
    output::{self, Color, Format},
    table::Page,
};

/// The format of a report.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ReportOptions {
    /// The format of the report
    #[arg(long, value_parser = layouts(), default_value = "json")]
    pub(crate) format: Format,
    /// When to use colors in a table
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub(crate) color: Color,
}

impl ReportOptions {
    /// Prints a report in this format.
    pub(crate) fn print<T: Serialize>(
        self,
        report: &T,
        page: impl FnOnce(&T) -> Page,
        env: &Environment,
    ) -> Result<Exit, Failure> {
        output::answer(env, &layout::json(report), self.format, self.color, || Ok(page(report)))?;
        Ok(Exit::Answered)
    }
}

/// The formats of every answer: all except the drawings.
pub(crate) fn layouts() -> impl TypedValueParser<Value = Format> {
    let layouts = Format::value_variants().iter().filter(|format| format.is_layout());
    let names: Vec<_> = layouts.filter_map(Format::to_possible_value).collect();
    PossibleValuesParser::new(names).map(|name| Format::from_str(&name, false).unwrap_or_default())
}

/// Pairs inputs with the name of their argument.
pub(crate) fn named<'a>(
    argument: &'static str,
    inputs: impl IntoIterator<Item = &'a Source>,
) -> impl Iterator<Item = (&'a str, &'a Source)> {
    inputs.into_iter().map(move |input| (argument, input))
}

/// Rejects inputs of which more than one is standard input. Each input comes with the name of its argument.
pub(crate) fn one_stdin<'a>(inputs: impl Iterator<Item = (&'a str, &'a Source)>) -> Result<(), Error> {
    let mut names = inputs.filter(|(_, source)| **source == Source::Stdin).map(|(name, _)| name);
    let message = match (names.next(), names.next()) {
        (Some(one), Some(other)) if one == other => format!("standard input cannot be `{one}` twice"),
        (Some(one), Some(other)) => format!("standard input cannot be both `{one}` and `{other}`"),
        _ => return Ok(()),
    };
    Err(Error::new(codes::WRONG_USAGE, message))
}

/// Reads a time on the command line.
pub(crate) fn parse_timestamp(text: &str) -> Result<Timestamp, Error> {
    parse_time(text).map_err(|error| Error::new(codes::WRONG_USAGE, format!("`{text}`: {}", error.message())))
}

/// Returns an error for arguments that exclude each other.
pub(crate) fn usage_error<T>(message: &'static str) -> Result<T, Error> {
    Err(Error::new(codes::WRONG_USAGE, message))
}
