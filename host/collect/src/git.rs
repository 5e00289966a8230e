//! The changes of the workspace, as git lists them.

mod command;
mod ignored;
mod index;
mod tree;
mod unseen;
mod worktree;

use std::{collections::BTreeSet, path::Path};

use adjudicate_evidence::collect::{OwnedMissingEvidence, OwnedWorkspace};

use crate::system::System;
use command::Git;
use ignored::{BaseRules, Status};
use index::Index;
pub(crate) use tree::Trees;
pub(crate) use worktree::BaseTree;

const DIFF: [&str; 9] = [
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
    "--no-color",
    "--ignore-submodules=none",
    "--no-abbrev",
    "-M",
    "-z",
];

const STATUS: [&str; 7] = [
    "status",
    "--porcelain=v2",
    "-z",
    "--untracked-files=all",
    "--ignored=matching",
    "--renames",
    "--ignore-submodules=none",
];

const PLACES: [&str; 3] = ["rev-parse", "--is-inside-work-tree", "--show-cdup"];

/// The name of the evidence that is missing if git does not look at a file.
const UNCOMPARED: &str = "files that git does not compare";

/// Returns the commit of a revision. Without a revision, it is `HEAD`, or the empty tree before the first commit.
///
/// # Errors
///
/// The message of git.
pub(crate) async fn commit(system: &System, root: &Path, revision: Option<&str>) -> Result<String, String> {
    let git = Git::new(system, root);
    let name = format!("{}^{{commit}}", revision.unwrap_or("HEAD"));
    let found = git.line(&["rev-parse", "--verify", "--end-of-options", &name]).await;
    match (found, revision) {
        (Ok(commit), _) => Ok(commit),
        (Err(reason), Some(revision)) => Err(format!("git does not know the commit `{revision}`: {reason}")),
        (Err(_), None) => {
            // Outside of a repository, this fails, too.
            git.line(&["rev-parse", "--git-dir"]).await?;
            git.line(&["hash-object", "-t", "tree", "--stdin"]).await
        }
    }
}

