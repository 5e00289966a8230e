//! Places in source files.

use alloc::string::String;

use adjudicate_core::document::Describe;
use serde::Serialize;

use crate::text::bounded_id;

/// A place in a source file, as the report names it.
///
/// ```
/// use adjudicate_evidence::Location;
/// let location = Location { file: "src/cart.rs".into(), line: Some(11) };
/// assert_eq!(location.to_string(), "src/cart.rs:11");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
pub struct Location {
    /// The path of the file.
    pub file: String,
    /// The line. The first line of a file is 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

impl core::fmt::Display for Location {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}", self.file),
            None => f.write_str(&self.file),
        }
    }
}

impl Location {
    /// Returns the place in a file, or `None` if the report does not name the file.
    pub(crate) fn new(file: Option<&str>, line: Option<u32>) -> Option<Self> {
        let file = file.map(str::trim).filter(|file| !file.is_empty())?;
        Some(Self { file: bounded_id(file), line: line.filter(|line| *line > 0) })
    }

    /// Reads `FILE:LINE` or `FILE:LINE:COLUMN`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (rest, last) = text.rsplit_once(':')?;
        let last = last.parse().ok()?;
        match rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?))) {
            Some((file, line)) => Self::new(Some(file), Some(line)),
            None => Self::new(Some(rest), Some(last)),
        }
    }
}
