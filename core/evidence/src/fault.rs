//! Errors with the line that they are about.

use alloc::format;
use core::fmt::Display;

use adjudicate_core::Error;

use crate::codes;

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
