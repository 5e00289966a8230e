//! Exports the corpus for hosts: NAME.wasm for each module, and `cases.json`.

use std::{fs, path::Path};

use adjudicate_conformance::Corpus;
use adjudicate_core::Error;

use crate::{environment::Environment, output::unwritable, replace};

/// Writes the corpus, and returns the number of modules. Creates the folder if it is missing. Replaces existing files,
/// and rejects symbolic links, which could lead anywhere.
pub(super) fn write(folder: &Path, env: &Environment) -> Result<usize, Error> {
    let corpus = Corpus::read()?;
    fs::create_dir_all(env.path(folder)).map_err(|error| unwritable(folder, error))?;
    let put = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        replace::entry(&env.path(&path), bytes).map_err(|error| unwritable(&path, error))
    };
    for case in corpus.cases() {
        put(&format!("{}.wasm", case.name), &corpus.module(case)?)?;
    }
    // Written last, so that all modules exist when `cases.json` exists.
    put("cases.json", corpus.to_json()?.as_bytes())?;
    Ok(corpus.cases().len())
}
