//! The working tree of the base revision, in a temporary folder.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use adjudicate_core::json::{self, ReadLimits};

use super::{command::Git, mode_settings};
use crate::system::System;

/// The time limit of a checkout.
const CHECKOUT: Duration = Duration::from_secs(600);

/// A working tree of the base revision. [`remove`](Self::remove) ends it.
pub(crate) struct BaseTree<'a> {
    git: Git<'a>,
    /// The folder, without symbolic links.
    pub(crate) folder: PathBuf,
    /// The object id of its tree.
    pub(crate) tree: String,
}

impl<'a> BaseTree<'a> {
    /// Checks out a commit. The repository keeps its index and its branches.
    ///
    /// The caller has the lock of the root, so a tree of the same root is one that a killed process left behind. It is removed first.
    ///
    /// # Errors
    ///
    /// The message of git.
    pub(crate) async fn add(system: &'a System, root: &Path, base: &str) -> Result<Self, String> {
        let name = name(system, root).await?;
        let git = Git::new(system, root).with(mode_settings(system, root).await).with_limit(CHECKOUT);
        let tree =
            git.line(&["rev-parse", "--verify", "--end-of-options", &format!("{base}^{{tree}}")]).await?;
        for left in worktrees(&git).await?.iter().filter(|path| Path::new(path).ends_with(&name)) {
            git.call(&["worktree", "remove", "--force", "--force", left]).await?;
        }
        let place = system.temporary_folder().await?;
        let real = system.real_path(&place).await;
        let folder = real.map_err(|error| format!("the temporary folder is not found: {error}"))?.join(name);
        let path = folder.to_str().ok_or("the path of the temporary folder is not UTF-8")?;
        let added = git.call(&["worktree", "add", "--quiet", "--detach", path, base]).await.map(drop);
        let checkout = Self { git, folder, tree };
        match added {
            Ok(()) => Ok(checkout),
            Err(reason) => {
                // A checkout that failed may have left a part of itself, and git says why it failed.
                let _ = checkout.remove().await;
                Err(reason)
            }
        }
    }

    /// Removes the working tree, with all files in it.
    ///
    /// # Errors
    ///
    /// The message of git.
    pub(crate) async fn remove(self) -> Result<(), String> {
        let path = self.folder.to_string_lossy();
        self.git.call(&["worktree", "remove", "--force", "--force", &path]).await.map(drop)
    }
}

/// Returns the name of the folder of a root. Working trees of one repository can have several roots.
async fn name(system: &System, root: &Path) -> Result<String, String> {
    let real = system.real_path(root).await.map_err(|error| format!("the root is not found: {error}"))?;
    let text = json::write(&real.to_string_lossy().into_owned());
    let digest = json::read(text.as_bytes(), ReadLimits::DOCUMENT).map(|text| json::digest(text.root()));
    let digest = digest.map_err(|error| error.to_string())?;
    let digits: String = digest.chars().rev().take(16).collect();
    Ok(format!("adjudicate-base-{digits}"))
}

async fn worktrees(git: &Git<'_>) -> Result<Vec<String>, String> {
    let list = git.call(&["worktree", "list", "--porcelain"]).await?;
    let list = String::from_utf8_lossy(&list);
    Ok(list.lines().filter_map(|line| line.strip_prefix("worktree ")).map(str::to_owned).collect())
}
