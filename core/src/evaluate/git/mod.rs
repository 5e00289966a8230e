//! The text formats in which git says what changed (SPEC sections 3.2 and 18.1), one file each. `DIFFS.md` beside this
//! crate's `Cargo.toml` lists them for users.
//!
//! A text is of a format when all of it is: a line that does not fit makes the diff opaque. Every format is read in one
//! pass over the text.

mod branch;
mod letters;
mod long;
mod name_status;
mod names;
mod numstat;
mod patch;
mod porcelain;
mod raw;
mod short;
mod stat;
mod status;
mod terminated;

use alloc::{borrow::Cow, vec::Vec};

use super::evidence::Change;

/// One change of a file.
#[derive(Debug)]
pub(crate) struct FileLine<'a> {
    /// The path after the change.
    pub path: Cow<'a, str>,
    /// The path that it had before, if it was renamed.
    pub from: Option<Cow<'a, str>>,
    /// Both names and what stands between them, where all of it could be the name of one file.
    pub whole: Option<Cow<'a, str>>,
    /// What happened to the file, where the format says.
    pub change: Option<Change>,
    /// `true` if the path is a directory: an untracked one, or a submodule.
    pub is_directory: bool,
}

impl<'a> FileLine<'a> {
    fn new(path: Cow<'a, str>, change: Option<Change>) -> Self {
        Self { is_directory: path.ends_with('/'), path, from: None, whole: None, change }
    }

    /// A file with another name that it was renamed or copied from. A copy does not change its source.
    fn pair(from: Cow<'a, str>, path: Cow<'a, str>, change: Change) -> Self {
        let from = (change == Change::Renamed).then_some(from);
        Self { from, ..Self::new(path, Some(change)) }
    }

    /// Every path that may have changed.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Cow<'a, str>> {
        [Some(&self.path), self.from.as_ref(), self.whole.as_ref()].into_iter().flatten()
    }
}

/// The changes that a text names.
#[derive(Debug)]
pub(crate) enum Reading<'a> {
    /// Exactly these; none where nothing changed.
    Files(Vec<FileLine<'a>>),
    /// Changes without names.
    Opaque {
        /// How many files changed, where the text says.
        count: Option<u64>,
        /// `true` if git says that nothing changed, of what it looked at.
        says_unchanged: bool,
    },
}

impl<'a> Reading<'a> {
    /// Nothing is known.
    const UNKNOWN: Self = Self::Opaque { count: None, says_unchanged: false };

    /// The files of a status. A clean tree says nothing where commits or an operation in progress may hold changes.
    fn status(files: Vec<FileLine<'a>>, may_hide_changes: bool) -> Self {
        if files.is_empty() && may_hide_changes { Self::UNKNOWN } else { Self::Files(files) }
    }
}

/// Reads a text of any format. A blank text is the empty diff.
pub(crate) fn parse(text: &str) -> Reading<'_> {
    if text.trim().is_empty() {
        return Reading::Files(Vec::new());
    }
    let reading = if text.contains('\0') { terminated::parse(text) } else { parse_lines(text) };
    reading.unwrap_or(Reading::UNKNOWN)
}

/// Returns whether each line of a text names its files by itself and is easily written, so that lines can be left out or added.
pub(crate) fn is_by_line(text: &str) -> bool {
    let formats = [short::parse, name_status::parse, numstat::parse];
    !text.contains('\0') && formats.iter().any(|parse| parse(text).is_some())
}

fn parse_lines(text: &str) -> Option<Reading<'_>> {
    match (short::parse(text), stat::parse(text)) {
        // Names with ` | ` in them or names that begin like a status: nobody can tell.
        (Some(_), Some(_)) => None,
        (Some(reading), None) | (None, Some(reading)) => Some(reading),
        (None, None) => {
            let formats =
                [porcelain::parse, name_status::parse, numstat::parse, raw::parse, patch::parse, long::parse];
            formats.iter().find_map(|parse: &for<'t> fn(&'t str) -> Option<Reading<'t>>| parse(text))
        }
    }
}

/// The files of a text whose lines name one each.
fn files_of_lines<'a>(text: &'a str, file: fn(&'a str) -> Option<FileLine<'a>>) -> Option<Reading<'a>> {
    lines(text).map(file).collect::<Option<Vec<_>>>().map(Reading::Files)
}

/// The lines that are not blank.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim().is_empty())
}

fn is_count(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether any of these modes is that of a directory or of a submodule.
fn is_directory_mode(mode: &str) -> bool {
    matches!(mode, "040000" | "160000")
}

fn is_mode(text: &str) -> bool {
    text.len() == 6 && text.bytes().all(|byte| (b'0'..=b'7').contains(&byte))
}

/// An object id, perhaps abbreviated, with the dots that old versions of git put behind it.
fn is_object(text: &str) -> bool {
    let digits = text.strip_suffix("...").unwrap_or(text);
    (4..=64).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests;
