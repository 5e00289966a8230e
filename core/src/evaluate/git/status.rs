//! Entries of `git status`, as its short format and porcelain v2 have them.

use alloc::{borrow::Cow, vec::Vec};

use super::{FileLine, Reading, terminated::Tokens};
use crate::evaluate::evidence::Change;

/// One entry, its names not yet read.
pub(super) struct Entry<'a> {
    pub change: Change,
    /// `true` if another name stands beside the path: where it was renamed or copied from.
    pub has_source: bool,
    pub is_directory: bool,
    pub names: &'a str,
}

/// Reads the entries of `-z`: the path comes before the one that it was renamed from, and nothing is quoted. `header` reads
/// what follows `prefix`, and tells whether commits may hold changes.
pub(super) fn parse_terminated<'a>(
    mut tokens: Tokens<'a>,
    prefix: &str,
    header: fn(&str) -> Option<bool>,
    entry: fn(&'a str) -> Option<Entry<'a>>,
) -> Option<Reading<'a>> {
    let mut files = Vec::new();
    let mut may_hide_changes = false;
    while let Some(token) = tokens.next() {
        if let Some(text) = token.strip_prefix(prefix) {
            may_hide_changes |= header(text)?;
            continue;
        }
        let Entry { change, has_source, is_directory, names } = entry(token)?;
        let path = Cow::Borrowed(names);
        let file = match has_source {
            true => FileLine::pair(Cow::Borrowed(tokens.name()?), path, change),
            false => FileLine::new(path, Some(change)),
        };
        files.push(FileLine { is_directory: file.is_directory || is_directory, ..file });
    }
    Some(Reading::status(files, may_hide_changes))
}
