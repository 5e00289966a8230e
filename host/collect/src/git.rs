//! The changes of the workspace, as git lists them: always with the same options, whatever the user configured.

use std::{
    env,
    io::{self, Read},
    path::Path,
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use adjudicate_evidence::collect::{OwnedMissingEvidence, OwnedWorkspace};

use crate::{group, process};

/// The time limit of one call of git.
const LIMIT: Duration = Duration::from_secs(60);

/// The most bytes of an output.
const MAX_BYTES: u64 = 64 << 20;

/// Settings that the configuration of the user would replace. The file system monitor would start a program of the configuration,
/// and the others could hide a change from git.
const SETTINGS: [&str; 12] = [
    "core.checkStat=default",
    "core.fileMode=true",
    "core.fsmonitor=false",
    "core.ignoreStat=false",
    "core.quotePath=true",
    "core.trustctime=true",
    "core.untrackedCache=false",
    "core.useReplaceRefs=false",
    "diff.ignoreSubmodules=none",
    "diff.relative=false",
    "status.relativePaths=false",
    "status.showUntrackedFiles=all",
];

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

const STATUS: [&str; 6] =
    ["status", "--porcelain=v2", "-z", "--untracked-files=all", "--renames", "--ignore-submodules=none"];

/// The entries of the whole index, each with a letter for its state.
const INDEX: [&str; 6] = ["ls-files", "-v", "-z", "--recurse-submodules", "--", ":/"];

/// The most paths that a reason lists.
const MAX_LISTED_PATHS: usize = 5;

/// Returns the commit of a revision. Without a revision, it is `HEAD`, or the empty tree before the first commit.
///
/// # Errors
///
/// The message of git.
pub(crate) fn commit(root: &Path, revision: Option<&str>) -> Result<String, String> {
    let name = format!("{}^{{commit}}", revision.unwrap_or("HEAD"));
    let found = line(root, &["rev-parse", "--verify", "--quiet", "--end-of-options", &name]);
    match revision {
        Some(revision) => found.map_err(|_| format!("git does not know the commit `{revision}`")),
        // Outside of a repository, this fails, too.
        None => found.or_else(|_| {
            line(root, &["rev-parse", "--git-dir"])?;
            line(root, &["hash-object", "-t", "tree", "--stdin"])
        }),
    }
}

fn line(root: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = call(root, &[], arguments)?;
    Ok(String::from_utf8_lossy(&output).trim().to_owned())
}

/// Returns the outputs of git. `missing` receives names that are not UTF-8.
pub(crate) fn workspace(root: &Path, base: &str, missing: &mut Vec<OwnedMissingEvidence>) -> OwnedWorkspace {
    let mut workspace = OwnedWorkspace { base: Some(base.to_owned()), ..OwnedWorkspace::default() };
    // The setting `core.worktree` makes git look at another folder.
    match line(root, &["rev-parse", "--is-inside-work-tree"]) {
        Ok(answer) if answer == "true" => {}
        Ok(_) => {
            workspace.uncollected =
                Some("git compares another folder than the root: unset `core.worktree`".into())
        }
        Err(reason) => workspace.uncollected = Some(reason),
    }
    if workspace.uncollected.is_some() {
        return workspace;
    }
    let settings: &[&str] = if keeps_modes(root) { &[] } else { &["-c", "core.fileMode=false"] };
    let mut is_utf8 = true;
    let mut read = |arguments: &[&str], format: Option<&str>| {
        let compared = format.map(|format| [format, base, "--"]);
        let arguments: Vec<&str> = arguments.iter().copied().chain(compared.into_iter().flatten()).collect();
        call(root, settings, &arguments).map(|bytes| {
            String::from_utf8(bytes).unwrap_or_else(|error| {
                is_utf8 = false;
                String::from_utf8_lossy(error.as_bytes()).into_owned()
            })
        })
    };
    let outputs = (read(&DIFF, Some("--raw")), read(&DIFF, Some("--numstat")), read(&STATUS, None));
    match outputs {
        (Ok(raw), numstat, Ok(status)) => {
            workspace.raw = Some(raw);
            workspace.numstat = numstat
                .map_err(|reason| missing.push(self::missing("numbers of changed lines", reason)))
                .ok();
            workspace.status = Some(status);
        }
        (Err(reason), _, _) | (_, _, Err(reason)) => workspace.uncollected = Some(reason),
    }
    if !is_utf8 {
        missing.push(self::missing("names of changed files", "a name is not UTF-8".into()));
    }
    match call(root, &[], &INDEX) {
        Ok(index) => missing.extend(unwatched(root, &index)),
        Err(reason) => missing.push(self::missing("files that git does not compare", reason)),
    }
    workspace.head = commit(root, None).ok();
    workspace
}

/// The tracked files whose changes git does not look for, because they are marked assume-unchanged or skip-worktree.
fn unwatched(root: &Path, index: &[u8]) -> Option<OwnedMissingEvidence> {
    let entries = index.split(|byte| *byte == 0);
    let marked = entries.filter_map(|entry| match entry {
        [state, b' ', name @ ..] if *state == b'S' || state.is_ascii_lowercase() => Some((*state, name)),
        _ => None,
    });
    // A sparse checkout marks files that it leaves out.
    let marked = marked.filter(|(state, name)| *state != b'S' || exists(root, name)).map(|(_, name)| name);
    let listed: Vec<_> =
        marked.clone().take(MAX_LISTED_PATHS).map(|name| format!("`{}`", name.escape_ascii())).collect();
    let reason = || {
        let (count, listed) = (marked.count(), listed.join(", "));
        format!("{listed}, {count} in all, are marked assume-unchanged or skip-worktree")
    };
    (!listed.is_empty()).then(|| missing("files that git does not compare", reason()))
}

/// Returns true unless it is known that a file does not exist.
fn exists(root: &Path, name: &[u8]) -> bool {
    let found = str::from_utf8(name).map(|name| root.join(name).symlink_metadata());
    !matches!(found, Ok(Err(error)) if error.kind() == io::ErrorKind::NotFound)
}

/// Returns an item of the evidence that is missing.
pub(crate) fn missing(what: &str, reason: String) -> OwnedMissingEvidence {
    OwnedMissingEvidence { what: what.to_owned(), reason, extra: Default::default() }
}

/// Calls git with further settings and returns its output.
fn call(root: &Path, settings: &[&str], arguments: &[&str]) -> Result<Vec<u8>, String> {
    let name = arguments.first().copied().unwrap_or_default();
    let failed = |error: io::Error| format!("`git {name}` cannot run: {error}");
    let mut command = Command::new("git");
    command.args(["--no-optional-locks", "--no-pager"]);
    command.args(SETTINGS.iter().flat_map(|setting| ["-c", setting]));
    command.args(settings).args(arguments).current_dir(root);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A hook of git, for example, inherits variables that name another repository or index.
    for (variable, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
        command.env_remove(variable);
    }
    command.env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0");
    group::in_group(&mut command);
    let mut child = command.spawn().map_err(failed)?;
    let output = child.stdout.take().map(reader);
    let message = child.stderr.take().map(reader);
    let end = process::wait(&mut child, LIMIT, None).map_err(failed)?;
    let text = |receiver: Option<mpsc::Receiver<io::Result<Vec<u8>>>>| {
        let received = receiver.map(|receiver| receiver.recv_timeout(LIMIT));
        received.and_then(Result::ok).unwrap_or_else(|| Ok(Vec::new()))
    };
    let output = text(output).map_err(failed)?;
    match end {
        process::End::Exited(status) if status.success() && output.len() as u64 <= MAX_BYTES => Ok(output),
        process::End::Exited(status) if status.success() => {
            Err(format!("the output of `git {name}` has more than {MAX_BYTES} bytes"))
        }
        process::End::Exited(status) => {
            let message = text(message).unwrap_or_default();
            let message = String::from_utf8_lossy(&message).trim().to_owned();
            Err(format!("`git {name}` ended with {}: {message}", group::exit_code(status)))
        }
        process::End::TimedOut | process::End::Stopped => {
            Err(format!("`git {name}` did not end within {} s", LIMIT.as_secs()))
        }
    }
}

/// Returns false if git must not compare execute bits: the repository says that the file system keeps none, and it keeps none.
#[cfg(unix)]
fn keeps_modes(root: &Path) -> bool {
    use std::{
        fs::{self, File, Permissions},
        os::unix::fs::PermissionsExt,
        time::SystemTime,
    };

    let configured = line(root, &["config", "--local", "--type=bool", "--get", "core.fileMode"]);
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

/// Reads a pipe in a thread, so that git never waits for a full one.
fn reader(pipe: impl Read + Send + 'static) -> mpsc::Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut pipe = pipe;
        let mut bytes = Vec::new();
        let read = pipe.by_ref().take(MAX_BYTES + 1).read_to_end(&mut bytes);
        let rest = io::copy(&mut pipe, &mut io::sink());
        // The receiver may be gone.
        let _ = sender.send(read.and(rest).map(|_| bytes));
    });
    receiver
}
