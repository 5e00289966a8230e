//! The four text formats in which git says what changed (SPEC section 3.2).
//!
//! A format reads one line at a time; a text is of a format when each of its lines is.

mod names;

use alloc::{borrow::Cow, vec::Vec};

use self::names::{one_name, stat_names, two_names};
use super::evidence::Change;

/// What one line says: a path, the one it had if it was renamed, and what happened to it if the format says.
pub(crate) struct FileLine<'a> {
    pub path: Cow<'a, str>,
    pub from: Option<Cow<'a, str>>,
    pub change: Option<Change>,
}

/// What one line says: a file, or nothing (a line of totals).
type Line<'a> = Option<FileLine<'a>>;

/// The files of a text, if all of its lines fit one format; none for a blank text.
pub(crate) fn parse(text: &str) -> Option<Vec<FileLine<'_>>> {
    if text.trim().is_empty() {
        return Some(Vec::new());
    }
    // Told apart by their lines alone; where a text fits several, the first in this order is taken.
    [short_status_line, stat_line, numstat_line, name_status_line]
        .into_iter()
        .find_map(|format: for<'t> fn(&'t str) -> Option<Line<'t>>| parse_lines(text, format))
}

fn parse_lines<'a>(text: &'a str, format: fn(&'a str) -> Option<Line<'a>>) -> Option<Vec<FileLine<'a>>> {
    let mut files = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        files.extend(format(line)?);
    }
    // Lines of totals alone do not say what changed.
    (!files.is_empty()).then_some(files)
}

/// `git status --short`: two status letters, a space, a path or `from -> to`.
fn short_status_line(line: &str) -> Option<Line<'_>> {
    let (codes, path) = line.split_at_checked(3)?;
    let [index, worktree, b' '] = codes.as_bytes() else { return None };
    let is_code = |code: &u8| b" MTADRCU".contains(code);
    let change = match (*index, *worktree) {
        (b'?', b'?') => Change::Added,
        (b' ', b' ') => return None,
        _ if !is_code(index) || !is_code(worktree) => return None,
        (b'R', _) | (_, b'R') => Change::Renamed,
        // A conflict that is not resolved yet.
        (b'U', _) | (_, b'U') => Change::Modified,
        (_, b'D') | (b'D', _) => Change::Deleted,
        (b'A' | b'C', _) | (_, b'A' | b'C') => Change::Added,
        _ => Change::Modified,
    };
    if change == Change::Renamed || codes.contains('C') {
        let (from, to) = two_names(path, " -> ")?;
        // The source of a copy has not changed.
        let from = (change == Change::Renamed).then_some(from);
        return Some(Some(FileLine { path: to, from, change: Some(change) }));
    }
    Some(Some(FileLine { path: one_name(path)?, from: None, change: Some(change) }))
}

/// `git diff --name-status`: a letter, perhaps a score, a tab, a path; renames and copies have two paths.
fn name_status_line(line: &str) -> Option<Line<'_>> {
    let (code, names) = line.split_once('\t')?;
    let (letter, score) = code.split_at_checked(1)?;
    if !score.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let change = match letter {
        "A" | "C" => Change::Added,
        "M" | "T" | "U" | "X" | "B" => Change::Modified,
        "D" => Change::Deleted,
        "R" => Change::Renamed,
        _ => return None,
    };
    if matches!(letter, "R" | "C") {
        let (from, to) = two_names(names, "\t")?;
        let from = (change == Change::Renamed).then_some(from);
        return Some(Some(FileLine { path: to, from, change: Some(change) }));
    }
    Some(Some(FileLine { path: one_name(names)?, from: None, change: Some(change) }))
}

/// `git diff --numstat`: insertions, deletions (`-` for a binary file), a path, perhaps with ` => `.
fn numstat_line(line: &str) -> Option<Line<'_>> {
    let mut fields = line.splitn(3, '\t');
    for _ in 0..2 {
        let count = fields.next()?;
        if !is_count(count) && count != "-" {
            return None;
        }
    }
    let (path, from) = stat_names(fields.next()?)?;
    let change = from.is_some().then_some(Change::Renamed);
    Some(Some(FileLine { path, from, change }))
}

/// `git diff --stat`: a path, `|`, a count with a graph or `Bin`; last a line of totals.
fn stat_line(line: &str) -> Option<Line<'_>> {
    let line = line.trim();
    if is_stat_totals(line) {
        return Some(None);
    }
    let (name, graph) = line.rsplit_once(" | ")?;
    let name = name.trim_end();
    // Three dots stand for a part that git left out: the path is not known.
    if !is_stat_graph(graph.trim()) || name.starts_with("...") {
        return None;
    }
    let (path, from) = stat_names(name)?;
    let change = from.is_some().then_some(Change::Renamed);
    Some(Some(FileLine { path, from, change }))
}

/// `12 ++--`, `0`, `Bin`, `Bin 0 -> 5 bytes`, `Unmerged`.
fn is_stat_graph(graph: &str) -> bool {
    if graph == "Bin" || graph == "Unmerged" {
        return true;
    }
    if let Some(sizes) = graph.strip_prefix("Bin ") {
        let sizes = sizes.strip_suffix(" bytes").and_then(|sizes| sizes.split_once(" -> "));
        return sizes.is_some_and(|(old, new)| is_count(old) && is_count(new));
    }
    let (count, bars) = graph.split_once(' ').unwrap_or((graph, ""));
    is_count(count) && bars.bytes().all(|byte| matches!(byte, b'+' | b'-' | b' '))
}

/// `3 files changed, 10 insertions(+), 2 deletions(-)`, each part after the first optional.
fn is_stat_totals(line: &str) -> bool {
    let mut parts = line.split(", ");
    let counts = |part: &str, words: &[&str]| {
        part.split_once(' ').is_some_and(|(count, word)| is_count(count) && words.contains(&word))
    };
    parts.next().is_some_and(|files| counts(files, &["file changed", "files changed"]))
        && parts.all(|part| counts(part, &["insertion(+)", "insertions(+)", "deletion(-)", "deletions(-)"]))
}

fn is_count(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
