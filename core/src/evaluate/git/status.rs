//! Entries of `git status` in the short format and in porcelain v2.

use alloc::{borrow::Cow, vec::Vec};

use super::{FileLine, Reading, tokens::Tokens};
use crate::documents::evidence::Change;

/// An entry whose names are not parsed yet.
pub(super) struct StatusEntry<'a> {
    pub change: Change,
    /// True if the entry has a second name: the source of a rename or copy.
    pub has_source: bool,
    pub is_directory: bool,
    pub is_unmerged: bool,
    pub names: &'a str,
}

/// Reads the entries of `-z`: the path comes before its source, and nothing is quoted. `header` reads a line after `prefix`, and
/// returns true if commits may hold changes.
pub(super) fn parse_terminated<'a>(
    mut tokens: Tokens<'a>,
    prefix: &str,
    header: fn(&str) -> Option<bool>,
    entry: fn(&'a str) -> Option<StatusEntry<'a>>,
) -> Option<Reading<'a>> {
    let mut files = Vec::new();
    let mut may_hide_changes = false;
    while let Some(token) = tokens.next() {
        if let Some(text) = token.strip_prefix(prefix) {
            may_hide_changes |= header(text)?;
            continue;
        }
        let StatusEntry { change, has_source, is_directory, is_unmerged, names } = entry(token)?;
        let path = Cow::Borrowed(names);
        let file = match has_source {
            true => FileLine::pair(Cow::Borrowed(tokens.name()?), path, change),
            false => FileLine::new(path, Some(change)),
        };
        files.push(FileLine { is_directory: file.is_directory || is_directory, is_unmerged, ..file });
    }
    Some(Reading::status(files, may_hide_changes))
}
