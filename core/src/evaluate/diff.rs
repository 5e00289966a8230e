//! The changed files, from git's text formats or from the typed diff (docs/reference/text-formats.md).
//!
//! A text is of one format as a whole, or it is *opaque*: something changed, but the files are unknown.

use alloc::{borrow::Cow, vec::Vec};
use core::cmp::Ordering;

use adjudicate_lang::{
    order::{self, SortedSet},
    paths::{is_outside, is_plain, normalize, skeleton},
};

use super::git::{self, FileLine, Reading};
use crate::documents::evidence::{Change, Diff as TypedDiff, DiffFile, FileKind};

/// A changed path. A rename has two: the new one and the old one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChangedFile<'a> {
    /// The path in normal form.
    pub path: Cow<'a, str>,
    /// The path as written, if [it lies outside of the workspace](is_outside).
    pub outside: Option<Cow<'a, str>>,
    /// True for a directory whose files are not listed: git prints new directories this way, with a trailing `/`.
    pub is_directory: bool,
    /// True if it may be no path at all: a whole line that may also name both ends of a rename.
    pub is_uncertain: bool,
    /// True if the entry is not about this path itself. The entry names an allowed path outside of the workspace, or the path is
    /// the `from` of an entry that is no rename, for example the source of a copy.
    pub is_indirect: bool,
    /// The change, if the format has it.
    pub change: Option<Change>,
    /// The index in the typed diff, if it comes from there.
    pub index: Option<usize>,
}

/// The changed files, or the fact that they are unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Changes<'a> {
    /// Exactly these files, in the order given. A path repeats only with another change.
    Files(Vec<ChangedFile<'a>>),
    /// Some files.
    Opaque {
        /// The number of files, if the text has it.
        count: Option<u64>,
        /// True if git reports no change in the part that it examined.
        says_unchanged: bool,
    },
}

/// A diff with its text.
#[derive(Clone, Debug)]
pub(crate) struct Changed<'a> {
    text: &'a str,
    pub changes: Changes<'a>,
    /// The paths after the changes, if there is a rename, which is one change of two paths.
    renamed: Option<Vec<Cow<'a, str>>>,
    /// The old and the new path of each renamed file.
    renames: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// The old path, the new path and the whole text of each name that may be a rename or one file.
    ambiguous: Vec<[Cow<'a, str>; 3]>,
}

impl<'a> Changed<'a> {
    /// Reads a summary text.
    pub(super) fn from_text(text: &'a str) -> Self {
        match git::parse(text) {
            Reading::Files(lines) => Self::from_lines(text, lines),
            Reading::Opaque { count, says_unchanged } => {
                let changes = Changes::Opaque { count, says_unchanged };
                Self { text, changes, renamed: None, renames: Vec::new(), ambiguous: Vec::new() }
            }
        }
    }

    fn from_lines(text: &'a str, lines: Vec<FileLine<'a>>) -> Self {
        let mut files = Vec::with_capacity(lines.len());
        let has_rename = lines.iter().any(|line| line.from.is_some());
        let mut renamed = has_rename.then(|| Vec::with_capacity(lines.len()));
        let (mut renames, mut ambiguous) = (Vec::new(), Vec::new());
        for line in lines {
            let file = |path, change| {
                let file = ChangedFile::new(path, change, None);
                ChangedFile { is_directory: file.is_directory || line.is_directory, ..file }
            };
            let after = file(line.path, line.change);
            if let Some(renamed) = &mut renamed {
                renamed.push(after.path.clone());
            }
            let before = line.from.map(|from| file(from, line.change));
            let whole = line.whole.map(|whole| ChangedFile { is_uncertain: true, ..file(whole, None) });
            match (&before, &whole) {
                (Some(before), Some(whole)) => {
                    ambiguous.push([before.path.clone(), after.path.clone(), whole.path.clone()]);
                }
                (Some(before), None) => renames.extend(before.renamed_to(&after)),
                (None, _) => {}
            }
            files.push(after);
            files.extend(before);
            files.extend(whole);
        }
        let changes = Changes::Files(each_once(files));
        Self { text, changes, renamed, renames, ambiguous }
    }

