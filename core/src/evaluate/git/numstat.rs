//! `git diff --numstat`: insertions, deletions (`-` for a binary file), a path, perhaps with ` => `.

use alloc::{borrow::Cow, vec::Vec};

use super::{FileLine, Reading, is_count, names::stat_file, terminated::Tokens};
use crate::evaluate::evidence::Change;

pub(super) fn parse(text: &str) -> Option<Reading<'_>> {
    super::files_of_lines(text, |line| stat_file(name(line)?))
}

/// Reads the entries of `-z`: where there is no path behind the counts, two follow.
pub(super) fn parse_terminated<'a>(mut tokens: Tokens<'a>) -> Option<Reading<'a>> {
    let mut files = Vec::new();
    while let Some(token) = tokens.next() {
        files.push(match name(token)? {
            "" => {
                let from = Cow::Borrowed(tokens.name()?);
                FileLine::pair(from, Cow::Borrowed(tokens.name()?), Change::Renamed)
            }
            path => FileLine::new(Cow::Borrowed(path), None),
        });
    }
    Some(Reading::Files(files))
}

/// The part behind two counts.
fn name(text: &str) -> Option<&str> {
    let mut fields = text.splitn(3, '\t');
    for _ in 0..2 {
        fields.next().filter(|count| is_count(count) || *count == "-")?;
    }
    fields.next()
}
