//! The index: what git takes for unchanged.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::{command::Git, names::listed};
use crate::system::{System, bytes};

/// The entries of the whole index, each with a letter for its state.
const INDEX: [&str; 6] = ["ls-files", "-v", "-z", "--recurse-submodules", "--", ":/"];

/// Writes a copy of the index without the times and sizes of files, so that git reads every file. An agent can set a file to the time and
/// size that the index has.
///
/// Marks of files are left out, except those of absent files: a sparse checkout leaves them out.
pub(super) async fn fresh(system: &System, root: &Path, place: &Path) -> Result<PathBuf, String> {
    let git = Git::new(system, root);
    let entries = git.call(&["ls-files", "--stage", "-z"]).await?;
    let marks = git.call(&["ls-files", "-v", "-z"]).await?;
    let path = place.join("index");
    let git = git.with_index(path.clone());
    git.call_with(&["update-index", "-z", "--index-info"], entries).await?;
    let mut absent = Vec::new();
    for name in marks.split(|byte| *byte == 0).filter_map(|entry| entry.strip_prefix(b"S ")) {
        if !exists(system, root, name).await {
            absent.extend([name, &[0]].concat());
        }
    }
    git.call_with(&["update-index", "-z", "--skip-worktree", "--stdin"], absent).await?;
    git.call(&["update-index", "-q", "--refresh"]).await?;
    Ok(path)
}

/// Returns why git does not look for changes of tracked files: they are marked assume-unchanged or skip-worktree, or their submodule
/// has no repository of its own.
pub(super) async fn unwatched(system: &System, root: &Path) -> Result<Vec<String>, String> {
    let index = Git::new(system, root).call(&INDEX).await?;
    let mut marked = Vec::new();
    for entry in index.split(|byte| *byte == 0) {
        match entry {
            // A sparse checkout marks files that it leaves out.
            [b'S', b' ', name @ ..] if exists(system, root, name).await => marked.push(name),
            [b'a'..=b'z', b' ', name @ ..] => marked.push(name),
            _ => {}
        }
    }
    let mut hollow = Vec::new();
    hollow_submodules(system, root, &mut Vec::new(), &mut hollow).await?;
    let marked = listed(marked, "are marked assume-unchanged or skip-worktree");
    let hollow = listed(
        hollow.iter().map(Vec::as_slice).collect(),
        "are submodules with files and without a repository of their own",
    );
    Ok(marked.into_iter().chain(hollow).collect())
}

/// Adds the submodules below a folder that have files but no repository of their own. Git takes them for absent.
async fn hollow_submodules(
    system: &System,
    root: &Path,
    folder: &mut Vec<u8>,
    hollow: &mut Vec<Vec<u8>>,
) -> Result<(), String> {
    let place = |folder: &[u8]| root.join(&*String::from_utf8_lossy(folder));
    let index = Git::new(system, &place(folder)).call(&["ls-files", "--stage", "-z"]).await?;
    for entry in index.split(|byte| *byte == 0).filter(|entry| entry.starts_with(b"160000 ")) {
        let length = folder.len();
        folder.extend(entry.splitn(2, |byte| *byte == b'\t').nth(1).unwrap_or_default());
        let path = place(folder);
        let has_files = match system.folder(bytes(&path)).await {
            Ok(entries) => !entries.is_empty(),
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        };
        if has_files {
            let above = Git::new(system, &path).line(&["rev-parse", "--show-cdup"]).await;
            if above.is_ok_and(|above| above.is_empty()) {
                folder.push(b'/');
                Box::pin(hollow_submodules(system, root, folder, hollow)).await?;
            } else {
                hollow.push(folder.clone());
            }
        }
        folder.truncate(length);
    }
    Ok(())
}

/// Returns true unless it is known that a file does not exist.
async fn exists(system: &System, root: &Path, name: &[u8]) -> bool {
    let Ok(name) = str::from_utf8(name) else { return true };
    let found = system.about(&root.join(name), false).await;
    !matches!(found, Err(error) if error.kind() == io::ErrorKind::NotFound)
}
