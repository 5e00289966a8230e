//! The changes of the workspace, as git lists them.

mod command;
mod ignored;
mod index;
mod names;
mod tree;
mod unseen;

use std::path::Path;

use adjudicate_evidence::collect::{OwnedMissingEvidence, OwnedWorkspace};

use command::Git;
pub(crate) use tree::Trees;

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
pub(crate) fn commit(root: &Path, revision: Option<&str>) -> Result<String, String> {
    let git = Git::new(root);
    let name = format!("{}^{{commit}}", revision.unwrap_or("HEAD"));
    let found = git.line(&["rev-parse", "--verify", "--end-of-options", &name]);
    match revision {
        Some(revision) => {
            found.map_err(|reason| format!("git does not know the commit `{revision}`: {reason}"))
        }
        // Outside of a repository, this fails, too.
        None => found.or_else(|_| {
            git.line(&["rev-parse", "--git-dir"])?;
            git.line(&["hash-object", "-t", "tree", "--stdin"])
        }),
    }
}

/// Returns the outputs of git. `index` is a fresh index, if there is one. `missing` receives names that are not UTF-8.
pub(crate) fn workspace(
    root: &Path,
    base: &str,
    index: Option<&Path>,
    missing: &mut Vec<OwnedMissingEvidence>,
) -> OwnedWorkspace {
    let mut workspace = OwnedWorkspace { base: Some(base.to_owned()), ..OwnedWorkspace::default() };
    // The setting `core.worktree` makes git look at another folder.
    let reason = match Git::new(root).line(&["rev-parse", "--is-inside-work-tree", "--show-cdup"]) {
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
    let outputs = Outputs::read(root, base, index);
    // Without a status, the whole diff is missing.
    let unseen = match &outputs {
        Ok(outputs) => unseen::unseen(root, &outputs.status),
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
    for reasons in [index::unwatched(root), unseen.map(|reason| reason.into_iter().collect())] {
        let reasons = reasons.unwrap_or_else(|reason| vec![reason]);
        missing.extend(reasons.into_iter().map(|reason| self::missing(UNCOMPARED, reason)));
    }
    workspace.head = commit(root, None).ok();
    workspace
}

/// The outputs of git.
struct Outputs {
    raw: Vec<u8>,
    numstat: Result<Vec<u8>, String>,
    status: ignored::Status,
}

impl Outputs {
    fn read(root: &Path, base: &str, index: Option<&Path>) -> Result<Self, String> {
        let place =
            tempfile::tempdir().map_err(|error| format!("no temporary folder can be made: {error}"))?;
        let index = match index {
            Some(index) => index.to_owned(),
            None => index::fresh(root, place.path())?,
        };
        let git = Git::new(root).with(mode_settings(root));
        let git = git.with_index(index);
        let diff = |format| git.call(&[&DIFF[..], &[format, base, "--"]].concat());
        Ok(Self {
            raw: diff("--raw")?,
            numstat: diff("--numstat"),
            status: ignored::sort(root, base, &git.call(&STATUS)?)?,
        })
    }
}

/// Returns an item of the evidence that is missing.
pub(crate) fn missing(what: &str, reason: String) -> OwnedMissingEvidence {
    OwnedMissingEvidence { what: what.to_owned(), reason, extra: Default::default() }
}

/// Returns the options of git for execute bits.
fn mode_settings(root: &Path) -> impl Iterator<Item = String> {
    let settings: &[&str] = if keeps_modes(root) { &[] } else { &["-c", "core.fileMode=false"] };
    settings.iter().map(ToString::to_string)
}

/// Returns false if git must not compare execute bits: the repository says that the file system keeps none, and it keeps none.
#[cfg(unix)]
fn keeps_modes(root: &Path) -> bool {
    use std::{
        fs::{self, File, Permissions},
        os::unix::fs::PermissionsExt,
        time::SystemTime,
    };

    let configured = Git::new(root).line(&["config", "--local", "--type=bool", "--get", "core.fileMode"]);
    if configured.as_deref() != Ok("false") {
        return true;
    }
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
    let path = root.join(format!(".adjudicate-mode-{now}"));
    let Ok(file) = File::create_new(&path) else { return true };
    // The open file has no name that another program could use.
    let _ = fs::remove_file(&path);
    [0o700, 0o600].into_iter().all(|mode| {
        let set = file.set_permissions(Permissions::from_mode(mode)).and_then(|()| file.metadata());
        set.is_ok_and(|found| found.permissions().mode() & 0o100 == mode & 0o100)
    })
}

#[cfg(not(unix))]
fn keeps_modes(_: &Path) -> bool {
    false
}