    /// Reads a typed diff, which replaces the summary text.
    pub(super) fn from_typed(text: &'a str, diff: &TypedDiff<'a>) -> Self {
        let renames = diff.files.iter().filter(|file| file.from.is_some()).count();
        let mut files = Vec::with_capacity(diff.files.len() + renames);
        let mut renamed = (renames > 0).then(|| Vec::with_capacity(diff.files.len()));
        let mut renames = Vec::new();
        for (index, file) in diff.files.iter().enumerate() {
            let changed = |path| file.changed(path, Some(index));
            let after = changed(file.path);
            if let Some(renamed) = &mut renamed {
                renamed.push(after.path.clone());
            }
            let before = file
                .from
                .map(changed)
                .map(|before| ChangedFile { is_indirect: file.change != Change::Renamed, ..before });
            if let Some(before) = before.as_ref().filter(|_| file.change == Change::Renamed) {
                renames.extend(before.renamed_to(&after));
            }
            files.push(after);
            files.extend(before);
        }
        let changes = Changes::Files(each_once(files));
        Self { text, changes, renamed, renames, ambiguous: Vec::new() }
    }

    /// Treats paths outside of the workspace as paths of the workspace, in normal form.
    pub(super) fn admit_outside(self) -> Self {
        let Changes::Files(mut files) = self.changes else { return self };
        for file in &mut files {
            file.is_indirect |= file.outside.take().is_some();
        }
        Self { changes: Changes::Files(each_once(files)), ..self }
    }

    /// The files of a summary text that a typed diff lacks, each once. Any such file is a contradiction in the evidence. A
    /// directory of the summary is covered by files below it in the typed diff, but not the reverse.
    pub(super) fn lacking(&self, summary: &'a str) -> Vec<ChangedFile<'a>> {
        let Reading::Files(lines) = git::parse(summary) else { return Vec::new() };
        // In most evidence, the summary lists the files of the typed diff, or part of them, in the same order and form.
        let mut typed = self.files().iter();
        // A borrowed path is in normal form as written, so the same text has the same meaning.
        let is_written =
            |file: &ChangedFile<'_>| file.outside.is_none() && matches!(file.path, Cow::Borrowed(_));
        let mut is_listed = |path: &Cow<'_, str>| typed.any(|file| is_written(file) && file.path == *path);
        if lines.iter().all(|line| is_listed(&line.path) && line.from.as_ref().is_none_or(&mut is_listed)) {
            return Vec::new();
        }
        let summary = Self::from_lines(summary, lines);
        // A path outside of the workspace differs from the path inside to which it normalizes.
        let listed = |is_outside: bool| {
            let files = self.files().iter().filter(move |file| file.outside.is_some() == is_outside);
            order::names(files.map(|file| &*file.path))
        };
        let (inside, outside) = (listed(false), listed(true));
        let is_covered = |file: &ChangedFile<'_>| {
            let listed = if file.outside.is_some() { &outside } else { &inside };
            if listed.contains(&*file.path) {
                return true;
            }
            if !file.is_directory {
                return false;
            }
            let below = if file.path.is_empty() { Cow::Borrowed("") } else { file.path.clone() + "/" };
            listed.from(&*below).first().is_some_and(|path| path.starts_with(&*below))
        };
        let lacking = summary.files().iter().filter(|file| !file.is_uncertain && !is_covered(file));
        order::without_repeats(lacking.cloned().collect(), |left, right| left.path.cmp(&right.path))
    }

