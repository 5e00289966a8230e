//! The corpus as one file for the tests in JavaScript, and the packed npm package, installed as a user installs it.

use std::{fs, path::PathBuf};

use crate::{
    failure::{Doing, Failure, write},
    log::Log,
    workspace::Workspace,
};

/// Writes the corpus to one JSON file and returns its path. A fixture without an answer is an error.
pub(crate) fn bundle(workspace: &Workspace, log: &mut Log<'_>) -> Result<PathBuf, Failure> {
    let file = workspace.scratch().join("corpus.json");
    let mut bundle = workspace.program("node", &["tests/corpus/bundle.mjs"]);
    bundle.arg(&file);
    log.run(bundle)?;
    Ok(file)
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
