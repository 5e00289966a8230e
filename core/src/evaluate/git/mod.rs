//! Git's text formats for changes (docs/reference/text-formats.md), one file each.
//!
//! A text has a format only as a whole: a line that does not fit makes the diff opaque. Every format is read in one pass.

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
mod tokens;

use alloc::{borrow::Cow, vec::Vec};

use crate::documents::evidence::Change;

/// One change of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLine<'a> {
    /// The path after the change.
    pub path: Cow<'a, str>,
    /// The path before a rename.
    pub from: Option<Cow<'a, str>>,
    /// Both names with the separator, if the whole could be the name of one file.
    pub whole: Option<Cow<'a, str>>,
    /// The change, if the format has it.
    pub change: Option<Change>,
    /// `true` if the path is a directory: an untracked one, or a submodule.
    pub is_directory: bool,
    /// `true` if porcelain v2 lists the path as unmerged.
    pub is_unmerged: bool,
    /// The numbers of added and deleted lines, if `--numstat` has them. It has none for a binary file.
    pub lines: Option<(u64, u64)>,
}

impl<'a> FileLine<'a> {
    fn new(path: Cow<'a, str>, change: Option<Change>) -> Self {
        Self {
            is_directory: path.ends_with('/'),
            path,
            from: None,
            whole: None,
            change,
            is_unmerged: false,
            lines: None,
        }
    }

    /// A file with the other name from which it was renamed or copied. A copy does not change its source.
    fn pair(from: Cow<'a, str>, path: Cow<'a, str>, change: Change) -> Self {
        let from = (change == Change::Renamed).then_some(from);
        Self { from, ..Self::new(path, Some(change)) }
    }

    /// Returns every path that may have changed.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Cow<'a, str>> {
        [Some(&self.path), self.from.as_ref(), self.whole.as_ref()].into_iter().flatten()
    }
}

/// The changes in a text.
#[derive(Debug)]
pub(crate) enum Reading<'a> {
    /// Exactly these files; none if nothing changed.
    Files(Vec<FileLine<'a>>),
    /// Changes without names.
    Opaque {
        /// The number of changed files, if the text has it.
        count: Option<u64>,
        /// True if git reports no change in the part that it examined.
        says_unchanged: bool,
    },
}

impl<'a> Reading<'a> {
    /// Nothing is known.
    const UNKNOWN: Self = Self::Opaque { count: None, says_unchanged: false };

    /// The files of a status. A clean tree is inconclusive if commits or an operation in progress may hold changes.
    fn status(files: Vec<FileLine<'a>>, may_hide_changes: bool) -> Self {
        if files.is_empty() && may_hide_changes { Self::UNKNOWN } else { Self::Files(files) }
    }
}

/// Reads the output of `git diff --raw -z`. Returns `None` for any other text, and for a text that was cut.
///
/// ```
/// use adjudicate_core::evaluate::{Change, git};
/// let zeros = "0".repeat(40);
/// let text = format!(":100644 100644 {zeros} {zeros} R100\0old.rs\0new.rs\0");
/// let files = git::raw(&text).unwrap();
/// assert_eq!((files[0].change, files[0].from.as_deref()), (Some(Change::Renamed), Some("old.rs")));
/// assert_eq!(git::raw(&text[..text.len() - 1]), None);
/// ```
#[must_use]
pub fn raw(text: &str) -> Option<Vec<FileLine<'_>>> {
    terminated::files(text, raw::parse_terminated)
}

/// Reads the output of `git diff --numstat -z`, with the numbers of lines. Returns `None` as [`raw`](raw()) does.
///
/// ```
/// use adjudicate_core::evaluate::git;
/// assert_eq!(git::numstat("3\t1\tsrc/lib.rs\0").unwrap()[0].lines, Some((3, 1)));
/// ```
#[must_use]
pub fn numstat(text: &str) -> Option<Vec<FileLine<'_>>> {
    terminated::files(text, numstat::parse_terminated)
}

/// Reads the output of `git status --porcelain=v2 -z`. Returns `None` as [`raw`](raw()) does.
///
/// ```
/// use adjudicate_core::evaluate::{Change, git};
/// let files = git::status("# branch.head main\0? notes.txt\0").unwrap();
/// assert_eq!((&*files[0].path, files[0].change), ("notes.txt", Some(Change::Added)));
/// ```
#[must_use]
pub fn status(text: &str) -> Option<Vec<FileLine<'_>>> {
    terminated::files(text, porcelain::parse_terminated)
}

/// Reads a text of any format. A blank text is the empty diff.
pub(crate) fn parse(text: &str) -> Reading<'_> {
    if is_blank(text) {
        return Reading::Files(Vec::new());
    }
    let reading = if text.contains('\0') { terminated::parse(text) } else { parse_lines(text) };
    reading.unwrap_or(Reading::UNKNOWN)
}

/// Returns true if each line names its files by itself and is easily written, so that lines can be removed or added.
pub(crate) fn is_by_line(text: &str) -> bool {
    let formats = [short::parse, name_status::parse, numstat::parse];
    !text.contains('\0') && formats.iter().any(|parse| parse(text).is_some())
}

fn parse_lines(text: &str) -> Option<Reading<'_>> {
    // No other format has a tab behind the first word of a line.
    if let Some(reading) = name_status::parse(text).or_else(|| numstat::parse(text)) {
        return Some(reading);
    }
    match (short::parse(text), stat::parse(text)) {
        // Names that contain ` | `, or names that begin like a status: the text is ambiguous.
        (Some(_), Some(_)) => None,
        (Some(reading), None) | (None, Some(reading)) => Some(reading),
        (None, None) => {
            let formats = [porcelain::parse, raw::parse, patch::parse, long::parse];
            formats.iter().find_map(|parse: &for<'t> fn(&'t str) -> Option<Reading<'t>>| parse(text))
        }
    }
}

/// The files of a text whose lines name one each.
fn files_of_lines<'a>(text: &'a str, file: fn(&'a str) -> Option<FileLine<'a>>) -> Option<Reading<'a>> {
    let mut lines = lines(text);
    // A text of another format most likely ends here.
    let first = file(lines.next()?)?;
    let mut files = Vec::with_capacity(text.len().min(1024) / 32 + 4);
    files.push(first);
    for line in lines {
        files.push(file(line)?);
    }
    Some(Reading::Files(files))
}

/// The lines that are not blank.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !is_blank(line))
}

fn is_blank(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

fn is_count(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns true for the mode of a directory or a submodule.
fn is_directory_mode(mode: &str) -> bool {
    matches!(mode, "040000" | "160000")
}

fn is_mode(text: &str) -> bool {
    text.len() == 6 && text.bytes().all(|byte| (b'0'..=b'7').contains(&byte))
}

/// An object id, possibly abbreviated, with the trailing dots of old git versions.
fn is_object(text: &str) -> bool {
    let digits = text.strip_suffix("...").unwrap_or(text);
    (4..=64).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests;
