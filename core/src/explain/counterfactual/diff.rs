//! Turns acts on the diff into changes to the envelope.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use adjudicate_lang::{
    Steps,
    json::OwnedValue,
    order::{self, SortedSet},
    paths::{Glob, Path, Pattern, normalize},
};

use super::{
    act::{Act, Acts, DiffAct, FILES, values_of},
    change_collector::ChangeCollector,
};
use crate::{
    documents::{
        evidence::{Change, Diff, DiffFile, FileKind},
        policy::Outside,
    },
    evaluate::{
        ChangedFile, Judged,
        git::{self, FileLine, Reading},
    },
    policy::{Fact, Root, Variable},
    revision::name_status,
};

/// The path of a changed file about which nothing else is known.
pub(super) const SOME_FILE: &str = "changed-file";
/// The most of a search's budget that matching the patterns of one set of acts takes.
const BUDGET: u64 = 1 << 20;
/// The number of bytes of a path per step for splitting it.
const SPLIT: usize = 2;
/// The beginnings of lines about a changed file, one for each format.
const LINES: [&str; 3] = [" M ", "M\t", "1\t0\t"];

/// Adds the changes to the diff.
pub(super) fn changes(facts: &Judged<'_>, acts: &Acts, changes: &mut ChangeCollector<'_, '_>) {
    let acts: Vec<&DiffAct> = values_of!(acts, Act::Diff(act) => act).collect();
    if acts.is_empty() {
        return;
    }
    if acts.contains(&&DiffAct::Name) {
        return name(facts, changes);
    }
    let lacking = if acts.contains(&&DiffAct::Agree) { facts.lacking_files() } else { &[] };
    let undone = undone(facts, lacking, &acts, changes.steps);
    let added = values_of!(acts, DiffAct::Add(path) => &**path);
    match &facts.evidence().diff {
        Some(diff) => {
            let is_undone = |file: &DiffFile<'_>| {
                let mut paths = [Some(file.path), file.from].into_iter().flatten();
                paths.any(|path| undone.contains(&*normalize(path)))
            };
            let removed = diff.files.iter().enumerate().filter(|(_, file)| is_undone(file));
            let removed: Vec<usize> = removed.map(|(index, _)| index).collect();
            let left = diff.files.len() - removed.len();
            undo_in_summary(facts, &undone, changes);
            changes.remove("/evidence/diff/files", removed.into_iter());
            let lacking = lacking.iter().filter(|file| !undone.contains(&*file.path));
            let lacking: Vec<String> = lacking.map(listed).collect();
            for (place, path) in lacking.iter().map(|path| &**path).chain(added).enumerate() {
                changes.insert("/evidence/diff/files", left + place, file(path, false));
            }
        }
        None => {
            let text = text(facts.evidence().workspace_diff_summary, &undone, added);
            changes.put("/evidence/workspace_diff_summary", OwnedValue::Text(text));
        }
    }
}

/// Names every file in a typed diff. It has the known files, a file in place of each path that stands for several, and those that
/// only the summary names. An opaque diff becomes one placeholder file.
fn name(facts: &Judged<'_>, changes: &mut ChangeCollector<'_, '_>) {
    let unnamed = Unnamed::new(facts);
    // A summary with the old names would contradict the typed diff.
    undo_in_summary(facts, &unnamed.replaced, changes);
    match &facts.evidence().diff {
        Some(diff) => name_typed(facts, diff, &unnamed, changes),
        None => {
            let known = facts.changed().files().iter().map(|file| unnamed.named(file));
            let known = order::without_repeats(known.collect(), Ord::cmp);
            let mut files: Vec<OwnedValue> = known.iter().map(|path| file(path, true)).collect();
            if facts.changed().is_opaque() {
                files.push(file(SOME_FILE, true));
            }
            changes.put("/evidence/diff", OwnedValue::object([("files", OwnedValue::List(files))]));
        }
    }
}

