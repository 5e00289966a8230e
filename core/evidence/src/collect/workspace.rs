//! The typed diff, from the outputs of git.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    format,
    string::String,
    vec::Vec,
};

use adjudicate_core::{
    document::Extra,
    evaluate::{
        Change, FileKind,
        git::{self, FileLine},
    },
    json,
    owned::{Diff, DiffFile},
};

use super::{
    bounds::{Budget, MAX_DIFF_BYTES, UncollectedList},
    observation::OwnedWorkspace,
};

/// The name of the diff in `evidence.uncollected`.
const WHAT: &str = "workspace diff";

/// A summary that is no format of git, so the engine reads it as changes of unknown files.
const OPAQUE: &str = "the changed files are unknown";

/// The most unmerged paths that the reason lists.
const MAX_LISTED_PATHS: usize = 5;

/// The diff summary and the typed diff. Exactly one of them has the changes: the typed diff replaces an empty summary.
pub(super) fn changes(
    workspace: &OwnedWorkspace,
    uncollected: &mut UncollectedList,
) -> (String, Option<Diff>) {
    match diff(workspace, uncollected) {
        Ok(diff) => (String::new(), Some(diff)),
        Err(reason) => {
            uncollected.add(WHAT, &reason);
            (OPAQUE.into(), None)
        }
    }
}

fn diff(workspace: &OwnedWorkspace, uncollected: &mut UncollectedList) -> Result<Diff, String> {
    if let Some(reason) = &workspace.uncollected {
        return Err(reason.clone());
    }
    let raw = read(workspace.raw.as_deref(), "git diff --raw -z", git::raw)?;
    let status = read(workspace.status.as_deref(), "git status --porcelain=v2 -z", git::status)?;
    add_unmerged(&status, uncollected);
    let files = combine(raw, status, numbers(workspace, uncollected));
    let mut budget = Budget::new(usize::MAX, MAX_DIFF_BYTES);
    if !files.iter().all(|file| budget.take(json::write(file).len())) {
        return Err(format!(
            "{} changed paths are more than {MAX_DIFF_BYTES} bytes, the most that an envelope lists",
            files.len()
        ));
    }
    Ok(Diff { files, extra: Extra::new() })
}

/// A reader of one output of git.
type Parse<'a> = fn(&'a str) -> Option<Vec<FileLine<'a>>>;

fn read<'a>(text: Option<&'a str>, command: &str, parse: Parse<'a>) -> Result<Vec<FileLine<'a>>, String> {
    let text = text.ok_or_else(|| format!("there is no output of `{command}`"))?;
    parse(text).ok_or_else(|| format!("the output of `{command}` was cut or is not known"))
}

/// Returns the numbers of lines by path.
fn numbers<'a>(
    workspace: &'a OwnedWorkspace,
    uncollected: &mut UncollectedList,
) -> BTreeMap<String, (u64, u64)> {
    let Some(text) = workspace.numstat.as_deref() else { return BTreeMap::new() };
    match read(Some(text), "git diff --numstat -z", git::numstat as Parse<'a>) {
        Ok(files) => {
            let mut numbers = BTreeMap::new();
            for (path, lines) in files.into_iter().filter_map(|file| Some((file.path, file.lines?))) {
                numbers.entry(path.into_owned()).or_insert(lines);
            }
            numbers
        }
        Err(reason) => {
            uncollected.add("numbers of changed lines", &reason);
            BTreeMap::new()
        }
    }
}

/// A conflict hides the change of a path, because git lists it as one change, whatever the sides did.
fn add_unmerged(status: &[FileLine<'_>], uncollected: &mut UncollectedList) {
    let paths: Vec<_> = status.iter().filter(|file| file.is_unmerged).map(|file| &*file.path).collect();
    if !paths.is_empty() {
        let listed: Vec<_> = paths.iter().take(MAX_LISTED_PATHS).map(|path| format!("`{path}`")).collect();
        let reason = format!("{} paths are in conflict: {}", paths.len(), listed.join(", "));
        uncollected.add("unmerged paths", &reason);
    }
}

/// Combines the changes since the base with those of the status. The status adds untracked files, and changes of the index or of the
/// working tree that cancel each other out in the diff.
fn combine(
    raw: Vec<FileLine<'_>>,
    status: Vec<FileLine<'_>>,
    mut numbers: BTreeMap<String, (u64, u64)>,
) -> Vec<DiffFile> {
    let since_base = raw.into_iter().map(|line| (line, false));
    let of_status = status.into_iter().map(|line| (line, true));
    let mut known = BTreeSet::new();
    let mut present = BTreeSet::new();
    let mut files = Vec::new();
    for (line, is_status) in since_base.chain(of_status) {
        // The numbers of a path are those of its first change.
        let lines = numbers.remove(&*line.path);
        let file = changed_file(line, lines);
        if is_status && present.contains(&file.path) || !known.insert((file.path.clone(), file.change)) {
            continue;
        }
        if file.change != Change::Deleted {
            present.insert(file.path.clone());
        }
        files.push(file);
    }
    files
}

fn changed_file(line: FileLine<'_>, lines: Option<(u64, u64)>) -> DiffFile {
    let from = line.from.map(alloc::borrow::Cow::into_owned);
    let change = match line.change {
        Some(Change::Renamed) if from.is_none() => Change::Modified,
        Some(change) => change,
        None => Change::Modified,
    };
    DiffFile {
        from,
        kind: line.is_directory.then_some(FileKind::Directory),
        insertions: lines.map(|lines| lines.0),
        deletions: lines.map(|lines| lines.1),
        ..DiffFile::new(line.path, change)
    }
}
