//! The changes of the workspace, as git lists them: always with the same options, whatever the user configured.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    io::{self, Read, Write},
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

const STATUS: [&str; 7] = [
    "status",
    "--porcelain=v2",
    "-z",
    "--untracked-files=all",
    "--ignored=matching",
    "--renames",
    "--ignore-submodules=none",
];

/// The rules by which the state of the run is ignored.
const RULES_OF_STATE: &[u8] = b".adjudicate/.gitignore";

/// The rules of the repository that are in no commit.
const RULES_OF_REPOSITORY: &[u8] = b".git/info/exclude";

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
    let push = |list: &mut Vec<u8>, parts: &[&[u8]]| {
        list.extend(parts.concat());
        list.push(0);
    };
    let mut entries = status.split(|byte| *byte == 0);
    while let Some(entry) = entries.next() {
        match entry {
            [] => {}
            [b'!', b' ', name @ ..] => push(&mut ignored, &[name]),
            // The old name of a renamed file is an entry of its own.
            [b'2', b' ', ..] => push(&mut found, &[entry, &[0], entries.next().unwrap_or_default()]),
            _ => push(&mut found, &[entry]),
        }
    }
    if ignored.is_empty() {
        return Ok(found);
    }
    let rules = call_with(root, &[], &["check-ignore", "--verbose", "-z", "--stdin"], ignored)?;
    let fields: Vec<_> = rules.split(|byte| *byte == 0).collect();
    let rules = fields.as_chunks().0.iter().map(|[file, line, _, name]| Rule { file, line, name });
    let rules: Vec<_> = rules.filter(|rule| rule.file != RULES_OF_STATE).collect();
    let changes = ChangedRules::read(root, base, rules.iter().filter(|rule| rule.is_of_tree()))?;
    for rule in rules.iter().filter(|rule| !changes.keep(rule)) {
        push(&mut found, &[b"? ", rule.name]);
    }
    Ok(found)
}

/// A rule by which git ignores a file or a folder.
struct Rule<'a> {
    /// The file with the rule. It is relative to the root, or absolute if it belongs to the user.
    file: &'a [u8],
    /// The number of the line, from 1 on.
    line: &'a [u8],
    /// The ignored file or folder.
    name: &'a [u8],
}

impl Rule<'_> {
    /// Returns true for a rule of a `.gitignore`.
    fn is_of_tree(&self) -> bool {
        self.file != RULES_OF_REPOSITORY && !Path::new(&*String::from_utf8_lossy(self.file)).is_absolute()
    }
}

/// The changes of rules since the base.
#[derive(Default)]
struct ChangedRules {
    /// For each changed or new file, the numbers of the lines that the base has.
    kept_lines: BTreeMap<String, BTreeSet<usize>>,
    /// True if the base has a line that is gone. Then no rule tells whether the base ignores a file.
    is_any_gone: bool,
}

impl ChangedRules {
    /// Compares the files of some rules, and all files of rules that git compares, with the base.
    fn read<'a>(root: &Path, base: &str, rules: impl Iterator<Item = &'a Rule<'a>>) -> Result<Self, String> {
        let names = |bytes: &[u8]| -> BTreeSet<String> {
            let names = bytes.split(|byte| *byte == 0).filter(|name| !name.is_empty());
            names.map(|name| String::from_utf8_lossy(name).into_owned()).collect()
        };
        const ALL: &str = ":(top,glob)**/.gitignore";
        let changed =
            call(root, &[], &[&DIFF[..], &["--no-renames", "--name-only", base, "--", ALL]].concat())?;
        let tracked = names(&call(root, &[], &["ls-files", "-z", "--", ALL])?);
        let used: BTreeSet<_> = rules.map(|rule| String::from_utf8_lossy(rule.file).into_owned()).collect();
        let mut changes = Self::default();
        for name in names(&changed).union(&used.difference(&tracked).cloned().collect()) {
            // It may be absent on either side.
            let before =
                call(root, &[], &["cat-file", "blob", &format!("{base}:{name}")]).unwrap_or_default();
            let after = fs::read(root.join(name)).unwrap_or_default();
            let mut lines = after.split(|byte| *byte == b'\n').zip(1..);
            let mut kept = BTreeSet::new();
            for line in before.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
                match lines.find(|(found, _)| found.trim_ascii_end() == line.trim_ascii_end()) {
                    Some((_, number)) => drop(kept.insert(number)),
                    None => changes.is_any_gone = true,
                }
            }
            changes.kept_lines.insert(name.clone(), kept);
        }
        Ok(changes)
    }

    /// Returns true if the base ignores the file of a rule, too.
    fn keep(&self, rule: &Rule<'_>) -> bool {
        let line = || str::from_utf8(rule.line).ok().and_then(|line| line.parse().ok());
        let kept_lines = self.kept_lines.get(&*String::from_utf8_lossy(rule.file));
        !self.is_any_gone && kept_lines.is_none_or(|kept| line().is_some_and(|line| kept.contains(&line)))
    }
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
        let has_files = fs::read_dir(&path).is_ok_and(|mut entries| entries.next().is_some());
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
