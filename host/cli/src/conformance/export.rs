//! The corpus for hosts, as files: NAME.wasm for each module, and `cases.json`.

use std::{fs, path::Path};

use adjudicate_conformance::Corpus;
use adjudicate_core::Error;

use crate::{output::unwritable, replace};

/// Writes all of it; how many modules there are. The folder is made where there is none. In one that is there, files of these
/// names are replaced; a link of such a name could lead anywhere, and is refused.
pub(super) fn write(folder: &Path) -> Result<usize, Error> {
    let corpus = Corpus::read()?;
    fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    let put = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        replace::entry(&path, bytes).map_err(|error| unwritable(&path, &error))
    };
    for case in corpus.cases() {
        put(&format!("{}.wasm", case.name), &corpus.module(case)?)?;
    }
    // Last, so that where it stands, all that it names does.
    put("cases.json", corpus.to_json()?.as_bytes())?;
    Ok(corpus.cases().len())
}