/// Returns those of the names in a folder that a commit has.
#[cfg(not(target_os = "unknown"))]
pub(crate) async fn listed(
    system: &System,
    folder: &Path,
    commit: &str,
    names: &[&str],
) -> Result<Vec<String>, String> {
    let arguments = [&["ls-tree", "-z", "--name-only", commit, "--"], names].concat();
    let listed = Git::new(system, folder).call(&arguments).await?;
    let names = listed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    Ok(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

/// Returns the content that a file has in a commit, without filters. The path counts from the folder.
#[cfg(not(target_os = "unknown"))]
pub(crate) async fn file(
    system: &System,
    folder: &Path,
    commit: &str,
    path: &str,
) -> Result<Vec<u8>, String> {
    Git::new(system, folder).call(&["cat-file", "blob", &format!("{commit}:./{path}")]).await
}

/// Returns the outputs of git. `trees` has a fresh index, if there is one. `missing` receives names that are not UTF-8.
pub(crate) async fn workspace(
    system: &System,
    root: &Path,
    base: &str,
    trees: Option<&Trees<'_>>,
    missing: &mut Vec<OwnedMissingEvidence>,
) -> OwnedWorkspace {
    let mut workspace = OwnedWorkspace { base: Some(base.to_owned()), ..OwnedWorkspace::default() };
    let git = Git::new(system, root);
    let (index, answer) =
        Index::read_and(&git, &[&PLACES[..], &["--revs-only", "HEAD^{commit}"]].concat()).await;
    match head(&git, answer).await {
        Ok(head) => workspace.head = head,
        Err(reason) => {
            workspace.uncollected = Some(reason);
            return workspace;
        }
    }
    let mut is_utf8 = true;
    let mut text = |bytes: Vec<u8>| {
        String::from_utf8(bytes).unwrap_or_else(|error| {
            is_utf8 = false;
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        })
    };
    let Outputs { changes, unwatched, unseen } = Outputs::read(system, root, base, trees, index).await;
    match changes {
        Ok((Diff { raw, numstat }, status)) => {
            workspace.raw = Some(text(raw));
            workspace.numstat = numstat
                .map(&mut text)
                .map_err(|reason| missing.push(self::missing("numbers of changed lines", reason)))
                .ok();
            workspace.status = Some(text(status.entries));
        }
        Err(reason) => workspace.uncollected = Some(reason),
    }
    if !is_utf8 {
        missing.push(self::missing("names of changed files", "a name is not UTF-8".into()));
    }
    for reasons in [unwatched, unseen.map(|reason| reason.into_iter().collect())] {
        let reasons = reasons.unwrap_or_else(|reason| vec![reason]);
        missing.extend(reasons.into_iter().map(|reason| self::missing(UNCOMPARED, reason)));
    }
    workspace
}

/// Returns the commit of `HEAD`, if the answer for its places has one. It is an error if git compares another folder than the root.
async fn head(git: &Git<'_>, answer: Result<String, String>) -> Result<Option<String>, String> {
    let answer = match answer {
        Ok(answer) => answer,
        // For example, `HEAD` is also the name of a branch.
        Err(_) => git.line(&PLACES).await?,
    };
    let mut lines = answer.lines();
    // The setting `core.worktree` makes git look at another folder.
    match (lines.next(), lines.next()) {
        (Some("true"), None | Some("")) => Ok(lines.next().map(ToOwned::to_owned)),
        (Some("true"), Some(_)) => Err(
            "git compares a folder around the root: keep the configuration in the top folder of the repository".into(),
        ),
        _ => Err("git compares another folder than the root: unset `core.worktree`".into()),
    }
}

/// The outputs of git, and the reasons why it does not see files.
struct Outputs {
    changes: Result<(Diff, Status), String>,
    unwatched: Result<Vec<String>, String>,
    unseen: Result<Option<String>, String>,
}

impl Outputs {
    async fn read(
        system: &System,
        root: &Path,
        base: &str,
        trees: Option<&Trees<'_>>,
        index: Result<Index, String>,
    ) -> Self {
        let index = match index {
            Ok(index) => index,
            Err(reason) => {
                return Self { changes: Err(reason.clone()), unwatched: Err(reason), unseen: Ok(None) };
            }
        };
        let changes = match trees {
            Some(trees) => Self::compare(trees, base).await,
            None => Self::compare_fresh(system, root, base, &index).await,
        };
        let unseen = match &changes {
            Ok((_, status)) => unseen::unseen(system, root, &index, status).await,
            // Without a status, the whole diff is missing.
            Err(_) => Ok(None),
        };
        let git = trees.map_or_else(|| Git::new(system, root), Trees::git);
        Self { changes, unwatched: index.unwatched(system, root, &git).await, unseen }
    }

    /// Compares the files with the base and the index. Diff and status are independent, so they are made at once.
    async fn compare(trees: &Trees<'_>, base: &str) -> Result<(Diff, Status), String> {
        let git = trees.unchanged();
        let [diff, status] = git.call_both(&Diff::arguments(&["--raw", "--numstat"], base), &STATUS).await;
        let mut diff = Diff::read(&git, base, diff).await?;
        let status = ignored::sort(trees.rules(), &status?).await?;
        diff.add_untracked(trees, base, &status).await;
        Ok((diff, status))
    }

    /// The same by a fresh index, which is not there yet.
    async fn compare_fresh(
        system: &System,
        root: &Path,
        base: &str,
        index: &Index,
    ) -> Result<(Diff, Status), String> {
        let fresh = index.write_fresh(system, root, &system.temporary_folder().await?).await?;
        let git = Git::new(system, root).with(mode_settings(system, root).await).with_index(fresh);
        let status = index.first_status(&git).await?;
        let diff = git.call(&Diff::arguments(&["--raw", "--numstat"], base)).await;
        let rules = BaseRules::new(system, root, base);
        Ok((Diff::read(&git, base, diff).await?, ignored::sort(&rules, &status).await?))
    }
}

/// The changes since the base.
struct Diff {
    raw: Vec<u8>,
    numstat: Result<Vec<u8>, String>,
}

impl Diff {
    fn arguments<'a>(formats: &[&'a str], base: &'a str) -> Vec<&'a str> {
        [&DIFF[..], formats, &[base, "--"]].concat()
    }

    /// Reads an output with both formats.
    async fn read(git: &Git<'_>, base: &str, output: Result<Vec<u8>, String>) -> Result<Self, String> {
        if let Ok(output) = output {
            return Ok(Self::split(&output));
        }
        // The numbers may fail alone, for example by a filter.
        let raw = git.call(&Self::arguments(&["--raw"], base)).await?;
        Ok(Self { raw, numstat: git.call(&Self::arguments(&["--numstat"], base)).await })
    }

    /// Adds the numbers of untracked files, which the latest tree has.
    async fn add_untracked(&mut self, trees: &Trees<'_>, base: &str, status: &Status) {
        let untracked = status.entries.split(|byte| *byte == 0).filter_map(|entry| entry.strip_prefix(b"? "));
        let untracked: BTreeSet<&[u8]> = untracked.collect();
        let (Ok(numstat), Some(tree)) = (&mut self.numstat, trees.latest()) else { return };
        if untracked.is_empty() {
            return;
        }
        let numbers =
            ["diff-tree", "-r", "-z", "--numstat", "--no-renames", "--no-textconv", base, tree, "--"];
        match trees.git().call(&numbers).await {
            Ok(numbers) => {
                let lines = numbers.split_inclusive(|byte| *byte == 0).filter(|line| {
                    let name = line
                        .splitn(3, |byte| *byte == b'\t')
                        .nth(2)
                        .and_then(|name| name.strip_suffix(b"\0"));
                    name.is_some_and(|name| untracked.contains(name))
                });
                numstat.extend(lines.flatten());
            }
            Err(reason) => self.numstat = Err(reason),
        }
    }

    /// Splits an output with both formats. The numbers follow the last `:MODE MODE ID ID STATUS NUL NAME NUL`.
    fn split(output: &[u8]) -> Self {
        let mut tokens = output.split_inclusive(|byte| *byte == 0);
        let mut length = 0;
        while let Some(header) = tokens.next().filter(|token| token.starts_with(b":")) {
            let status = header.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
            let names = if matches!(status, [b'R' | b'C', ..]) { 2 } else { 1 };
            length += header.len() + tokens.by_ref().take(names).map(<[u8]>::len).sum::<usize>();
        }
        let (raw, numstat) = output.split_at_checked(length).unwrap_or((output, &[]));
        Self { raw: raw.to_vec(), numstat: Ok(numstat.to_vec()) }
    }
}

/// Returns an item of the evidence that is missing.
pub(crate) fn missing(what: &str, reason: String) -> OwnedMissingEvidence {
    OwnedMissingEvidence { what: what.to_owned(), reason, extra: Default::default() }
}

/// Returns the options of git for execute bits and symbolic links. Git must not compare them if the repository says that the file system
/// keeps none, and it keeps no execute bits.
async fn mode_settings(system: &System, root: &Path) -> Vec<String> {
    let configured = ["config", "--local", "--type=bool", "--get-regexp", r"^core\.(filemode|symlinks)$"];
    let configured = Git::new(system, root).line(&configured).await.unwrap_or_default();
    let last = |name: &str| configured.lines().rev().find_map(|line| line.strip_prefix(name));
    let absent = ["core.filemode", "core.symlinks"].into_iter().filter(|name| last(name) == Some(" false"));
    let absent: Vec<_> = absent.flat_map(|name| ["-c".to_owned(), format!("{name}=false")]).collect();
    match !absent.is_empty() && !system.keeps_modes(root).await {
        true => absent,
        false => Vec::new(),
    }
}
