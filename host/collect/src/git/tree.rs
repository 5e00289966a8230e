//! The id of the working tree: of the files that validators see and that are judged (docs/reference/collect.md).

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use adjudicate_core::{
    Steps, json,
    paths::{Glob, Path as GlobPath, Pattern},
};

use super::{STATUS, command::Git, ignored, index};
use crate::system::System;

/// The most files that are listed by name.
const MAX_NAMES: usize = 20;

/// The most bytes of names in the state. Files beyond it are a part of the next tree, as others are.
const MAX_CREATED_BYTES: usize = 1 << 20;

/// The trees of one collection. They have an index and objects of their own, so the repository stays as it is.
pub(crate) struct Trees<'a> {
    system: &'a System,
    root: &'a Path,
    base: &'a str,
    git: Git<'a>,
    /// The files that validators may create.
    ignore: Vec<Glob>,
    /// The files that validators created in this run or an earlier one.
    created: BTreeSet<Vec<u8>>,
    /// The index without untracked files.
    unchanged: PathBuf,
    has_first: bool,
    /// The latest status, with its untracked files.
    status: (Vec<u8>, Vec<Vec<u8>>),
}

impl<'a> Trees<'a> {
    /// Prepares the trees. `ignore` has patterns of files that validators may create, and `created` those that they created before.
    ///
    /// # Errors
    ///
    /// The message of git.
    pub(crate) async fn new(
        system: &'a System,
        root: &'a Path,
        base: &'a str,
        ignore: &[String],
        created: &[String],
    ) -> Result<Self, String> {
        let place = system.temporary_folder().await?;
        let objects = system.temporary_folder().await?;
        let objects_of_git = ["rev-parse", "--path-format=absolute", "--git-path", "objects"];
        let known = Git::new(system, root).line(&objects_of_git).await?;
        let git = Git::new(system, root).with(super::mode_settings(system, root).await);
        let git = git.with(["--literal-pathspecs".into()]);
        let index = index::fresh(system, root, &place).await?;
        let unchanged = place.join("unchanged");
        let copied = match system.read(&index, u64::MAX).await {
            Ok(content) => system.write(&unchanged, content).await,
            Err(error) => Err(error),
        };
        copied.map_err(|error| format!("the index cannot be copied: {error}"))?;
        let git = git.with_index(index).with_objects(objects, known.into());
        let mut steps = Steps::for_patterns();
        let mut compile = |text: &String| {
            let pattern = Pattern::new(text).map_err(str::to_owned)?;
            Glob::compile(pattern, &mut steps).map_err(|error| error.to_string())
        };
        let ignore: Result<_, String> = ignore.iter().map(&mut compile).collect();
        let ignore = ignore.map_err(|reason| format!("`tree_ignore` cannot be read: {reason}"))?;
        let created = created.iter().map(|name| name.clone().into_bytes()).collect();
        let status = Default::default();
        Ok(Self { system, root, base, git, ignore, created, unchanged, has_first: false, status })
    }

    /// Returns the object id of the tree as it is now, without the files that validators may create and did create.
    ///
    /// # Errors
    ///
    /// The message of git. A submodule with changes of its own has no object id.
    pub(crate) async fn take(&mut self) -> Result<String, String> {
        self.git.call(&["add", "--update"]).await?;
        let status = self.git.call(&STATUS).await?;
        if status.split(|byte| *byte == 0).any(is_changed_submodule) {
            return Err("a submodule has changes that are not committed".into());
        }
        if self.status.0 != status {
            let sorted = ignored::sort(self.system, self.root, self.base, &status).await?.entries;
            let names = sorted.split(|byte| *byte == 0).filter_map(|entry| entry.strip_prefix(b"? "));
            self.status = (status, names.map(<[u8]>::to_vec).collect());
        }
        let mut added = Vec::new();
        for name in &self.status.1 {
            // The index has the untracked files of the first tree, so later ones are new.
            if self.is_ignored(name) && (self.has_first || self.created.contains(name)) {
                self.created.insert(name.clone());
            } else {
                added.extend([name, &[0][..]].concat());
            }
        }
        if !added.is_empty() {
            let add = ["add", "--force", "--pathspec-from-file=-", "--pathspec-file-nul"];
            self.git.call_with(&add, added).await?;
        }
        self.has_first = true;
        self.git.line(&["write-tree"]).await
    }

    /// The index of the repository, with the times and sizes of files as they were before the first validator.
    pub(crate) fn index(&self) -> &Path {
        &self.unchanged
    }

    fn is_ignored(&self, name: &[u8]) -> bool {
        let name = String::from_utf8_lossy(name);
        let (path, mut steps) = (GlobPath::split(&name), Steps::default());
        self.ignore.iter().any(|glob| glob.matches(&path, &mut steps).unwrap_or(false))
    }

    /// Returns the files that validators created, as far as their names are UTF-8 and a state can list them.
    pub(crate) fn into_created(self) -> Vec<String> {
        let names = self.created.into_iter().filter_map(|name| String::from_utf8(name).ok());
        let mut left = MAX_CREATED_BYTES;
        let fits = |name: &String| {
            left = left.saturating_sub(json::write(name).len());
            left > 0
        };
        names.take_while(fits).collect()
    }

    /// Returns the files that differ between two trees. Of many, the last item is the number of those that are left out.
    ///
    /// # Errors
    ///
    /// The message of git.
    pub(crate) async fn names(&self, from: &str, to: &str) -> Result<Vec<String>, String> {
        let names =
            self.git.call(&["diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to]).await?;
        let names: Vec<_> = names.split(|byte| *byte == 0).filter(|name| !name.is_empty()).collect();
        let more = names.len().saturating_sub(MAX_NAMES);
        let names = names.into_iter().take(MAX_NAMES).map(|name| String::from_utf8_lossy(name).into_owned());
        Ok(names.chain((more > 0).then(|| format!("{more} more"))).collect())
    }
}

/// Returns true for the entry of a submodule with changed or untracked files: `1 .M S.MU ...`.
fn is_changed_submodule(entry: &[u8]) -> bool {
    let is_entry = matches!(entry, [b'1' | b'2' | b'u', b' ', ..]);
    let state = entry.split(|byte| *byte == b' ').nth(2).unwrap_or_default();
    is_entry && matches!(state, [b'S', _, changed, untracked] if *changed != b'.' || *untracked != b'.')
}
