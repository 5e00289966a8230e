//! Reading `fixtures/`: the calls, and the answer that each must get.
//!
//! A call is the file `fixtures/OPERATION/NAME.json`, sent byte for byte, so it need not be JSON. Its answer is
//! `NAME.answer.json` next to it, formatted for people. This module compares nothing.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use adjudicate_core::Operation;

use crate::text::compact;

/// The ending of an answer file's name.
pub(crate) const ANSWER: &str = ".answer.json";
/// The ending of a call file's name.
pub(crate) const CALL: &str = ".json";
/// The other file that a folder of fixtures may have.
const README: &str = "README.md";

/// All fixtures, by operation and name.
#[derive(Debug)]
pub struct Corpus {
    /// The fixtures, in the order of operations, then of names.
    pub fixtures: Vec<Fixture>,
    /// Files in a fixture folder that are neither a call nor the answer to one.
    pub strays: Vec<PathBuf>,
}

/// One call and its answer.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// The called operation; also the name of the folder.
    pub operation: Operation,
    /// The file name without its ending.
    pub name: String,
    /// The input of the call, byte for byte.
    pub call: Vec<u8>,
    /// The answer without insignificant white space, or `None` if there is no answer file yet.
    pub answer: Option<String>,
    /// The path of the call.
    pub call_file: PathBuf,
    /// The path of the answer, whether it exists or not.
    pub answer_file: PathBuf,
}

impl Corpus {
    /// Reads the corpus of this workspace.
    ///
    /// # Errors
    /// If a folder or file cannot be read, or an answer is not UTF-8.
    pub fn read() -> io::Result<Self> {
        let mut corpus = Self { fixtures: Vec::new(), strays: Vec::new() };
        for &operation in Operation::ALL {
            corpus.read_folder(operation, &workspace_root().join("fixtures").join(operation.name()))?;
        }
        Ok(corpus)
    }

    fn read_folder(&mut self, operation: Operation, folder: &Path) -> io::Result<()> {
        let mut files = fs::read_dir(folder)
            .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>())
            .map_err(|error| naming(folder, &error))?;
        files.sort();
        for file in &files {
            let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if let Some(stem) = name.strip_suffix(ANSWER) {
                // The list is sorted, so a binary search works. A linear search takes a second in every process that
                // reads the corpus.
                if files.binary_search(&folder.join(format!("{stem}{CALL}"))).is_err() {
                    self.strays.push(file.clone());
                }
            } else if let Some(stem) = name.strip_suffix(CALL) {
                self.fixtures.push(Fixture::read(operation, stem, folder)?);
            } else if name != README {
                self.strays.push(file.clone());
            }
        }
        Ok(())
    }
}

impl Fixture {
    fn read(operation: Operation, name: &str, folder: &Path) -> io::Result<Self> {
        let call_file = folder.join(format!("{name}{CALL}"));
        let answer_file = folder.join(format!("{name}{ANSWER}"));
        let call = fs::read(&call_file).map_err(|error| naming(&call_file, &error))?;
        let answer = read_answer(&answer_file)?;
        Ok(Self { operation, name: name.to_owned(), call, answer, call_file, answer_file })
    }

    /// The native engine's answer, or `{"error": ...}`.
    #[must_use]
    pub fn native_answer(&self) -> String {
        self.operation.call(&self.call).unwrap_or_else(|error| error.to_json())
    }
}

/// The folder of the workspace's `Cargo.toml`.
#[must_use]
pub fn workspace_root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| {
        // The variable at run time wins over the one at compile time, because clones that share a target folder share
        // this program, too.
        let package = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let root = Path::new(&package).ancestors().find(|folder| folder.join("fixtures").is_dir());
        root.unwrap_or(Path::new(&package)).to_owned()
    })
}

/// Reads an answer without insignificant white space. Returns `None` if there is no file.
pub(crate) fn read_answer(file: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(Some(compact(&text))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(naming(file, &error)),
    }
}

/// Adds the path to an error.
pub(crate) fn naming(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
