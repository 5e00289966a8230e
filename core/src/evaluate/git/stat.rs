//! `git diff --stat`: lines of path, `|`, and a count with a graph or `Bin`, then a line of totals. Also `--shortstat`, the line of
//! totals alone.

use alloc::vec::Vec;

use super::{FileLine, Reading, is_count, names::stat_file};
use crate::documents::evidence::Change;

/// Reads the lines of one or more commits with totals, or of one without.
pub(super) fn parse(text: &str) -> Option<Reading<'_>> {
    if let Some(totals) = Totals::parse(text.trim()) {
        return Some(totals.alone());
    }
    let mut files = Vec::new();
    let mut commit = Commit::default();
    for line in super::lines(text) {
        match Totals::parse(line.trim()) {
            Some(totals) if commit.agrees(&totals, line) => {
                commit = Commit { is_later: true, ..Commit::default() }
            }
            Some(_) => return None,
            None => files.push(commit.file(line)?),
        }
    }
    let is_whole = commit.files == 0 && commit.unmerged == 0 || commit.is_whole_without_totals();
    is_whole.then_some(Reading::Files(files))
}

/// The lines of one commit, as far as they are read.
#[derive(Default)]
struct Commit {
    /// The number of files that totals include.
    files: u64,
    unmerged: u64,
    /// The number of changed lines in all files.
    lines: u64,
    /// True if a name reaches the end of its column, as the longest one does.
    reaches_edge: bool,
    /// True if a name begins with white space, unless all lines are indented.
    is_indented: bool,
    /// True if another commit comes before this one.
    is_later: bool,
}

impl Commit {
    fn file<'a>(&mut self, line: &'a str) -> Option<FileLine<'a>> {
        let (column, graph) = line.rsplit_once(" | ")?;
        // Git begins a line with one space. Further leading spaces belong to the name, and trailing ones to the column.
        let name = column.strip_prefix(' ').unwrap_or(column).trim_end();
        // Three dots replace a part that git left out, so the path is unknown.
        if name.starts_with("...") || is_marked(name) || is_in_graph(name) {
            return None;
        }
        self.reaches_edge |= column.ends_with(name);
        self.is_indented |= name.starts_with(char::is_whitespace);
        let file = stat_file(name)?;
        match StatValue::parse(graph.trim())? {
            StatValue::Unmerged => {
                self.unmerged += 1;
                return Some(FileLine { change: Some(Change::Modified), ..file });
            }
            StatValue::Lines(count) => self.lines = self.lines.checked_add(count)?,
            StatValue::Binary => {}
        }
        self.files += 1;
        Some(file)
    }

    /// Returns true if totals fit these files.
    fn agrees(&self, totals: &Totals, line: &str) -> bool {
        let has_files = self.files > 0 || self.unmerged > 0;
        let indent = line.len() - line.trim_start().len();
        let is_aligned = indent == 1 || indent == 0 && !self.is_indented;
        has_files
            && self.reaches_edge
            && is_aligned
            && totals.files == self.files
            && totals.lines.is_none_or(|lines| lines == self.lines)
    }

    fn is_whole_without_totals(&self) -> bool {
        self.reaches_edge && !self.is_indented && !self.is_later
    }
}

/// The part after a name.
enum StatValue {
    Lines(u64),
    Binary,
    Unmerged,
}

impl StatValue {
    /// Reads `12 ++--`, `0`, `Bin`, `Bin 0 -> 5 bytes` or `Unmerged`.
    fn parse(text: &str) -> Option<Self> {
        match text {
            "Bin" => return Some(Self::Binary),
            "Unmerged" => return Some(Self::Unmerged),
            _ => {}
        }
        if let Some(sizes) = text.strip_prefix("Bin ") {
            let (old, new) = sizes.strip_suffix(" bytes")?.split_once(" -> ")?;
            return (is_count(old) && is_count(new)).then_some(Self::Binary);
        }
        let (count, bars) = text.split_once(' ').unwrap_or((text, ""));
        let is_graph = is_count(count) && bars.bytes().all(|byte| matches!(byte, b'+' | b'-' | b' '));
        is_graph.then(|| count.parse().ok().map(Self::Lines))?
    }
}

/// Returns true if a name ends in a mark of `--compact-summary`: `(new)`, `(gone)`, `(new +x)`, `(mode -l)`.
fn is_marked(name: &str) -> bool {
    let mark = name.strip_suffix(')').and_then(|name| name.rsplit_once(" (")).map(|(_, mark)| mark);
    mark.is_some_and(|mark| matches!(mark.split(' ').next(), Some("new" | "gone" | "mode")))
}

/// Returns true if a name begins with the lines that `--graph` draws. No path begins with a slash.
fn is_in_graph(name: &str) -> bool {
    name.starts_with(['|', '/', '\\']) || name.starts_with("* ") || name.starts_with("_ ")
}

/// `3 files changed, 10 insertions(+), 2 deletions(-)`, each part after the first optional.
struct Totals {
    files: u64,
    /// The sum of insertions and deletions, if any are given.
    lines: Option<u64>,
}

impl Totals {
    fn parse(line: &str) -> Option<Self> {
        if !line.starts_with(|first: char| first.is_ascii_digit()) {
            return None;
        }
        let mut parts = line.split(", ");
        let files = counted(parts.next()?, ["file changed", "files changed"])?;
        let Some(mut part) = parts.next() else { return Some(Self { files, lines: None }) };
        let mut lines = 0_u64;
        if let Some(insertions) = counted(part, ["insertion(+)", "insertions(+)"]) {
            lines = insertions;
            match parts.next() {
                Some(next) => part = next,
                None => return Some(Self { files, lines: Some(lines) }),
            }
        }
        let deletions = counted(part, ["deletion(-)", "deletions(-)"]).filter(|_| parts.next().is_none())?;
        Some(Self { files, lines: Some(lines.checked_add(deletions)?) })
    }

    /// The reading of totals without lines above them.
    fn alone<'a>(&self) -> Reading<'a> {
        match self.files {
            // Git also prints this during a merge conflict.
            0 => Reading::Opaque { count: None, says_unchanged: self.lines.unwrap_or(0) == 0 },
            count => Reading::Opaque { count: Some(count), says_unchanged: false },
        }
    }
}

/// The number before one of these words.
fn counted(part: &str, words: [&str; 2]) -> Option<u64> {
    let (count, word) = part.split_once(' ')?;
    if is_count(count) && words.contains(&word) { count.parse().ok() } else { None }
}
