//! Calls of git: always with the same settings, whatever the user configured.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{
    command::{CommandProgram, End, Ended, Process},
    system::{System, bytes},
};

/// The time limit of one call of git.
const LIMIT: Duration = Duration::from_secs(60);

/// The most bytes of an output.
const MAX_BYTES: u64 = 64 << 20;

/// Parts of warnings that make an output wrong. Of a folder that it cannot read, git lists nothing, and of several commits with one name, it
/// takes one.
const WARNINGS: [&str; 2] = ["could not open", "is ambiguous"];

/// Settings that the configuration of the user would replace. Hooks and the file system monitor would start programs, and the others could
/// hide a change from git. Files of attributes and of ignored names count only if they are part of the repository.
const SETTINGS: [&str; 19] = [
    "core.attributesFile=",
    "core.bigFileThreshold=512m",
    "core.checkStat=default",
    "core.excludesFile=",
    "core.fileMode=true",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.ignoreCase=false",
    "core.ignoreStat=false",
    "core.quotePath=true",
    "core.symlinks=true",
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
#[derive(Clone)]
pub(super) struct Git<'a> {
    system: &'a System,
    folder: PathBuf,
    /// Further options before the name of a command.
    settings: Vec<String>,
    /// An index in place of the repository's.
    index: Option<PathBuf>,
    /// Lets git write what it found out about files into the index.
    has_locks: bool,
    /// A folder for new objects, and the folder with the known ones.
    objects: Option<(PathBuf, PathBuf)>,
    limit: Duration,
}

impl<'a> Git<'a> {
    pub(super) fn new(system: &'a System, folder: &Path) -> Self {
        Self {
            system,
            folder: folder.to_owned(),
            settings: Vec::new(),
            index: None,
            has_locks: false,
            objects: None,
            limit: LIMIT,
        }
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

    /// Lets git write what it found out about files into the index.
    pub(super) fn with_locks(self) -> Self {
        Self { has_locks: true, ..self }
    }

    /// Writes new objects into a folder of their own.
    pub(super) fn with_objects(self, new: PathBuf, known: PathBuf) -> Self {
        Self { objects: Some((new, known)), ..self }
    }

    /// Gives each call another time limit.
    pub(super) fn with_limit(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// Returns the output without white space at its ends.
    pub(super) async fn line(&self, arguments: &[&str]) -> Result<String, String> {
        self.call(arguments).await.map(|output| line(&output))
    }

    /// Returns the output.
    pub(super) async fn call(&self, arguments: &[&str]) -> Result<Vec<u8>, String> {
        self.call_with(arguments, Vec::new()).await
    }

    /// Returns the output for an input.
    ///
    /// # Errors
    ///
    /// The message of git, for a human.
    pub(super) async fn call_with(&self, arguments: &[&str], input: Vec<u8>) -> Result<Vec<u8>, String> {
        output(arguments, self.limit, self.system.run(self.process(arguments, input)).await)
    }

    /// Returns the outputs of two calls that run at once.
    pub(super) async fn call_both(&self, first: &[&str], second: &[&str]) -> [Result<Vec<u8>, String>; 2] {
        let process = |arguments| self.process(arguments, Vec::new());
        let [one, other] = self.system.run_both([process(first), process(second)]).await;
        [output(first, self.limit, one), output(second, self.limit, other)]
    }

    fn process(&self, arguments: &[&str], input: Vec<u8>) -> Process {
        let mut words = vec!["--no-pager".to_owned()];
        words.extend((!self.has_locks).then(|| "--no-optional-locks".to_owned()));
        words.extend(SETTINGS.iter().flat_map(|setting| ["-c".to_owned(), (*setting).to_owned()]));
        words.extend(self.settings.iter().cloned());
        words.extend(arguments.iter().map(|argument| (*argument).to_owned()));
        let mut environment = Vec::new();
        let mut set = |name: &str, value: &Path| environment.push((name.to_owned(), value.into()));
        if let Some(index) = &self.index {
            set("GIT_INDEX_FILE", index);
        }
        if let Some((new, known)) = &self.objects {
            set("GIT_OBJECT_DIRECTORY", new);
            set("GIT_ALTERNATE_OBJECT_DIRECTORIES", known);
        }
        // Grafts would change the parents of commits.
        set("GIT_GRAFT_FILE", Path::new(""));
        set("LC_ALL", Path::new("C"));
        set("GIT_TERMINAL_PROMPT", Path::new("0"));
        Process {
            program: CommandProgram::Git(words),
            folder: bytes(&self.folder),
            environment,
            input,
            files: None,
            max_bytes: MAX_BYTES,
            limit: self.limit,
            is_stoppable: false,
        }
    }
}

/// Returns an output without white space at its ends.
pub(super) fn line(output: &[u8]) -> String {
    String::from_utf8_lossy(output).trim().to_owned()
}

/// Returns the output of a call, or the reason why it has none.
fn output(arguments: &[&str], limit: Duration, ended: io::Result<Ended>) -> Result<Vec<u8>, String> {
    let name = arguments.first().copied().unwrap_or_default();
    let ended = ended.map_err(|error| format!("`git {name}` cannot run: {error}"))?;
    let message = String::from_utf8_lossy(&ended.errors);
    // `check-ignore` ends with 1 if none of the names is ignored, `config` without a setting, and `update-index --refresh` if a file has changed.
    let is_good = |code| code == 0 || matches!(name, "check-ignore" | "config" | "update-index") && code == 1;
    match ended.end {
        End::Exited(code) if is_good(code) && ended.output.len() as u64 > MAX_BYTES => {
            Err(format!("the output of `git {name}` has more than {MAX_BYTES} bytes"))
        }
        End::Exited(code) if is_good(code) => {
            match message.lines().find(|line| WARNINGS.iter().any(|warning| line.contains(warning))) {
                Some(line) => Err(format!("`git {name}`: {line}")),
                None => Ok(ended.output),
            }
        }
        End::Exited(code) => Err(format!("`git {name}` ended with {code}: {}", message.trim())),
        End::TimedOut | End::Stopped => Err(format!("`git {name}` did not end within {} s", limit.as_secs())),
    }
}
