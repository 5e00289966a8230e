//! Calls of git: always with the same settings, whatever the user configured.

use std::{
    env,
    ffi::OsString,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use crate::{group, process};

/// The time limit of one call of git.
const LIMIT: Duration = Duration::from_secs(60);

/// The most bytes of an output.
const MAX_BYTES: u64 = 64 << 20;

/// Parts of warnings that make an output wrong. Of a folder that it cannot read, git lists nothing, and of several commits with one name, it
/// takes one.
const WARNINGS: [&str; 2] = ["could not open", "is ambiguous"];

/// Settings that the configuration of the user would replace. The file system monitor would start a program of the configuration,
/// and the others could hide a change from git.
const SETTINGS: [&str; 13] = [
    "core.checkStat=default",
    "core.fileMode=true",
    "core.fsmonitor=false",
    "core.ignoreStat=false",
    "core.quotePath=true",
    "core.trustctime=true",
    "core.untrackedCache=false",
    "core.useReplaceRefs=false",
    "core.warnAmbiguousRefs=true",
    "diff.ignoreSubmodules=none",
    "diff.relative=false",
    "status.relativePaths=false",
    "status.showUntrackedFiles=all",
];

/// Git in a folder.
#[derive(Clone, Debug)]
pub(super) struct Git<'a> {
    folder: &'a Path,
    /// Further options before the name of a command.
    settings: Vec<String>,
    /// An index in place of the repository's.
    index: Option<PathBuf>,
    /// A folder for new objects, and the folder with the known ones.
    objects: Option<(PathBuf, PathBuf)>,
}

impl<'a> Git<'a> {
    pub(super) const fn new(folder: &'a Path) -> Self {
        Self { folder, settings: Vec::new(), index: None, objects: None }
    }

    /// Adds options before the name of a command.
    pub(super) fn with(mut self, settings: impl IntoIterator<Item = String>) -> Self {
        self.settings.extend(settings);
        self
    }

    /// Uses another index.
    pub(super) fn with_index(self, index: PathBuf) -> Self {
        Self { index: Some(index), ..self }
    }

    /// Writes new objects into a folder of their own.
    pub(super) fn with_objects(self, new: PathBuf, known: PathBuf) -> Self {
        Self { objects: Some((new, known)), ..self }
    }

    /// Returns the output without white space at its ends.
    pub(super) fn line(&self, arguments: &[&str]) -> Result<String, String> {
        let output = self.call(arguments)?;
        Ok(String::from_utf8_lossy(&output).trim().to_owned())
    }

    /// Returns the output.
    pub(super) fn call(&self, arguments: &[&str]) -> Result<Vec<u8>, String> {
        self.call_with(arguments, Vec::new())
    }

    /// Returns the output for an input.
    ///
    /// # Errors
    ///
    /// The message of git, for a human.
    pub(super) fn call_with(&self, arguments: &[&str], input: Vec<u8>) -> Result<Vec<u8>, String> {
        let name = arguments.first().copied().unwrap_or_default();
        let failed = |error: io::Error| format!("`git {name}` cannot run: {error}");
        let mut command = Command::new(program(self.folder));
        command.args(["--no-optional-locks", "--no-pager"]);
        command.args(SETTINGS.iter().flat_map(|setting| ["-c", setting]));
        command.args(&self.settings).args(arguments).current_dir(self.folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A hook of git, for example, inherits variables that name another repository or index.
        for (variable, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
            command.env_remove(variable);
        }
        if let Some(index) = &self.index {
            command.env("GIT_INDEX_FILE", index);
        }
        if let Some((new, known)) = &self.objects {
            command.env("GIT_OBJECT_DIRECTORY", new).env("GIT_ALTERNATE_OBJECT_DIRECTORIES", known);
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
        // `check-ignore` ends with 1 if none of the names is ignored, and `update-index --refresh` if a file has changed.
        let is_good = |status: ExitStatus| {
            status.success() || matches!(name, "check-ignore" | "update-index") && status.code() == Some(1)
        };
        match end {
            process::End::Exited(status) if is_good(status) && output.len() as u64 <= MAX_BYTES => {
                let message = text(message).map_err(failed)?;
                let message = String::from_utf8_lossy(&message);
                match message.lines().find(|line| WARNINGS.iter().any(|warning| line.contains(warning))) {
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
}

/// Returns the program: the first one of the search path that is not below the folder, because an agent may write there.
fn program(folder: &Path) -> OsString {
    let path = env::var_os("PATH").unwrap_or_default();
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let places = env::split_paths(&path).filter(|place| {
        let place = place.canonicalize().unwrap_or_else(|_| place.clone());
        place.is_absolute() && !place.starts_with(&real)
    });
    let mut programs = places.map(|place| place.join(format!("git{}", env::consts::EXE_SUFFIX)));
    programs.find(|program| program.is_file()).map_or_else(|| "git".into(), PathBuf::into_os_string)
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
