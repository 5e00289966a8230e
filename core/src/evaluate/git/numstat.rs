//! `git diff --numstat`: insertions, deletions (`-` for a binary file), and a path, possibly with ` => `.

use alloc::{borrow::Cow, vec::Vec};

use super::{FileLine, Reading, is_count, names::stat_file, tokens::Tokens};
use crate::documents::evidence::Change;

pub(super) fn parse(text: &str) -> Option<Reading<'_>> {
    super::files_of_lines(text, |line| stat_file(name(line)?))
}

/// Reads the entries of `-z`: if no path follows the counts, two paths do.
pub(super) fn parse_terminated<'a>(mut tokens: Tokens<'a>) -> Option<Reading<'a>> {
    let mut files = Vec::new();
    while let Some(token) = tokens.next() {
        let file = match name(token)? {
            "" => {
                let from = Cow::Borrowed(tokens.name()?);
                FileLine::pair(from, Cow::Borrowed(tokens.name()?), Change::Renamed)
            }
            path => FileLine::new(Cow::Borrowed(path), None),
        };
        files.push(FileLine { lines: counts(token), ..file });
    }
    Some(Reading::Files(files))
}

/// Returns the two counts, unless the file is binary or a count does not fit.
fn counts(text: &str) -> Option<(u64, u64)> {
    let mut fields = text.split('\t');
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}

/// The part after the two counts.
fn name(text: &str) -> Option<&str> {
    let mut fields = text.splitn(3, '\t');
    for _ in 0..2 {
        fields.next().filter(|count| is_count(count) || *count == "-")?;
    }
    fields.next()
}
