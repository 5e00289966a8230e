//! `git diff --name-status`: a letter, an optional score, a tab, a path; renames and copies have two paths.

use alloc::{borrow::Cow, vec::Vec};

use super::{
    FileLine, Reading, letters,
    names::{one_name, two_names},
    tokens::Tokens,
};

pub(super) fn parse(text: &str) -> Option<Reading<'_>> {
    super::files_of_lines(text, file)
}

/// Reads the entries of `-z`: a letter, then a path or two.
pub(super) fn parse_terminated<'a>(mut tokens: Tokens<'a>) -> Option<Reading<'a>> {
    let mut files = Vec::new();
    while let Some(code) = tokens.next() {
        files.push(terminated_file(code, &mut tokens)?);
    }
    Some(Reading::Files(files))
}

/// The letter and the names of one line.
pub(super) fn file(line: &str) -> Option<FileLine<'_>> {
    let (code, names) = line.split_once('\t')?;
    let (change, has_source) = letters::change(code)?;
    Some(if has_source {
        let (from, path) = two_names(names, "\t")?;
        FileLine::pair(from, path, change)
    } else {
        FileLine::new(one_name(names)?, Some(change))
    })
}

/// Reads the file of a letter whose names are the next entries.
pub(super) fn terminated_file<'a>(code: &str, tokens: &mut Tokens<'a>) -> Option<FileLine<'a>> {
    let (change, has_source) = letters::change(code)?;
    let first = Cow::Borrowed(tokens.name()?);
    Some(match has_source {
        true => FileLine::pair(first, Cow::Borrowed(tokens.name()?), change),
        false => FileLine::new(first, Some(change)),
    })
}