    /// Returns true if nothing changed.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(&self.changes, Changes::Files(files) if files.is_empty())
    }

    /// Returns true if nothing changed, or if git reports no change in the part that it examined. The latter is enough to doubt a
    /// claim, but not to rule out a change.
    pub(crate) fn seems_empty(&self) -> bool {
        self.is_empty() || matches!(self.changes, Changes::Opaque { says_unchanged: true, .. })
    }

    /// Returns true if the changed files are unknown.
    pub(crate) const fn is_opaque(&self) -> bool {
        matches!(self.changes, Changes::Opaque { .. })
    }

    /// The files that are known to have changed.
    pub(crate) fn files(&self) -> &[ChangedFile<'a>] {
        match &self.changes {
            Changes::Files(files) => files,
            Changes::Opaque { .. } => &[],
        }
    }

    /// The old and the new path of each renamed file.
    pub(super) fn renames(&self) -> impl Iterator<Item = (&str, &str)> {
        self.renames.iter().map(|(before, after)| (&**before, &**after))
    }

    /// The old path, the new path and the whole text of each name that may be a rename or one file.
    pub(super) fn ambiguous(&self) -> &[[Cow<'a, str>; 3]] {
        &self.ambiguous
    }

    /// The files that are named as deleted, and not changed in another way: also not in another spelling, or in a directory whose
    /// files are not listed.
    pub(super) fn deleted(&self) -> SortedSet<&str> {
        let is_deleted = |file: &&ChangedFile<'_>| {
            file.change == Some(Change::Deleted)
                && !file.is_directory
                && !file.is_uncertain
                && !file.is_indirect
                && file.outside.is_none()
        };
        let (deleted, others): (Vec<_>, Vec<_>) = self.files().iter().partition(is_deleted);
        let folded = |path: &str| skeleton(&path.to_lowercase());
        let others = SortedSet::from_values(others.into_iter().map(|file| folded(&file.path)));
        let is_changed = |path: &str| {
            let path = folded(path);
            let mut above = path.match_indices('/').filter_map(|(end, _)| path.get(..end));
            others.contains(&*path) || others.contains("") || above.any(|folder| others.contains(folder))
        };
        let mut deleted = order::names(deleted.into_iter().map(|file| &*file.path));
        deleted.retain(|path| !is_changed(path));
        deleted
    }

    /// The number of changed paths, if known. The two names of a rename count once.
    pub(crate) fn count(&self) -> Option<u64> {
        match &self.changes {
            Changes::Files(files) => Some(match &self.renamed {
                Some(renamed) => count(renamed.iter().map(|path| &**path)),
                None => count(files.iter().map(|file| &*file.path)),
            }),
            Changes::Opaque { count, .. } => *count,
        }
    }

    /// Returns true if both diffs have the same paths with the same changes; an unknown change equals any. Two opaque diffs are
    /// compared by their texts, with white space collapsed.
    pub(super) fn same_changes(&self, other: &Self) -> bool {
        let (Changes::Files(left), Changes::Files(right)) = (&self.changes, &other.changes) else {
            return self.is_opaque()
                && other.is_opaque()
                && self.text.split_whitespace().eq(other.text.split_whitespace());
        };
        let (left, right) = (sorted(left), sorted(right));
        let mut right = right.chunk_by(|a, b| a.path == b.path);
        left.chunk_by(|a, b| a.path == b.path)
            .all(|mentions| right.next().is_some_and(|other| agree(mentions, other)))
            && right.next().is_none()
    }
}

/// The number of distinct paths.
fn count<'p>(paths: impl Iterator<Item = &'p str>) -> u64 {
    order::names(paths).len() as u64
}

