//! The id of the working tree: of the files that validators see and that are judged (docs/reference/collect.md).

use std::{collections::BTreeSet, path::Path};

use adjudicate_core::{
    Steps, json,
    paths::{Glob, Path as GlobPath, Pattern},
};

use super::{
    STATUS,
    command::Git,
    ignored::{self, BaseRules},
    index::Index,
};
use crate::system::System;

/// The most files that are listed by name.
const MAX_NAMES: usize = 20;

/// The most bytes of names in the state. Files beyond it are a part of the next tree, as others are.
const MAX_CREATED_BYTES: usize = 1 << 20;

/// The trees of one collection. They have an index and objects of their own, so the repository stays as it is.
pub(crate) struct Trees<'a> {
    git: Git<'a>,
    rules: BaseRules<'a>,
    /// The files that validators may create.
    ignore: Vec<Glob>,
    /// The files that validators created in this run or an earlier one.
    created: BTreeSet<Vec<u8>>,
    /// Git with the index without untracked files.
    unchanged: Git<'a>,
    /// The status before the first tree, until that is taken.
    first: Option<Vec<u8>>,
    /// The latest tree.
    latest: Option<String>,
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
        let known = ["rev-parse", "--path-format=absolute", "--git-path", "objects"];
        let (listed, known) = Index::read_and(&Git::new(system, root), &known).await;
        let (known, listed) = (known?, listed?);
        if known.contains('\n') {
            return Err("the path of the repository has a line break".into());
        }
        let settings = super::mode_settings(system, root).await;
        let git = Git::new(system, root).with(settings.clone());
        let index = listed.write_fresh(system, root, &place).await?;
        let git = git.with_index(index.clone()).with_objects(objects, known.into());
        let first = Some(listed.first_status(&git).await?);
        let unchanged = place.join("unchanged");
        let copied = match system.read(&index, u64::MAX).await {
            Ok(content) => system.write(&unchanged, content).await,
            Err(error) => Err(error),
        };
        copied.map_err(|error| format!("the index cannot be copied: {error}"))?;
        let unchanged = Git::new(system, root).with(settings).with_index(unchanged);
        let mut steps = Steps::for_patterns();
        let mut compile = |text: &String| {
            let pattern = Pattern::new(text).map_err(str::to_owned)?;
            Glob::compile(pattern, &mut steps).map_err(|error| error.to_string())
        };
        let ignore: Result<_, String> = ignore.iter().map(&mut compile).collect();
        let ignore = ignore.map_err(|reason| format!("`tree_ignore` cannot be read: {reason}"))?;
        let created = created.iter().map(|name| name.clone().into_bytes()).collect();
        let rules = BaseRules::new(system, root, base);
        Ok(Self { git, rules, ignore, created, unchanged, first, latest: None })
    }

    /// Returns the object id of the tree as it is now, without the files that validators may create and did create.
    ///
    /// # Errors
    ///
    /// The message of git. A submodule with changes of its own has no object id.
    pub(crate) async fn take(&mut self) -> Result<String, String> {
        // After a failure, no tree is the latest one.
        let latest = self.latest.take();
        let status = match self.first.take() {
            Some(status) => status,
            None => self.git.call(&STATUS).await?,
        };
        let sorted = ignored::sort(&self.rules, &status).await?.entries;
        let mut entries = sorted.split(|byte| *byte == 0).filter(|entry| !entry.is_empty());
        let mut added = Vec::new();
        let mut has_changed_files = false;
        while let Some(entry) = entries.next() {
            if is_changed_submodule(entry) {
                return Err("a submodule has changes that are not committed".into());
            }
            match entry {
                [b'?', b' ', name @ ..] => {
                    // The index has the untracked files of the first tree, so later ones are new.
                    if self.is_ignored(name) && (latest.is_some() || self.created.contains(name)) {
                        self.created.insert(name.to_vec());
                    } else {
                        added.extend([name, &[0][..]].concat());
                    }
                }
                [kind @ (b'1' | b'2' | b'u'), b' ', _, changed, ..] => {
                    // With `.`, the file is as in the index.
                    has_changed_files |= *changed != b'.' || *kind == b'u';
                    // The old name of a renamed file is an entry of its own.
                    if *kind == b'2' {
                        entries.next();
                    }
                }
                _ => return Err("git lists an unknown kind of change".into()),
            }
        }
        if has_changed_files {
            self.git.call(&["add", "--update"]).await?;
        }
        let has_added = !added.is_empty();
        if has_added {
            let add = ["add", "--force", "--pathspec-from-file=-", "--pathspec-file-nul"];
            self.git.clone().with(["--literal-pathspecs".into()]).call_with(&add, added).await?;
        }
        let tree = match latest {
            Some(latest) if !has_changed_files && !has_added => latest,
            _ => self.git.line(&["write-tree"]).await?,
        };
        self.latest = Some(tree.clone());
        Ok(tree)
    }

    /// Git with the index of the repository, with the times and sizes of files as they were before the first validator.
    pub(super) fn unchanged(&self) -> Git<'a> {
        self.unchanged.clone()
    }

    /// Git with the index of the latest tree, which has the untracked files, too.
    pub(super) fn git(&self) -> Git<'a> {
        self.git.clone()
    }

    /// The object id of the latest tree, if one was taken.
    pub(super) fn latest(&self) -> Option<&str> {
        self.latest.as_deref()
    }

    /// Returns the tree as [`Self::take`] does; `None` if git converts files, so the tree is not that of their bytes.
    ///
    /// # Errors
    ///
    /// Those of [`Self::take`].
    #[cfg(not(target_os = "unknown"))]
    pub(crate) async fn take_exact(&mut self) -> Result<Option<String>, String> {
        let tree = self.take().await?;
        Ok(super::index::converted(&self.git).await?.is_empty().then_some(tree))
    }

    pub(super) const fn rules(&self) -> &BaseRules<'a> {
        &self.rules
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
