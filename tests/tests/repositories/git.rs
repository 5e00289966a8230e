//! The `git` program, and its formats of changes.

use std::{fs, path::PathBuf, process::Command};

use tempfile::TempDir;

/// One command of git that prints changes.
pub(super) struct Format {
    /// The arguments, separated by spaces.
    pub name: &'static str,
    /// `true` if such an output may name its files. Other outputs are opaque.
    pub is_read: bool,
    /// `true` if it distinguishes submodules from files.
    pub has_modes: bool,
    /// `true` if it prints a new folder instead of its files.
    pub folds_folders: bool,
    /// `true` if it shows the index alone.
    pub is_of_index: bool,
}

impl Format {
    pub(super) fn arguments(&self) -> Vec<&'static str> {
        self.name.split(' ').collect()
    }
}

/// Outputs of `git status`.
pub(super) fn of_status() -> Vec<Format> {
    let format = |name: &'static str, has_modes: bool| Format {
        name,
        is_read: !name.ends_with("-uno") && !name.ends_with("-v") && !name.ends_with("always status"),
        has_modes,
        folds_folders: !name.contains("-uall"),
        is_of_index: false,
    };
    let mut formats = Vec::new();
    for name in [
        "status --short",
        "status --short -uall",
        "status --short --branch",
        "status --short -z",
        "status --porcelain -z -uall",
        "-c core.quotePath=false status --short -uall",
        "-c status.renames=copies status --short -uall",
        "status --short --no-renames -uall",
        "status",
        "status -uall",
        "-c core.quotePath=false status -uall",
        "-c advice.statusHints=false status",
        "-c status.renames=copies status -uall",
    ] {
        formats.push(format(name, false));
    }
    for name in [
        "status --porcelain=v2",
        "status --porcelain=v2 -uall",
        "status --porcelain=v2 --branch --show-stash -uall",
        "status --porcelain=v2 -z",
        "status --porcelain=v2 -z --branch -uall",
        "-c core.quotePath=false status --porcelain=v2 -uall",
        "-c status.renames=copies status --porcelain=v2 -uall",
    ] {
        formats.push(format(name, true));
    }
    formats
}

/// Outputs of `git diff --cached`.
pub(super) fn of_diff() -> Vec<Format> {
    let format = |name: &'static str, is_read: bool, has_modes: bool| Format {
        name,
        is_read,
        has_modes,
        folds_folders: false,
        is_of_index: true,
    };
    let mut formats = Vec::new();
    for name in [
        "diff --cached",
        "diff --cached --no-renames",
        "diff --cached --binary --full-index",
        "diff --cached --find-copies-harder -U0",
        "diff --cached -B -M --function-context",
        "-c core.quotePath=false diff --cached",
        "-c diff.mnemonicPrefix=true diff --cached",
        "-c diff.suppressBlankEmpty=true diff --cached",
        "diff --cached --raw",
        "diff --cached --raw -z",
        "diff --cached --raw --find-copies-harder",
        "diff --cached --raw -B -M",
        "-c core.quotePath=false diff --cached --raw --no-abbrev",
    ] {
        formats.push(format(name, true, true));
    }
    for name in [
        "diff --cached --name-status",
        "diff --cached --name-status -z",
        "diff --cached --name-status --no-renames",
        "diff --cached --name-status --find-copies-harder",
        "diff --cached --name-status -B -M",
        "-c core.quotePath=false diff --cached --name-status",
        "diff --cached --numstat",
        "diff --cached --numstat -z",
        "diff --cached --numstat --find-copies-harder -z",
        "-c core.quotePath=false diff --cached --numstat --no-renames",
        "diff --cached --stat=1000",
        "diff --cached --stat=1000 --no-renames",
    ] {
        formats.push(format(name, true, false));
    }
    for name in [
        "diff --cached --name-only",
        "diff --cached --name-only -z",
        "diff --cached --shortstat",
        "diff --cached --summary",
        "diff --cached --dirstat=files,0",
        "diff --cached --patch-with-stat",
        "diff --cached --patch-with-raw",
        "diff --cached --no-prefix",
        "diff --cached -R",
        "diff --cached --src-prefix=x/",
        "-c diff.noprefix=true diff --cached",
        "diff --cached --line-prefix=|",
        "diff --cached --line-prefix=| --stat",
    ] {
        formats.push(format(name, false, false));
    }
    formats
}

/// A repository that is deleted with this value.
pub(crate) struct Repository(TempDir);

impl Repository {
    pub(crate) fn new() -> Self {
        let repository = Self(tempfile::tempdir().expect("a folder"));
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs git without the user's settings, and returns its output.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().expect("the program `git` runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {errors}");
        String::from_utf8(output.stdout).expect("names are UTF-8")
    }

    /// Runs git. Returns false if it fails.
    pub(super) fn try_git(&self, arguments: &[&str]) -> bool {
        self.command(arguments).output().expect("the program `git` runs").status.success()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.current_dir(self.0.path()).args(arguments);
        without_settings(&mut command);
        command
    }

    /// Writes a file and the folders that it is in.
    pub(crate) fn write(&self, name: &str, text: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders are made");
        fs::write(path, text).expect("a file is written");
    }
}

/// Takes the user's settings of git from a program, and gives its commits one author and one time.
pub(crate) fn without_settings(command: &mut Command) {
    for (name, value) in [
        ("HOME", ""),
        ("XDG_CONFIG_HOME", ""),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_GLOBAL", ""),
        ("GIT_CEILING_DIRECTORIES", "/"),
        ("LC_ALL", "C"),
        ("GIT_AUTHOR_NAME", "a"),
        ("GIT_AUTHOR_EMAIL", "a@example.org"),
        ("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z"),
        ("GIT_COMMITTER_NAME", "a"),
        ("GIT_COMMITTER_EMAIL", "a@example.org"),
        ("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z"),
    ] {
        command.env(name, value);
    }
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
}