fn name_typed(
    facts: &Judged<'_>,
    diff: &Diff<'_>,
    unnamed: &Unnamed<'_>,
    changes: &mut ChangeCollector<'_, '_>,
) {
    let asks_for_lines = |variable: &Variable| {
        matches!(variable.root(), Root::Fact(Fact::DiffInsertions | Fact::DiffDeletions))
    };
    // If paths are needed, line counts are added only for a condition that uses them.
    let counts_all = facts.names_each_file() && facts.undecided_files().is_empty()
        || facts.policy().variables().iter().any(asks_for_lines);
    for (index, entry) in diff.files.iter().enumerate() {
        let mut paths = [Some(entry.path), entry.from].into_iter().flatten();
        let pointer = format!("{FILES}{index}");
        if paths.any(|path| unnamed.has(&entry.changed(path, None))) {
            changes.put(pointer, named_entry(entry, unnamed));
            continue;
        }
        for (name, count) in [("insertions", entry.insertions), ("deletions", entry.deletions)] {
            if counts_all && count.is_none() {
                changes.put(format!("{pointer}/{name}"), OwnedValue::count(0));
            }
        }
    }
    for (place, lacking) in facts.lacking_files().iter().enumerate() {
        changes.insert("/evidence/diff/files", diff.files.len() + place, file(&unnamed.named(lacking), true));
    }
}

/// An entry of a typed diff, with files in place of paths that stand for several.
fn named_entry(entry: &DiffFile<'_>, unnamed: &Unnamed<'_>) -> OwnedValue {
    let path = |path| OwnedValue::Text(unnamed.named(&entry.changed(path, None)));
    let mut named =
        OwnedValue::object([("path", path(entry.path)), ("change", OwnedValue::text(entry.change.as_str()))]);
    if let Some(from) = entry.from {
        named.set(&["from"], path(from));
    }
    for (name, count) in [("insertions", entry.insertions), ("deletions", entry.deletions)] {
        named.set(&[name], OwnedValue::count(count.unwrap_or(0)));
    }
    named
}

/// The paths that stand for unlisted files.
struct Unnamed<'f> {
    /// True if paths outside of the workspace count as unnamed.
    outside: bool,
    /// The paths that the policy's lists cannot decide.
    undecided: SortedSet<&'f str>,
    /// The paths that are replaced by other names, because they are no directories.
    replaced: SortedSet<&'f str>,
}

impl<'f> Unnamed<'f> {
    fn new(facts: &'f Judged<'_>) -> Self {
        let undecided = order::names(facts.undecided_files().into_iter().map(|file| &*file.path));
        let outside = facts.policy().outside() != Outside::Allow;
        let mut unnamed = Self { outside, undecided, replaced: SortedSet::new() };
        let files = facts.changed().files().iter();
        let replaced = files.filter(|file| !file.is_directory && unnamed.has(file)).map(|file| &*file.path);
        unnamed.replaced = order::names(replaced);
        unnamed
    }

    fn has(&self, file: &ChangedFile<'_>) -> bool {
        file.is_directory || self.is_outside(file) || self.undecided.contains(&*file.path)
    }

    const fn is_outside(&self, file: &ChangedFile<'_>) -> bool {
        self.outside && file.outside.is_some()
    }

    /// The path, or the path of a file for which it may stand.
    fn named(&self, file: &ChangedFile<'_>) -> String {
        match &*file.path {
            _ if self.is_outside(file) => SOME_FILE.into(),
            "" => SOME_FILE.into(),
            path if self.has(file) => format!("{path}/{SOME_FILE}"),
            path => path.into(),
        }
    }
}

/// Removes paths from a summary that names them.
fn undo_in_summary(facts: &Judged<'_>, undone: &SortedSet<&str>, changes: &mut ChangeCollector<'_, '_>) {
    let summary = facts.evidence().workspace_diff_summary;
    let is_undone = |path: &Cow<'_, str>| undone.contains(&*normalize(path));
    if known(summary).iter().any(|file| file.paths().any(is_undone)) {
        let text = text(summary, undone, core::iter::empty());
        changes.put("/evidence/workspace_diff_summary", OwnedValue::Text(text));
    }
}

