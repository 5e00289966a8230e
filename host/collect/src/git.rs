//! The changes of the workspace, as git lists them.

mod command;
mod ignored;
mod index;
mod names;
mod tree;
mod unseen;
mod worktree;

use std::path::Path;

use adjudicate_evidence::collect::{OwnedMissingEvidence, OwnedWorkspace};

use crate::system::System;
use command::Git;
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

/// Returns the outputs of git. `index` is a fresh index, if there is one. `missing` receives names that are not UTF-8.
pub(crate) async fn workspace(
    system: &System,
    root: &Path,
    base: &str,
    index: Option<&Path>,
    missing: &mut Vec<OwnedMissingEvidence>,
) -> OwnedWorkspace {
    let mut workspace = OwnedWorkspace { base: Some(base.to_owned()), ..OwnedWorkspace::default() };
    // The setting `core.worktree` makes git look at another folder.
    let reason = match Git::new(system, root).line(&["rev-parse", "--is-inside-work-tree", "--show-cdup"]).await {
        Ok(answer) if answer == "true" => None,
        Ok(answer) if answer.starts_with("true") => Some(
            "git compares a folder around the root: keep the configuration in the top folder of the repository".into(),
        ),
        Ok(_) => Some("git compares another folder than the root: unset `core.worktree`".into()),
        Err(reason) => Some(reason),
    };
    if reason.is_some() {
        workspace.uncollected = reason;
        return workspace;
    }
    let mut is_utf8 = true;
    let mut text = |bytes: Vec<u8>| {
        String::from_utf8(bytes).unwrap_or_else(|error| {
            is_utf8 = false;
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        })
    };
    let outputs = Outputs::read(system, root, base, index).await;
    // Without a status, the whole diff is missing.
    let unseen = match &outputs {
        Ok(outputs) => unseen::unseen(system, root, &outputs.status).await,
        Err(_) => Ok(None),
    };
    match outputs {
        Ok(Outputs { raw, numstat, status }) => {
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
    for reasons in [index::unwatched(system, root).await, unseen.map(|reason| reason.into_iter().collect())] {
        let reasons = reasons.unwrap_or_else(|reason| vec![reason]);
        missing.extend(reasons.into_iter().map(|reason| self::missing(UNCOMPARED, reason)));
    }
    workspace.head = commit(system, root, None).await.ok();
    workspace
}

/// The outputs of git.
struct Outputs {
    raw: Vec<u8>,
    numstat: Result<Vec<u8>, String>,
    status: ignored::Status,
}

impl Outputs {
    async fn read(system: &System, root: &Path, base: &str, index: Option<&Path>) -> Result<Self, String> {
        let index = match index {
            Some(index) => index.to_owned(),
            None => index::fresh(system, root, &system.temporary_folder().await?).await?,
        };
        let git = Git::new(system, root).with(mode_settings(system, root).await).with_index(index);
        let diff = |format| [&DIFF[..], &[format, base, "--"]].concat();
        let raw = git.call(&diff("--raw")).await?;
        let numstat = git.call(&diff("--numstat")).await;
        let status = git.call(&STATUS).await?;
        Ok(Self { raw, numstat, status: ignored::sort(system, root, base, &status).await? })
    }
}

/// Returns an item of the evidence that is missing.
pub(crate) fn missing(what: &str, reason: String) -> OwnedMissingEvidence {
    OwnedMissingEvidence { what: what.to_owned(), reason, extra: Default::default() }
}

/// Returns the options of git for execute bits. Git must not compare them if the repository says that the file system keeps none, and it
/// keeps none.
async fn mode_settings(system: &System, root: &Path) -> Vec<String> {
    let configured = ["config", "--local", "--type=bool", "--get", "core.fileMode"];
    let configured = Git::new(system, root).line(&configured).await;
    match configured.as_deref() == Ok("false") && !system.keeps_modes(root).await {
        true => vec!["-c".into(), "core.fileMode=false".into()],
        false => Vec::new(),
    }
}
