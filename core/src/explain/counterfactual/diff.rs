//! What the workspace would look like: acts on the diff as changes to the envelope.

use alloc::{collections::BTreeSet, format, string::String, vec::Vec};

use super::{
    act::{Act, Acts, DiffAct},
    changes::Changes,
};
use crate::{
    evaluate::{
        Change, DiffFile, Facts,
        git::{self, FileLine, Reading},
    },
    json::OwnedValue,
    paths::{Glob, Path, Pattern, normalize},
    revision::name_status,
    steps::Steps,
};

/// What a file is called of which nothing is known but that it changed.
pub(super) const SOME_FILE: &str = "changed-file";
/// What matching the patterns of one diff may take.
const BUDGET: u64 = 1 << 20;
/// How a line may begin that says that a file changed, one of them in each format.
const LINES: [&str; 3] = [" M ", "M\t", "1\t0\t"];

/// The changes to the diff.
pub(super) fn changes(facts: &Facts<'_>, acts: &Acts, changes: &mut Changes<'_, '_>) {
    let acts: Vec<&DiffAct> = acts
        .iter()
        .filter_map(|act| match act {
            Act::Diff(act) => Some(act),
            _ => None,
        })
        .collect();
    if acts.is_empty() {
        return;
    }
    if acts.contains(&&DiffAct::Name) {
        return name(facts, changes);
    }
    let undone = undone(facts, &acts);
    let added = acts.iter().filter_map(|act| match act {
        DiffAct::Add(path) => Some(&**path),
        _ => None,
    });
    match &facts.evidence().diff {
        Some(diff) => {
            let is_undone = |file: &DiffFile<'_>| {
                [Some(file.path), file.from]
                    .into_iter()
                    .flatten()
                    .any(|path| undone.contains(&*normalize(path)))
            };
            let removed: Vec<usize> = diff
                .files
                .iter()
                .enumerate()
                .filter(|(_, file)| is_undone(file))
                .map(|(index, _)| index)
                .collect();
            let left = diff.files.len() - removed.len();
            changes.remove("/evidence/diff/files", removed.into_iter());
            for (place, path) in added.enumerate() {
                changes.insert("/evidence/diff/files", left + place, file(path, false));
            }
        }
        None => {
            let text = text(facts.evidence().workspace_diff_summary, &undone, added);
            changes.put("/evidence/workspace_diff_summary", OwnedValue::Text(text));
        }
    }
}

/// A typed diff of the files that are known to have changed, or of one of which nothing else is known.
fn name(facts: &Facts<'_>, changes: &mut Changes<'_, '_>) {
    if let Some(diff) = &facts.evidence().diff {
        for (index, file) in diff.files.iter().enumerate() {
            for (name, count) in [("insertions", file.insertions), ("deletions", file.deletions)] {
                if count.is_none() {
                    changes.put(format!("/evidence/diff/files/{index}/{name}"), OwnedValue::count(0));
                }
            }
        }
        return;
    }
    let known = crate::order::names(facts.changed().files().iter().map(|file| &*file.path));
    let mut files: Vec<OwnedValue> = known.into_iter().map(|path| file(path, true)).collect();
    if facts.changed().is_opaque() {
        files.push(file(SOME_FILE, true));
    }
    changes.put("/evidence/diff", OwnedValue::object([("files", OwnedValue::List(files))]));
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

/// The changed paths that would not be.
fn undone<'f>(facts: &'f Facts<'_>, acts: &[&DiffAct]) -> BTreeSet<&'f str> {
    let mut steps = Steps::new(BUDGET);
    let mut paths: Vec<&str> = Vec::new();
    let mut seen = BTreeSet::new();
    paths.extend(facts.changed().files().iter().map(|file| &*file.path).filter(|path| seen.insert(*path)));
    let mut undone = BTreeSet::new();
    for act in acts {
        match act {
            DiffAct::UndoAll => undone.extend(paths.iter().copied()),
            DiffAct::Keep(count) => undone.extend(paths.iter().copied().skip(*count)),
            DiffAct::Undo(path) => undone.extend(paths.iter().copied().filter(|known| known == path)),
            DiffAct::UndoUnder(pattern) => {
                let glob =
                    Pattern::new(pattern).ok().and_then(|pattern| Glob::compile(pattern, &mut steps).ok());
                let mut is_under = |path: &str| {
                    glob.as_ref().is_some_and(|glob| glob.matches(&Path::split(path), &mut steps) == Ok(true))
                };
                undone.extend(paths.iter().copied().filter(|path| is_under(path)));
            }
            DiffAct::Add(_) | DiffAct::Name => {}
        }
    }
    undone
}

/// A summary without some files, and with some others in the format that it has; in that of `--name-status` where lines
/// cannot be left out or added.
fn text<'a>(summary: &str, undone: &BTreeSet<&str>, added: impl Iterator<Item = &'a str>) -> String {
    let stays = |file: &FileLine<'_>| !file.paths().any(|path| undone.contains(&*normalize(path)));
    let mut text = String::new();
    if git::is_by_line(summary) {
        // Lines of totals go: they would not agree any more.
        let stays = |line: &&str| matches!(&*known(line), [file] if stays(file));
        summary.lines().filter(stays).for_each(|line| text.extend([line, "\n"]));
    } else {
        for file in known(summary).iter().filter(|file| stays(file)) {
            name_status::push(
                &mut text,
                file.change.unwrap_or(Change::Modified),
                &file.path,
                file.from.as_deref(),
            );
        }
    }
    for path in added {
        let with = |before: &&str| format!("{text}{before}{path}\n");
        let fits = |text: &String| matches!(git::parse(text), Reading::Files(_));
        let lined = LINES.iter().map(with).find(fits);
        text = lined.unwrap_or_else(|| format!("{text} M {path}\n"));
    }
    text
}

/// The files that a text names.
fn known(text: &str) -> Vec<FileLine<'_>> {
    match git::parse(text) {
        Reading::Files(files) => files,
        Reading::Opaque { .. } => Vec::new(),
    }
}
