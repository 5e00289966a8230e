//! The four text formats in which git says what changed (SPEC section 3.2).
//!
//! A format reads one line at a time; a text is of a format when each of its lines is.

use alloc::{borrow::Cow, string::String, vec::Vec};

use super::evidence::Change;

/// What one line says: a path, the one it had if it was renamed, and what happened to it if the format says.
pub(super) struct FileLine<'a> {
    pub path: Cow<'a, str>,
    pub from: Option<Cow<'a, str>>,
    pub change: Option<Change>,
}

/// What one line says: a file, or nothing (a line of totals).
type Line<'a> = Option<FileLine<'a>>;

/// The files of a text, if all of its lines fit one format; none for a blank text.
pub(super) fn parse(text: &str) -> Option<Vec<FileLine<'_>>> {
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
    // A line of totals alone says that something changed, but not what.
    let says_nothing_changed = || text.trim_start().starts_with("0 files changed");
    (!files.is_empty() || says_nothing_changed()).then_some(files)
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
        let (from, to) = split_names(path, " -> ")?;
        // The source of a copy has not changed.
        let from = (change == Change::Renamed).then_some(from);
        return Some(Some(FileLine { path: to, from, change: Some(change) }));
    }
    Some(Some(FileLine { path: unquote(path)?, from: None, change: Some(change) }))
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
        let (from, to) = split_names(names, "\t")?;
        let from = (change == Change::Renamed).then_some(from);
        return Some(Some(FileLine { path: to, from, change: Some(change) }));
    }
    Some(Some(FileLine { path: unquote(names)?, from: None, change: Some(change) }))
}

/// `git diff --numstat`: insertions, deletions (`-` for a binary file), a path, perhaps with ` => `.
fn numstat_line(line: &str) -> Option<Line<'_>> {
    let mut fields = line.splitn(3, '\t');
    for _ in 0..2 {
        let count = fields.next()?;
        let is_count = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
        if !is_count && count != "-" {
            return None;
        }
    }
    let (path, from) = arrow_names(fields.next()?)?;
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
    let (path, from) = arrow_names(name)?;
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

/// `new`, `old => new` or `a/{old => new}/b`: the path, and the one it had.
fn arrow_names(text: &str) -> Option<(Cow<'_, str>, Option<Cow<'_, str>>)> {
    let braces = text.find('{').zip(text.rfind('}')).filter(|(open, close)| open < close);
    if let Some((open, close)) = braces
        && let Some((old, new)) = text.get(open + 1..close).and_then(|inner| inner.split_once(" => "))
    {
        let (before, after) = (text.get(..open)?, text.get(close + 1..)?);
        let join = |part: &str| Cow::Owned([before, part, after].concat());
        return Some((join(new), Some(join(old))));
    }
    match text.split_once(" => ") {
        Some((old, new)) => Some((unquote(new)?, Some(unquote(old)?))),
        None => Some((unquote(text)?, None)),
    }
}

/// Two names with a separator between them, either of them perhaps quoted.
fn split_names<'a>(text: &'a str, separator: &str) -> Option<(Cow<'a, str>, Cow<'a, str>)> {
    let (first, second) = text.split_once(separator)?;
    Some((unquote(first)?, unquote(second)?))
}

/// A path as git prints it: as it is, or in double quotes with C escapes. `None` if the quotes are broken or
/// there is no path.
fn unquote(text: &str) -> Option<Cow<'_, str>> {
    let Some(quoted) = text.strip_prefix('"') else {
        return (!text.trim().is_empty()).then_some(Cow::Borrowed(text));
    };
    let inner = quoted.strip_suffix('"')?;
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.bytes();
    while let Some(byte) = rest.next() {
        let plain = match byte {
            b'"' => return None,
            b'\\' => unescape(&mut rest)?,
            plain => plain,
        };
        bytes.push(plain);
    }
    let path = String::from_utf8(bytes).ok()?;
    (!path.is_empty()).then_some(Cow::Owned(path))
}

/// The byte that a C escape stands for; the backslash is already read.
fn unescape(rest: &mut core::str::Bytes<'_>) -> Option<u8> {
    Some(match rest.next()? {
        b'a' => 7,
        b'b' => 8,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 11,
        b'f' => 12,
        b'r' => b'\r',
        plain @ (b'"' | b'\\') => plain,
        high @ b'0'..=b'3' => {
            let mut digit =
                || rest.next().filter(|digit| (b'0'..=b'7').contains(digit)).map(|digit| digit - b'0');
            (high - b'0') * 64 + digit()? * 8 + digit()?
        }
        _ => return None,
    })
}
