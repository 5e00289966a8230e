//! The index: what git takes for unchanged.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{command::Git, names::listed};

/// The entries of the whole index, each with a letter for its state.
const INDEX: [&str; 6] = ["ls-files", "-v", "-z", "--recurse-submodules", "--", ":/"];

/// Writes a copy of the index without the times and sizes of files, so that git reads every file. An agent can set a file to the time and
/// size that the index has.
///
/// Marks of files are left out, except those of absent files: a sparse checkout leaves them out.
pub(super) fn fresh(root: &Path, place: &Path) -> Result<PathBuf, String> {
    let git = Git::new(root);
    let entries = git.call(&["ls-files", "--stage", "-z"])?;
    let marks = git.call(&["ls-files", "-v", "-z"])?;
    let path = place.join("index");
    let git = git.with_index(path.clone());
    git.call_with(&["update-index", "-z", "--index-info"], entries)?;
    let absent = marks.split(|byte| *byte == 0).filter_map(|entry| entry.strip_prefix(b"S "));
    let absent = absent.filter(|name| !exists(root, name)).flat_map(|name| [name, &[0]].concat());
    git.call_with(&["update-index", "-z", "--skip-worktree", "--stdin"], absent.collect())?;
    git.call(&["update-index", "-q", "--refresh"])?;
    Ok(path)
}

/// Returns why git does not look for changes of tracked files: they are marked assume-unchanged or skip-worktree, or their submodule
/// has no repository of its own.
pub(super) fn unwatched(root: &Path) -> Result<Vec<String>, String> {
    let index = Git::new(root).call(&INDEX)?;
    let marked = index.split(|byte| *byte == 0).filter_map(|entry| match entry {
        // A sparse checkout marks files that it leaves out.
        [b'S', b' ', name @ ..] => exists(root, name).then_some(name),
        [b'a'..=b'z', b' ', name @ ..] => Some(name),
        _ => None,
    });
    let mut hollow = Vec::new();
    hollow_submodules(root, &mut Vec::new(), &mut hollow)?;
    let marked = listed(marked.collect(), "are marked assume-unchanged or skip-worktree");
    let hollow = listed(
        hollow.iter().map(Vec::as_slice).collect(),
        "are submodules with files and without a repository of their own",
    );
    Ok(marked.into_iter().chain(hollow).collect())
}

/// Adds the submodules below a folder that have files but no repository of their own. Git takes them for absent.
fn hollow_submodules(root: &Path, folder: &mut Vec<u8>, hollow: &mut Vec<Vec<u8>>) -> Result<(), String> {
    let place = |folder: &[u8]| root.join(&*String::from_utf8_lossy(folder));
    let index = Git::new(&place(folder)).call(&["ls-files", "--stage", "-z"])?;
    for entry in index.split(|byte| *byte == 0).filter(|entry| entry.starts_with(b"160000 ")) {
        let length = folder.len();
        folder.extend(entry.splitn(2, |byte| *byte == b'\t').nth(1).unwrap_or_default());
        let path = place(folder);
        let has_files = match fs::read_dir(&path) {
            Ok(mut entries) => entries.next().is_some(),
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        };
        if has_files {
            if Git::new(&path).line(&["rev-parse", "--show-cdup"]).is_ok_and(|above| above.is_empty()) {
                folder.push(b'/');
                hollow_submodules(root, folder, hollow)?;
            } else {
                hollow.push(folder.clone());
            }
        }
        folder.truncate(length);
    }
    Ok(())
}

/// Returns true unless it is known that a file does not exist.
fn exists(root: &Path, name: &[u8]) -> bool {
    let found = str::from_utf8(name).map(|name| root.join(name).symlink_metadata());
    !matches!(found, Ok(Err(error)) if error.kind() == io::ErrorKind::NotFound)
}
