//! Standard output.
//!
//! If standard output is closed before the command starts (`>&-` in a shell), Rust's runtime opens `/dev/null` in its
//! place. Safe code cannot tell this from a `/dev/null` that the user chose, so the answer is lost.

use std::{
    io::{self, Write},
    path::Path,
};

use adjudicate_core::Error;
use adjudicate_trust::io_reason;
use anstream::adapter::strip_str;
use clap::ValueEnum;

use crate::{codes, environment::Environment, failure::Failure, layout, table::Page};

/// The width of a table if the terminal has none, and its highest and lowest width.
pub(crate) const WIDTH: usize = 80;
const WIDEST: usize = 120;
const NARROWEST: usize = 40;

/// The format of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// JSON on one line; the answer of an operation is printed byte for byte
    #[default]
    Json,
    /// JSON, two spaces of indentation
    Pretty,
    /// Text in columns, for a terminal
    Table,
    /// A picture, in the language of Graphviz
    Dot,
    /// A picture, in the language of Mermaid
    Mermaid,
}

impl Format {
    /// Returns true for the formats of JSON. With them, errors are JSON, too.
    pub(crate) const fn is_json(self) -> bool {
        match self {
            Self::Json | Self::Pretty => true,
            Self::Table | Self::Dot | Self::Mermaid => false,
        }
    }

    /// Returns true for the formats of every answer: all except the drawings.
    pub(crate) const fn is_layout(self) -> bool {
        match self {
            Self::Json | Self::Pretty | Self::Table => true,
            Self::Dot | Self::Mermaid => false,
        }
    }
}

/// The condition for colors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    Always,
    Never,
}

/// The format of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// Text in columns, for a terminal
    #[default]
    Text,
    /// JSON on one line
    Json,
}

/// Prints one line.
pub(crate) fn line(env: &Environment, text: &str) -> Result<(), Failure> {
    let mut out = env.output.clone();
    let written =
        out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
    written.map_err(Failure::of_writing)
}

/// Prints one line on standard error, if it is open.
pub(crate) fn error_line(env: &Environment, text: &str) {
    let _ = env.errors.clone().write_all(format!("{text}\n").as_bytes());
}

/// Prints styled text for a width in columns on standard error, if it is open.
pub(crate) fn error_text(env: &Environment, text: impl FnOnce(usize) -> String) {
    let styled = text(width(env));
    let text = if env.has_error_colors { styled } else { strip_str(&styled).to_string() };
    error_line(env, &text);
}

/// Prints text of several lines.
pub(crate) fn text(env: &Environment, text: &str) -> Result<(), Failure> {
    let mut out = env.output.clone();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(Failure::of_writing)
}

/// Prints an answer, JSON text, in a format; `page` lays it out for humans.
pub(crate) fn answer(
    env: &Environment,
    json: &str,
    format: Format,
    color: Color,
    page: impl FnOnce() -> Result<Page, Error>,
) -> Result<(), Failure> {
    match format {
        Format::Json => line(env, &layout::compact(json)),
        Format::Pretty => line(env, &layout::pretty(json)),
        // Not every answer has a drawing, so the caller prints it.
        Format::Table | Format::Dot | Format::Mermaid => styled(env, &page()?.render(width(env)), color),
    }
}

/// Prints a report in a format: one line of JSON, or the text for a width in columns.
pub(crate) fn report(
    env: &Environment,
    format: ReportFormat,
    color: Color,
    json: impl FnOnce() -> String,
    text: impl FnOnce(usize) -> String,
) -> Result<(), Failure> {
    match format {
        ReportFormat::Json => line(env, &json()),
        ReportFormat::Text => styled(env, &text(width(env)), color),
    }
}

/// Prints text with ANSI styles, or without them if color is off.
fn styled(env: &Environment, styled: &str, color: Color) -> Result<(), Failure> {
    let is_styled = match color {
        Color::Auto => env.has_colors,
        Color::Always => true,
        Color::Never => false,
    };
    if is_styled { text(env, styled) } else { text(env, &strip_str(styled).to_string()) }
}

/// The error for a file that cannot be written.
pub(crate) fn unwritable(path: &Path, error: io::Error) -> Error {
    let reason = match error.kind() {
        // The command creates the file, so its folder is missing.
        io::ErrorKind::NotFound => "there is no such folder".to_owned(),
        _ => io_reason(&error),
    };
    let message = format!("cannot write `{}`: {reason}", path.display());
    Error::new(codes::UNWRITABLE_OUTPUT, message).with_source(error)
}

/// Returns the number of columns.
fn width(env: &Environment) -> usize {
    (env.columns)().unwrap_or(WIDTH).clamp(NARROWEST, WIDEST)
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    #[test]
    fn the_error_of_an_unwritable_file_keeps_its_source() {
        let error = unwritable(Path::new("a"), io::ErrorKind::StorageFull.into());
        assert_eq!(error.message(), "cannot write `a`: the disk is full");
        assert!(error.source().is_some_and(|source| source.is::<io::Error>()));
    }
}
