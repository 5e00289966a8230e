//! The lines of a text with their numbers, and errors with the line that they are about.

use alloc::format;
use core::fmt::Display;

use adjudicate_core::Error;

use crate::codes;

/// One line, without its line break.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'t> {
    /// The number. The first line is 1.
    pub number: usize,
    /// The text.
    pub text: &'t str,
    /// True if a line break follows. The last line of a text that was cut has none.
    pub has_break: bool,
}

/// Returns the lines of a text. A line break at the end of the text does not begin another line.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    text.split_inclusive('\n').enumerate().map(|(index, line)| {
        let text = line.strip_suffix('\n');
        let plain = text.unwrap_or(line);
        Line { number: index + 1, text: plain.strip_suffix('\r').unwrap_or(plain), has_break: text.is_some() }
    })
}

/// Returns the error for a damaged report.
#[cold]
pub(crate) fn malformed(line: usize, problem: impl Display) -> Error {
    Error::new(codes::MALFORMED_REPORT, format!("line {line}: {problem}"))
}

/// Returns the error for a report beyond a limit.
#[cold]
pub(crate) fn over_limit(line: usize, problem: impl Display) -> Error {
    Error::new(codes::LIMIT_EXCEEDED, format!("line {line}: {problem}"))
}

/// Returns the number of the line at a byte offset. The first line is 1.
#[cold]
pub(crate) fn line_at(text: &[u8], offset: usize) -> usize {
    text.iter().take(offset).filter(|byte| **byte == b'\n').count() + 1
}
