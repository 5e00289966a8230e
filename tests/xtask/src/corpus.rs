//! The corpus as one file for the tests in JavaScript, and the packed npm package, installed as a user installs it.

use std::{fs, path::PathBuf};

use adjudicate_tests::Corpus;
use serde::Serialize;

use crate::{
    failure::{Doing, Failure, write},
    log::Log,
    workspace::Workspace,
};

/// One fixture as the scripts read it.
#[derive(Serialize)]
struct Case<'a> {
    operation: &'a str,
    /// The operation's number in the module interface.
    number: i32,
    name: &'a str,
    /// The bytes of the call, two hexadecimal digits each: a call need not be text.
    call: String,
    answer: &'a str,
}

/// Writes the corpus to one JSON file and returns its path. A fixture without an answer is an error.
pub(crate) fn bundle(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let corpus = Corpus::read().doing("reading", "the corpus")?;
    let mut cases = Vec::with_capacity(corpus.fixtures.len());
    for fixture in &corpus.fixtures {
        let answer = fixture.answer.as_deref().ok_or_else(|| {
            Failure::Broken(format!("`{}` has no answer: run `cargo xtask bless {0}`", fixture.name))
        })?;
        let call = fixture.call.iter().map(|byte| format!("{byte:02x}")).collect();
        cases.push(Case {
            operation: fixture.operation.name(),
            number: fixture.operation.number(),
            name: &fixture.name,
            call,
            answer,
        });
    }
    let file = workspace.scratch().join("corpus.json");
    let json = serde_json::to_vec(&cases)
        .map_err(|error| Failure::Broken(format!("writing the corpus: {error}")))?;
    write(&file, json)?;
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
