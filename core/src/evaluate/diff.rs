//! What changed: from git's text formats, or from the typed diff (SPEC section 3.2).
//!
//! A text is one of four formats as a whole or it is *opaque*: something changed, and it is not known what.

use alloc::{borrow::Cow, string::String, vec::Vec};
use core::cmp::Ordering;

use super::envelope::{Change, Diff as TypedDiff};
use crate::paths::normalize;

/// One changed path. A rename has two: the new one and the old one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChangedFile<'a> {
    /// The path in normal form.
    pub path: Cow<'a, str>,
    /// What happened to it, where the format says.
    pub change: Option<Change>,
    /// The place in the typed diff's list, if it comes from there.
    pub index: Option<usize>,
}

/// The files that changed, or that this cannot be known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Changes<'a> {
    /// Exactly these files, in the order given, no path twice.
    Files(Vec<ChangedFile<'a>>),
    /// Some files.
    Opaque,
}

/// A diff with the text it came with.
#[derive(Clone, Debug)]
pub(super) struct Changed<'a> {
    text: &'a str,
    pub changes: Changes<'a>,
}

impl<'a> Changed<'a> {
    /// Reads a summary text.
    pub(super) fn from_text(text: &'a str) -> Self {
        let changes = parse(text).map_or(Changes::Opaque, |files| Changes::Files(without_repeats(files)));
        Self { text, changes }
    }

    /// Takes a typed diff, which replaces the summary text.
    pub(super) fn from_typed(text: &'a str, diff: &TypedDiff<'a>) -> Self {
        let mut files = Vec::with_capacity(diff.files.len());
        for (index, file) in diff.files.iter().enumerate() {
            for path in [Some(file.path), file.from].into_iter().flatten() {
                files.push(ChangedFile {
                    path: normalize(path),
                    change: Some(file.change),
                    index: Some(index),
                });
            }
        }
        Self { text, changes: Changes::Files(without_repeats(files)) }
    }

    /// Whether nothing changed.
    pub(super) fn is_empty(&self) -> bool {
        matches!(&self.changes, Changes::Files(files) if files.is_empty())
    }

    /// Whether it is unknown what changed.
    pub(super) fn is_opaque(&self) -> bool {
        self.changes == Changes::Opaque
    }

    /// The files that are known to have changed.
    pub(super) fn files(&self) -> &[ChangedFile<'a>] {
        match &self.changes {
            Changes::Files(files) => files,
            Changes::Opaque => &[],
        }
    }

    /// Whether both say that the same things changed: the same paths, each with the same change, where a change
    /// that is not known equals any. Where either is opaque their texts decide, white space collapsed.
    pub(super) fn same_changes(&self, other: &Self) -> bool {
        if self.is_opaque() || other.is_opaque() {
            return self.text.split_whitespace().eq(other.text.split_whitespace());
        }
        let (left, right) = (sorted(self.files()), sorted(other.files()));
        let agree = |left: Option<Change>, right: Option<Change>| left.zip(right).is_none_or(|(a, b)| a == b);
        left.len() == right.len()
            && left.iter().zip(&right).all(|(a, b)| a.path == b.path && agree(a.change, b.change))
    }
}

fn by_path(left: &ChangedFile<'_>, right: &ChangedFile<'_>) -> Ordering {
    left.path.cmp(&right.path)
}

fn sorted<'f, 'a>(files: &'f [ChangedFile<'a>]) -> Vec<&'f ChangedFile<'a>> {
    let mut sorted: Vec<_> = files.iter().collect();
    sorted.sort_by(|left, right| by_path(left, right));
    sorted
}

/// Keeps the first of each path, in the order given.
fn without_repeats(mut files: Vec<ChangedFile<'_>>) -> Vec<ChangedFile<'_>> {
    let mut order: Vec<usize> = (0..files.len()).collect();
    let path = |index: &usize| files.get(*index).map(|file| &file.path);
    // Stable: of equal paths the first given comes first.
    order.sort_by(|left, right| path(left).cmp(&path(right)));
    let repeats: Vec<usize> = order
        .windows(2)
        .filter_map(|pair| match pair {
            [earlier, later] if path(earlier) == path(later) => Some(*later),
            _ => None,
        })
        .collect();
    if !repeats.is_empty() {
        let mut is_repeat = Vec::new();
        is_repeat.resize(files.len(), false);
        for index in repeats {
            if let Some(mark) = is_repeat.get_mut(index) {
                *mark = true;
            }
        }
        let mut marks = is_repeat.into_iter();
        files.retain(|_| !marks.next().unwrap_or_default());
    }
    files
}

/// What one line of a format says: nothing (a summary line), or one or two changed paths.
type Line<'a> = Option<(Cow<'a, str>, Option<Cow<'a, str>>, Option<Change>)>;

/// The files of a text, if all of its lines fit one format.
fn parse(text: &str) -> Option<Vec<ChangedFile<'_>>> {
    if text.trim().is_empty() {
        return Some(Vec::new());
    }
    // Told apart by their lines alone; where a text fits several, the first in this order is taken.
    [short_status_line, stat_line, numstat_line, name_status_line]
        .into_iter()
        .find_map(|format: for<'t> fn(&'t str) -> Option<Line<'t>>| parse_lines(text, format))
}

