//! Standard output.
//!
//! Where it is closed before the command starts (`>&-` in a shell), Rust's runtime opens `/dev/null` in its place before
//! `main`, and nothing in safe code can tell that from a `/dev/null` that was asked for: the answer is then lost.

use std::{
    io::{self, Write},
    path::Path,
};

use adjudicate_core::Error;
use adjudicate_sandbox::io_reason;
use clap::ValueEnum;

use crate::{codes, failure::Failure, layout, table::Page};

/// The width of a table if the terminal has none, and its highest and lowest width.
const WIDTH: usize = 80;
const WIDEST: usize = 120;
const NARROWEST: usize = 40;

/// How an answer is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// JSON on one line; the answer of an operation is printed byte for byte
    #[default]
    Json,
    /// JSON, two spaces of indentation
    Pretty,
    /// For people
    Table,
    /// A picture, in the language of Graphviz
    Dot,
    /// A picture, in the language of Mermaid
    Mermaid,
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

/// How a report is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people
    #[default]
    Text,
    /// JSON on one line
    Json,
}

/// Prints one line.
pub(crate) fn line(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written =
        out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
    written.map_err(|error| Failure::of_writing(&error))
}

/// Prints one line on standard error, if it is open.
pub(crate) fn error_line(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Prints text of several lines.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| Failure::of_writing(&error))
}

/// Prints an answer, JSON text, in a format; `page` lays it out for humans.
pub(crate) fn answer(
    json: &str,
    format: Format,
    color: Color,
    page: impl FnOnce() -> Result<Page, Error>,
) -> Result<(), Failure> {
    match format {
        Format::Json => line(&layout::compact(json)),
        Format::Pretty => line(&layout::pretty(json)),
        // Not every answer has a drawing, so the caller prints it.
        Format::Table | Format::Dot | Format::Mermaid => styled(&page()?.render(width()), color),
    }
}

/// Prints a report as it is wanted: JSON on one line, or what `text` makes of so many columns.
pub(crate) fn report(
    format: ReportFormat,
    color: Color,
    json: impl FnOnce() -> String,
    text: impl FnOnce(usize) -> String,
) -> Result<(), Failure> {
    match format {
        ReportFormat::Json => line(&json()),
        ReportFormat::Text => styled(&text(width()), color),
    }
}

/// Prints text with ANSI styles, or without them if color is off.
fn styled(text: &str, color: Color) -> Result<(), Failure> {
    let choice = match color {
        Color::Auto => anstream::AutoStream::choice(&io::stdout()),
        Color::Always => anstream::ColorChoice::Always,
        Color::Never => anstream::ColorChoice::Never,
    };
    let mut out = anstream::AutoStream::new(io::stdout().lock(), choice);
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| Failure::of_writing(&error))
}

/// The error for a file that cannot be written.
pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Error {
    let reason = match error.kind() {
        // The command creates the file, so its folder is missing.
        io::ErrorKind::NotFound => "there is no such folder".to_owned(),
        _ => io_reason(error),
    };
    Error::new(codes::UNWRITABLE_OUTPUT, format!("cannot write `{}`: {reason}", path.display()))
}

/// Returns the number of columns.
fn width() -> usize {
    let terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    terminal.unwrap_or(WIDTH).clamp(NARROWEST, WIDEST)
}
