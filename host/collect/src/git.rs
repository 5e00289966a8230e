//! The changes of the workspace, as git lists them: always with the same options, whatever the user configured.

use std::{
    env, fs,
    io::{self, Read, Write},
    path::Path,
    process::{Command, ExitStatus, Stdio},
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

const STATUS: [&str; 7] = [
    "status",
    "--porcelain=v2",
    "-z",
    "--untracked-files=all",
    "--ignored=matching",
    "--renames",
    "--ignore-submodules=none",
];

/// The files and folders of the state of the run.
const OWN_FILES: [&[u8]; 5] = [
    b".adjudicate/.gitignore",
    b".adjudicate/lock",
    b".adjudicate/logs/",
    b".adjudicate/reports/",
    b".adjudicate/state.json",
];

/// The most files that are listed one by one although a rule ignores them.
const MAX_HIDDEN_FILES: usize = 1_000;

/// The entries of the whole index, each with a letter for its state.
const INDEX: [&str; 6] = ["ls-files", "-v", "-z", "--recurse-submodules", "--", ":/"];

/// The name of the evidence that is missing if git does not look at a file.
const UNCOMPARED: &str = "files that git does not compare";

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
    let reason = match line(root, &["rev-parse", "--is-inside-work-tree", "--show-cdup"]) {
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
    let settings: &[&str] = if keeps_modes(root) { &[] } else { &["-c", "core.fileMode=false"] };
    let mut is_utf8 = true;
    let mut text = |bytes: Vec<u8>| {
        String::from_utf8(bytes).unwrap_or_else(|error| {
            is_utf8 = false;
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        })
    };
    let diff = |format| call(root, settings, &[&DIFF[..], &[format, base, "--"]].concat());
    let status = call(root, settings, &STATUS).and_then(|status| with_hidden(root, base, &status));
    match (diff("--raw").map(&mut text), diff("--numstat").map(&mut text), status.map(&mut text)) {
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
    match unwatched(root) {
        Ok(reasons) => missing.extend(reasons.into_iter().map(|reason| self::missing(UNCOMPARED, reason))),
        Err(reason) => missing.push(self::missing(UNCOMPARED, reason)),
    }
    workspace.head = commit(root, None).ok();
    workspace
}

/// Returns a status without ignored files, except those that the base does not ignore, which become untracked.
fn with_hidden(root: &Path, base: &str, status: &[u8]) -> Result<Vec<u8>, String> {
    let (mut found, mut ignored) = (Vec::new(), Vec::new());
    let mut entries = status.split(|byte| *byte == 0);
    while let Some(entry) = entries.next() {
        match entry {
            [] => {}
            [b'!', b' ', name @ ..] if OWN_FILES.contains(&name) => {}
            [b'!', b' ', name @ ..] => ignored.push(name),
            // The old name of a renamed file is an entry of its own.
            [b'2', b' ', ..] => {
                found.extend([entry, &[0], entries.next().unwrap_or_default(), &[0]].concat())
            }
            _ => found.extend([entry, &[0]].concat()),
        }
    }
    let hidden = not_ignored_by(root, base, &ignored)?;
    let (folders, files): (Vec<&[u8]>, Vec<&[u8]>) =
        hidden.into_iter().partition(|name| name.ends_with(b"/"));
    let mut names: Vec<Vec<u8>> = files.into_iter().map(<[u8]>::to_vec).collect();
    for folder in folders {
        let listed = format!(":(top,literal){}", String::from_utf8_lossy(folder));
        let within = call(root, &[], &["ls-files", "--others", "-z", "--", &listed])?;
        let within: Vec<_> = within.split(|byte| *byte == 0).filter(|name| !name.is_empty()).collect();
        // The policy can tell for each file. Of many files, for example packages, only the folder is listed.
        if within.is_empty() || within.len() + names.len() > MAX_HIDDEN_FILES {
            names.push(folder.to_vec());
        } else {
            names.extend(within.into_iter().map(<[u8]>::to_vec));
        }
    }
    for name in names {
        found.extend([b"? ", &*name, &[0]].concat());
    }
    Ok(found)
}

/// Returns the names that the rules of the base do not ignore. These are asked for in an empty folder with the `.gitignore` of the base
/// only, and with the rules of the user and of the repository.
fn not_ignored_by<'a>(root: &Path, base: &str, names: &[&'a [u8]]) -> Result<Vec<&'a [u8]>, String> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let failed = |error: io::Error| format!("the rules of the base cannot be written: {error}");
    let place = tempfile::tempdir().map_err(failed)?;
    let tree = call(root, &[], &["ls-tree", "-r", "-z", "--full-tree", base])?;
    for entry in tree.split(|byte| *byte == 0) {
        // `100644 blob ID<TAB>NAME`: git follows no links to rules.
        let Some((about, name)) = str::from_utf8(entry).ok().and_then(|entry| entry.split_once('\t')) else {
            continue;
        };
        let Some((_, id)) = about.split_once(" blob ").filter(|(mode, _)| mode.starts_with("100")) else {
            continue;
        };
        if name.rsplit('/').next() == Some(".gitignore") {
            let rules = call(root, &[], &["cat-file", "blob", id])?;
            let file = place.path().join(name);
            let folder = file.parent().unwrap_or(place.path());
            fs::create_dir_all(folder).and_then(|()| fs::write(&file, rules)).map_err(failed)?;
        }
    }
    let repository = format!("--git-dir={}", line(root, &["rev-parse", "--absolute-git-dir"])?);
    let tree = format!("--work-tree={}", place.path().display());
    // A name that begins with `:` would be a pattern.
    let input = names.iter().flat_map(|name| [b"./", *name, &[0]].concat()).collect();
    let check = ["check-ignore", "--no-index", "--verbose", "--non-matching", "-z", "--stdin"];
    let answers = call_with(place.path(), &[&repository, &tree], &check, input)?;
    let fields: Vec<_> = answers.split(|byte| *byte == 0).collect();
    let rules = fields.as_chunks().0.iter().map(|[file, _, rule, _]: &[&[u8]; 4]| (*file, *rule));
    let is_ignored = rules.map(|(file, rule)| !file.is_empty() && !rule.starts_with(b"!"));
    let is_ignored: Vec<bool> = is_ignored.collect();
    if is_ignored.len() != names.len() {
        return Err("git did not answer for each ignored file".into());
    }
    Ok(names.iter().zip(is_ignored).filter(|(_, is_ignored)| !is_ignored).map(|(name, _)| *name).collect())
}

