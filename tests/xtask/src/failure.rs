//! The one error type of this program: the reason why a task or a step failed.

use std::{fmt::Display, io, path::Path};

/// The reason why a task or a step failed, in words for the person who started it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A program failed; its output is in the step's log.
    #[error("`{command}` failed with {status}")]
    Program { command: String, status: String },
    /// A program was stopped, because it printed nothing for too long. Its output ends with what it was doing.
    #[error("`{command}` printed nothing for {seconds} s, so it was stopped")]
    Silent { command: String, seconds: u64 },
    /// A program is not on this machine, and cannot be installed.
    #[error("{what} is missing: {how}")]
    Missing { what: &'static str, how: String },
    /// A test command succeeded without having run a test, which proves nothing.
    #[error("`{command}` ran no test")]
    NoTests { command: String },
    /// Tests were skipped, which no step allows.
    #[error("`{command}` skipped {count} tests")]
    Skipped { command: String, count: u64 },
    /// An operation on a file or process failed.
    #[error("{doing}: {source}")]
    Io { doing: String, source: io::Error },
    /// A check failed.
    #[error("{0}")]
    Broken(String),
}

/// Adds the operation to an I/O error.
pub(crate) trait Doing<T> {
    /// Names the operation and its object: `reading`, `/a/b`.
    fn doing(self, verb: &str, object: impl Display) -> Result<T, Failure>;
}

impl<T> Doing<T> for io::Result<T> {
    fn doing(self, verb: &str, object: impl Display) -> Result<T, Failure> {
        self.map_err(|source| Failure::Io { doing: format!("{verb} {object}"), source })
    }
}

/// Reads a file, naming it on failure.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).doing("reading", path.display())
}

/// Writes a file and the folders above it, naming it on failure.
pub(crate) fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).doing("creating", folder.display())?;
    }
    std::fs::write(path, contents).doing("writing", path.display())
}
