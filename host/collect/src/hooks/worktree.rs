//! Linked worktrees: further working trees of one repository.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::place::resolved;
use crate::host::real_path;

/// Returns the folder that is `root` in another working tree of its repository, if a path leads into one. The path may be absent.
#[must_use]
pub fn other_worktree(root: &Path, path: &Path) -> Option<PathBuf> {
    let top = |folder: &Path| {
        let top = folder.ancestors().find(|folder| folder.join(".git").exists());
        top.map(Path::to_path_buf)
    };
    let root = resolved(root);
    let (own, other) = (top(&root)?, top(&resolved(path))?);
    let is_other = own != other && repository(&own)? == repository(&other)?;
    is_other.then(|| other.join(root.strip_prefix(&own).unwrap_or(Path::new(""))))
}

/// Returns the folder of the repository that all its working trees share.
fn repository(top: &Path) -> Option<PathBuf> {
    let own = top.join(".git");
    let own = match own.is_dir() {
        true => own,
        // The file of a linked worktree names a folder in the repository.
        false => top.join(fs::read_to_string(&own).ok()?.strip_prefix("gitdir:")?.trim()),
    };
    let common = fs::read_to_string(own.join("commondir")).unwrap_or_default();
    real_path(&own.join(common.trim())).ok()
}
