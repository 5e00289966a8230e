//! The corpus as one file for tests in other languages, and the packed npm package, installed as a user installs it.

use std::{fs, path::PathBuf};

use crate::{
    failure::{Doing, Failure, write},
    log::Log,
    step::{Step, Work},
    workspace::Workspace,
};

/// The step `command` builds the program, so that both have the same dependencies.
pub(crate) static STEP: Step = Step {
    name: "corpus",
    about: "writes target/xtask/corpus.ndjson: a line for each case of fixtures, for tests in other languages",
    tools: &[],
    after: &["command"],
    work: Work::Function(|workspace, log| {
        let program = workspace.built(None, "debug").join("corpus");
        let mut corpus = workspace.program(program, &[]);
        corpus.arg(file(workspace));
        log.run(corpus).map(drop)
    }),
};

/// The same without the tests' dependencies, for tasks that run no tests.
pub(crate) static ALONE: Step = Step {
    after: &[],
    work: Work::Function(|workspace, log| {
        let arguments = ["run", "--quiet", "--package", "adjudicate-tests", "--bin", "corpus", "--"];
        let mut corpus = workspace.cargo(&arguments);
        corpus.arg(file(workspace));
        log.run(corpus).map(drop)
    }),
    ..STEP
};

/// The file with a line for each case.
pub(crate) fn file(workspace: &Workspace) -> PathBuf {
    workspace.scratch().join("corpus.ndjson")
}

/// A folder with the scripts of `tests/corpus`, in which the packed package is installed as a dependency.
///
/// The scripts import the package by name, so they must lie where node resolves it.
pub(crate) fn consumer(workspace: &Workspace, log: &mut Log<'_>) -> Result<PathBuf, Failure> {
    let folder = workspace.scratch().join("consumer");
    let _ = fs::remove_dir_all(&folder);
    write(&folder.join("package.json"), r#"{"private": true, "name": "consumer"}"#)?;
    let mut install = workspace.program("npm", &["install", "--no-audit", "--no-fund", "--offline"]);
    install.arg(workspace.npm_package()).current_dir(&folder);
    log.run(install)?;

    let scripts = workspace.root().join("tests/corpus");
    for entry in fs::read_dir(&scripts).doing("reading", scripts.display())? {
        let script = entry.doing("reading", scripts.display())?;
        let copy = folder.join(script.file_name());
        fs::copy(script.path(), &copy).doing("copying to", copy.display())?;
    }
    Ok(folder)
}
