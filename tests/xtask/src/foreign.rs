//! Hosts that are not the native one: the corpus of hostile modules as files, and the steps that hold such hosts to it.

use std::{fs, path::PathBuf, process::Command};

use crate::{
    failure::Failure,
    log::Log,
    python,
    step::{Step, Work},
    tools::Tool,
    workspace::Workspace,
};

pub(crate) static HOSTILE: Step = Step {
    name: "hostile-modules",
    about: "writes target/artifacts/hostile, the corpus of modules that hosts must survive",
    tools: &[],
    after: &["command"],
    work: Work::Function(hostile),
};

pub(crate) static PYTHON_HOST: Step = Step {
    name: "python-host",
    about: "the corpus of hostile modules through the host in Python",
    tools: &[Tool::Python, Tool::PythonHost],
    after: &["engine", "hostile-modules"],
    work: Work::Function(python_host),
};

/// Where the modules are.
pub(crate) fn hostile_modules(workspace: &Workspace) -> PathBuf {
    workspace.artifacts().join("hostile")
}

fn hostile(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let folder = hostile_modules(workspace);
    // What an earlier corpus had and this one has not is not to be found there.
    let _ = fs::remove_dir_all(&folder);
    let mut export = workspace.program(workspace.command(), &["conformance", "--export"]);
    export.arg(folder);
    log.run(export).map(drop)
}

fn python_host(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let host = workspace.root().join("wasm/examples/python-host");
    let mut test = Command::new(python::HOST.python(workspace));
    test.arg("test_host.py").arg(hostile_modules(workspace)).arg(workspace.engine());
    // Nothing is written beside the sources.
    test.current_dir(host).env("PYTHONDONTWRITEBYTECODE", "1");
    log.run_tests(test)
}