fn parse_lines<'a>(text: &'a str, format: fn(&'a str) -> Option<Line<'a>>) -> Option<Vec<ChangedFile<'a>>> {
    let mut files = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let Some((path, from, change)) = format(line)? else { continue };
        for path in [Some(path), from].into_iter().flatten() {
            files.push(ChangedFile { path: normal(path), change, index: None });
        }
    }
    // A summary line alone says that something changed, but not what.
    let says_nothing_changed = || text.trim_start().starts_with("0 files changed");
    (!files.is_empty() || says_nothing_changed()).then_some(files)
}

fn normal(path: Cow<'_, str>) -> Cow<'_, str> {
    match path {
        Cow::Borrowed(path) => normalize(path),
        Cow::Owned(path) => Cow::Owned(normalize(&path).into_owned()),
    }
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
        return Some(Some((to, from, Some(change))));
    }
    Some(Some((unquote(path)?, None, Some(change))))
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
        return Some(Some((to, from, Some(change))));
    }
    Some(Some((unquote(names)?, None, Some(change))))
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
    Some(Some((path, from, change)))
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
    Some(Some((path, from, change)))
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

#[cfg(test)]
mod tests {
    use super::*;
    use Change::{Added, Deleted, Modified, Renamed};
    use alloc::string::ToString;

    fn files(text: &str) -> Option<Vec<(String, Option<Change>)>> {
        match Changed::from_text(text).changes {
            Changes::Files(files) => {
                Some(files.iter().map(|file| (file.path.to_string(), file.change)).collect())
            }
            Changes::Opaque => None,
        }
    }

    #[test]
    fn formats() {
        type Expected<'e> = Option<&'e [(&'e str, Option<Change>)]>;
        let cases: &[(&str, Expected<'_>)] = &[
            ("", Some(&[])),
            (" \n\t\n", Some(&[])),
            // status --short
            (
                " M src/a.rs\n?? new/\r\nD  gone\n",
                Some(&[("src/a.rs", Some(Modified)), ("new", Some(Added)), ("gone", Some(Deleted))]),
            ),
            (
                "R  old.rs -> new.rs\nAM a\n",
                Some(&[("new.rs", Some(Renamed)), ("old.rs", Some(Renamed)), ("a", Some(Added))]),
            ),
            ("C  old.rs -> copy.rs", Some(&[("copy.rs", Some(Added))])),
            ("UU both.rs", Some(&[("both.rs", Some(Modified))])),
            ("AD a", Some(&[("a", Some(Deleted))])),
            (" M \"with space\\t\\303\\251.rs\"", Some(&[("with space\té.rs", Some(Modified))])),
            ("R  \"a b\" -> \"c d\"", Some(&[("c d", Some(Renamed)), ("a b", Some(Renamed))])),
            (" M \"broken", None),
            ("!! ignored", None),
            ("M src/a.rs", None),
            ("R  no-arrow", None),
            // name-status
            (
                "M\tsrc/a.rs\nA\tb\nD\tc\nR087\told\tnew\nC100\ta\tz\nT\tlink\n",
                Some(&[
                    ("src/a.rs", Some(Modified)),
                    ("b", Some(Added)),
                    ("c", Some(Deleted)),
                    ("new", Some(Renamed)),
                    ("old", Some(Renamed)),
                    ("z", Some(Added)),
                    ("link", Some(Modified)),
                ]),
            ),
            ("R100\told", None),
            // numstat
            (
                "3\t1\tsrc/a.rs\n-\t-\tlogo.png\n0\t0\tsrc/{a => b}/c.rs\n1\t1\told => new",
                Some(&[
                    ("src/a.rs", None),
                    ("logo.png", None),
                    ("src/b/c.rs", Some(Renamed)),
                    ("src/a/c.rs", Some(Renamed)),
                    ("new", Some(Renamed)),
                    ("old", Some(Renamed)),
                ]),
            ),
            // stat
            (
                " src/a.rs | 12 +++---\n logo.png | Bin 0 -> 1024 bytes\n 2 files changed, 6 insertions(+), 6 deletions(-)",
                Some(&[("src/a.rs", None), ("logo.png", None)]),
            ),
            (
                " src/{ => sub}/a.rs | 0\n 1 file changed, 0 insertions(+), 0 deletions(-)\n",
                Some(&[("src/sub/a.rs", Some(Renamed)), ("src/a.rs", Some(Renamed))]),
            ),
            (" .../deep/a.rs | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)", None),
            (" 3 files changed, 2 insertions(+)", None),
            (" 0 files changed", Some(&[])),
            // neither, or mixed
            ("changed a few things", None),
            (" M a\nM\tb", None),
            (" M a\nand some prose", None),
            // repeats and normal form
            (" M ./a//b\n M a/b\n", Some(&[("a/b", Some(Modified))])),
        ];
        for (text, expected) in cases {
            let got = files(text);
            let got = got
                .as_ref()
                .map(|files| files.iter().map(|(path, change)| (path.as_str(), *change)).collect::<Vec<_>>());
            assert_eq!(got.as_deref(), *expected, "{text:?}");
        }
    }

    #[test]
    fn sameness() {
        let same = |left, right| Changed::from_text(left).same_changes(&Changed::from_text(right));
        assert!(same(" M a\n M b\n", "M\tb\nM\ta"));
        assert!(same(" M a\n", "3\t1\ta\n"));
        assert!(!same(" M a\n", "A\ta\n"));
        assert!(!same(" M a\n", " M a\n M b\n"));
        assert!(same("did  things\n", "did things"));
        assert!(!same("did things", "did other things"));
        assert!(!same("did things", " M a"));
        assert!(same("", "\n"));
    }
}
