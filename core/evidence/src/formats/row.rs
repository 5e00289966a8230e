//! The row of a format.

use adjudicate_core::Error;

use crate::Reading;

/// A format: its name, how to recognize it, and its reader.
pub(super) struct FormatRow {
    pub name: &'static str,
    /// The tools that write the format.
    pub writers: &'static [&'static str],
    /// Patterns of usual file names, with at most one `*` each.
    pub file_names: &'static [&'static str],
    /// Returns whether a text looks like this format, even if its end is cut.
    pub sniff: fn(&str) -> bool,
    pub read: fn(&str) -> Result<Reading, Error>,
}

/// Returns whether a pattern of a row matches a file name, without regard to the case of ASCII letters.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.to_ascii_lowercase(), name.to_ascii_lowercase());
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, end)) => name.strip_prefix(start).is_some_and(|rest| rest.ends_with(end)),
    }
}