/// Returns true if two sorted lists of mentions of one path agree.
fn agree(left: &[&ChangedFile<'_>], right: &[&ChangedFile<'_>]) -> bool {
    let is_unknown = |mentions: &[&ChangedFile<'_>]| mentions.iter().any(|file| file.change.is_none());
    let is_one_path = left.iter().chain(right).is_sorted_by(|a, b| a.path == b.path);
    // A file and a directory of one name are two mentions, and may be one change.
    let changes = |mentions: &[&ChangedFile<'_>]| {
        let mut changes: Vec<Option<Change>> = mentions.iter().map(|file| file.change).collect();
        changes.dedup();
        changes
    };
    is_one_path && (is_unknown(left) || is_unknown(right) || changes(left) == changes(right))
}

impl<'a> DiffFile<'a> {
    /// One of the two paths of the entry, as a changed file. `index` is that of the entry in the diff.
    pub(crate) fn changed(&self, path: &'a str, index: Option<usize>) -> ChangedFile<'a> {
        let mut changed = ChangedFile::new(Cow::Borrowed(path), Some(self.change), index);
        changed.is_directory |= self.kind == Some(FileKind::Directory);
        changed
    }
}

impl<'a> ChangedFile<'a> {
    fn new(path: Cow<'a, str>, change: Option<Change>, index: Option<usize>) -> Self {
        if is_plain(&path) {
            let (outside, is_directory, is_uncertain, is_indirect) = (None, false, false, false);
            return Self { path, outside, is_directory, is_uncertain, is_indirect, change, index };
        }
        let outside = is_outside(&path).then(|| path.clone());
        let ends_as_directory = path.ends_with('/');
        let path = match path {
            Cow::Borrowed(path) => normalize(path),
            Cow::Owned(path) => Cow::Owned(normalize(&path).into_owned()),
        };
        let is_directory = ends_as_directory || path.is_empty();
        Self { path, outside, is_directory, is_uncertain: false, is_indirect: false, change, index }
    }

    /// The path before a rename to another, and the path after it, if both are files of the workspace.
    fn renamed_to(&self, after: &Self) -> Option<(Cow<'a, str>, Cow<'a, str>)> {
        let is_file = |file: &Self| file.outside.is_none() && !file.is_directory;
        (is_file(self) && is_file(after)).then(|| (self.path.clone(), after.path.clone()))
    }

    /// Returns true if the path was deleted or renamed, with everything below it.
    pub(super) const fn is_removed(&self) -> bool {
        matches!(self.change, Some(Change::Deleted | Change::Renamed))
    }

    /// The path as answers show it: `.` for the root, and a path outside of the workspace as written.
    pub(crate) fn shown(&self) -> &str {
        match (&self.outside, &*self.path) {
            (Some(written), _) => written,
            (None, "") => ".",
            (None, path) => path,
        }
    }
}

/// The most files that are compared pair by pair, which is faster for short lists.
const FEW: usize = 24;

/// The first of equal mentions.
fn each_once(files: Vec<ChangedFile<'_>>) -> Vec<ChangedFile<'_>> {
    let differ = |left: &ChangedFile<'_>, right: &ChangedFile<'_>| left.path != right.path;
    let mut earlier = files.iter().enumerate();
    if files.len() <= FEW && earlier.all(|(at, file)| files.iter().take(at).all(|other| differ(other, file)))
    {
        return files;
    }
    order::without_repeats(files, by_path_and_change)
}

fn by_path_and_change(left: &ChangedFile<'_>, right: &ChangedFile<'_>) -> Ordering {
    match left.path.as_bytes().cmp(right.path.as_bytes()) {
        Ordering::Equal => (left.change.cmp(&right.change))
            .then(left.is_directory.cmp(&right.is_directory))
            .then_with(|| left.outside.cmp(&right.outside)),
        other => other,
    }
}

/// The files in order, without those that may be no paths.
fn sorted<'f, 'a>(files: &'f [ChangedFile<'a>]) -> Vec<&'f ChangedFile<'a>> {
    let mut sorted: Vec<_> = files.iter().filter(|file| !file.is_uncertain).collect();
    order::sort_by(&mut sorted, |left, right| by_path_and_change(left, right));
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;
    use Change::{Added, Deleted, Modified, Renamed};
    use alloc::string::{String, ToString};

    fn files(text: &str) -> Option<Vec<(String, Option<Change>)>> {
        match Changed::from_text(text).changes {
            Changes::Files(files) => {
                Some(files.iter().map(|file| (file.path.to_string(), file.change)).collect())
            }
            Changes::Opaque { .. } => None,
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
                    ("src/{a => b}/c.rs", None),
                    ("new", Some(Renamed)),
                    ("old", Some(Renamed)),
                    ("old => new", None),
                ]),
            ),
            // stat
            (
                " src/a.rs | 12 +++---\n logo.png | Bin 0 -> 1024 bytes\n 2 files changed, 6 insertions(+), 6 deletions(-)",
                Some(&[("src/a.rs", None), ("logo.png", None)]),
            ),
            (
                " src/{ => sub}/a.rs | 0\n 1 file changed, 0 insertions(+), 0 deletions(-)\n",
                Some(&[
                    ("src/sub/a.rs", Some(Renamed)),
                    ("src/a.rs", Some(Renamed)),
                    ("src/{ => sub}/a.rs", None),
                ]),
            ),
            (" .../deep/a.rs | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)", None),
            (" 3 files changed, 2 insertions(+)", None),
            (" 0 files changed", None),
            ("0 files changed\n 5 files changed, 3 insertions(+)", None),
            ("?? ./", Some(&[("", Some(Added))])),
            ("M\tsecrets\tkey.pem", None),
            ("D  a\n?? a", Some(&[("a", Some(Deleted)), ("a", Some(Added))])),
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
        assert!(same("R  a -> b\n?? a", "?? a\nR  a -> b"));
        assert!(!same("R  a -> b\n?? a", "R  a -> b"));
        assert!(!same("D  a\n?? a", "D  a"));
        assert!(same("D  a\n?? a", " a | 2 +-"));
    }
}