/// Returns why git does not look for changes of tracked files: they are marked assume-unchanged or skip-worktree, or their submodule
/// has no repository of its own.
fn unwatched(root: &Path) -> Result<Vec<String>, String> {
    let index = call(root, &[], &INDEX)?;
    let marked = index.split(|byte| *byte == 0).filter_map(|entry| match entry {
        // A sparse checkout marks files that it leaves out.
        [b'S', b' ', name @ ..] => exists(root, name).then_some(name),
        [b'a'..=b'z', b' ', name @ ..] => Some(name),
        _ => None,
    });
    let listed = |names: Vec<&[u8]>, reason: &str| {
        let first = names.iter().take(MAX_LISTED_PATHS).map(|name| format!("`{}`", name.escape_ascii()));
        let first: Vec<_> = first.collect();
        (!names.is_empty()).then(|| format!("{}, {} in all, {reason}", first.join(", "), names.len()))
    };
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
    let index = call(&place(folder), &[], &["ls-files", "--stage", "-z"])?;
    for entry in index.split(|byte| *byte == 0).filter(|entry| entry.starts_with(b"160000 ")) {
        let length = folder.len();
        folder.extend(entry.splitn(2, |byte| *byte == b'\t').nth(1).unwrap_or_default());
        let path = place(folder);
        let has_files = match fs::read_dir(&path) {
            Ok(mut entries) => entries.next().is_some(),
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        };
        if has_files {
            if line(&path, &["rev-parse", "--show-cdup"]).is_ok_and(|above| above.is_empty()) {
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

/// Returns an item of the evidence that is missing.
pub(crate) fn missing(what: &str, reason: String) -> OwnedMissingEvidence {
    OwnedMissingEvidence { what: what.to_owned(), reason, extra: Default::default() }
}

/// Calls git with further settings and returns its output.
fn call(root: &Path, settings: &[&str], arguments: &[&str]) -> Result<Vec<u8>, String> {
    call_with(root, settings, arguments, Vec::new())
}

/// Calls git with further settings and an input, and returns its output.
fn call_with(root: &Path, settings: &[&str], arguments: &[&str], input: Vec<u8>) -> Result<Vec<u8>, String> {
    let name = arguments.first().copied().unwrap_or_default();
    let failed = |error: io::Error| format!("`git {name}` cannot run: {error}");
    let mut command = Command::new("git");
    command.args(["--no-optional-locks", "--no-pager"]);
    command.args(SETTINGS.iter().flat_map(|setting| ["-c", setting]));
    command.args(settings).args(arguments).current_dir(root);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A hook of git, for example, inherits variables that name another repository or index.
    for (variable, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
        command.env_remove(variable);
    }
    command.env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0");
    group::in_group(&mut command);
    let mut child = command.spawn().map_err(failed)?;
    if let Some(mut pipe) = child.stdin.take() {
        // If git does not read it all, its exit code or its output says so.
        thread::spawn(move || drop(pipe.write_all(&input)));
    }
    let output = child.stdout.take().map(reader);
    let message = child.stderr.take().map(reader);
    let end = process::wait(&mut child, LIMIT, None).map_err(failed)?;
    let text = |receiver: Option<mpsc::Receiver<io::Result<Vec<u8>>>>| {
        let received = receiver.map(|receiver| receiver.recv_timeout(LIMIT));
        received.and_then(Result::ok).unwrap_or_else(|| Ok(Vec::new()))
    };
    let output = text(output).map_err(failed)?;
    // `check-ignore` ends with 1 if none of the names is ignored.
    let is_good = |status: ExitStatus| status.success() || name == "check-ignore" && status.code() == Some(1);
    match end {
        process::End::Exited(status) if is_good(status) && output.len() as u64 <= MAX_BYTES => {
            // Of a folder that it cannot read, git lists nothing.
            let message = text(message).map_err(failed)?;
            let message = String::from_utf8_lossy(&message);
            match message.lines().find(|line| line.starts_with("warning: could not open")) {
                Some(line) => Err(format!("`git {name}`: {line}")),
                None => Ok(output),
            }
        }
        process::End::Exited(status) if is_good(status) => {
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