fn file(path: &str, counted: bool) -> OwnedValue {
    let (path, change) = (("path", OwnedValue::text(path)), ("change", OwnedValue::text("modified")));
    if counted {
        let none = OwnedValue::count(0);
        OwnedValue::object([path, change, ("insertions", none.clone()), ("deletions", none)])
    } else {
        OwnedValue::object([path, change])
    }
}

/// The path of a summary's file in the form of a typed diff.
fn listed(file: &ChangedFile<'_>) -> String {
    let path = file.shown();
    if file.is_directory { format!("{path}/") } else { path.into() }
}

/// The changed paths to remove, including those that the typed diff lacks.
fn undone<'f>(
    facts: &'f Judged<'_>,
    lacking: &'f [ChangedFile<'_>],
    acts: &[&DiffAct],
    budget: &mut Steps,
) -> SortedSet<&'f str> {
    let most = budget.left().min(BUDGET);
    let mut steps = Steps::new(most);
    let files = facts.changed().files().iter().chain(lacking);
    let paths: Vec<&str> = order::without_repeats(files.map(|file| &*file.path).collect(), Ord::cmp);
    let mut undone: Vec<&str> = Vec::new();
    for act in acts {
        match act {
            DiffAct::UndoAll => undone.extend(paths.iter().copied()),
            DiffAct::Keep(count) => undone.extend(paths.iter().copied().skip(*count)),
            DiffAct::Undo(path) => undone.extend(paths.iter().copied().filter(|known| known == path)),
            DiffAct::UndoUnder(pattern) => {
                let glob =
                    Pattern::new(pattern).ok().and_then(|pattern| Glob::compile(pattern, &mut steps).ok());
                let mut is_under = |path: &str| {
                    steps.spend(1 + path.len() / SPLIT).is_ok()
                        && glob
                            .as_ref()
                            .is_some_and(|glob| glob.matches(&Path::split(path), &mut steps) == Ok(true))
                };
                undone.extend(paths.iter().copied().filter(|path| is_under(path)));
            }
            DiffAct::Add(_) | DiffAct::Agree | DiffAct::Name => {}
        }
    }
    *budget = Steps::new(budget.left() - (most - steps.left()));
    order::names(undone)
}

/// A summary without some files and with others, in its own format. If lines cannot be removed or added, it is in the format of
/// `--name-status`.
fn text<'a>(summary: &str, undone: &SortedSet<&str>, added: impl Iterator<Item = &'a str>) -> String {
    let files = known(summary);
    let stays = |file: &FileLine<'_>| !file.paths().any(|path| undone.contains(&*normalize(path)));
    let mut text = if git::is_by_line(summary) {
        // Lines of totals are removed, because they would no longer agree.
        let stays = |line: &&str| matches!(&*known(line), [file] if stays(file));
        summary.lines().filter(stays).flat_map(|line| [line, "\n"]).collect()
    } else {
        let left = files.iter().filter(|file| stays(file)).map(|file| DiffFile {
            path: &file.path,
            change: file.change.unwrap_or(Change::Modified),
            from: file.from.as_deref(),
            kind: file.is_directory.then_some(FileKind::Directory),
            insertions: None,
            deletions: None,
        });
        name_status(&Diff { files: left.collect() })
    };
    for path in added {
        let with = |before: &&str| format!("{text}{before}{path}\n");
        let fits = |text: &String| matches!(git::parse(text), Reading::Files(_));
        let lined = LINES.iter().map(with).find(fits);
        text = lined.unwrap_or_else(|| format!("{text} M {path}\n"));
    }
    text
}

/// The files in a text.
fn known(text: &str) -> Vec<FileLine<'_>> {
    match git::parse(text) {
        Reading::Files(files) => files,
        Reading::Opaque { .. } => Vec::new(),
    }
}
