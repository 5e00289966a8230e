//! The one error type of this program: why a task or a step could not be done.

use std::{fmt::Display, io, path::Path};

/// Why a task or a step failed, in words for the person who started it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A program ran and said no; its output is in the step's log.
    #[error("`{command}` failed with {status}")]
    Program { command: String, status: String },
    /// A program is not on this machine, and could not be installed.
    #[error("{what} is missing: {how}")]
    Missing { what: &'static str, how: String },
    /// A test command ended well without having run a test, which proves nothing.
    #[error("`{command}` ran no test")]
    NoTests { command: String },
    /// Tests were skipped; here nothing may be.
    #[error("`{command}` skipped {count} tests")]
    Skipped { command: String, count: u64 },
    /// A file or process could not be handled.
    #[error("{doing}: {source}")]
    Io { doing: String, source: io::Error },
    /// Something that is checked here does not hold.
    #[error("{0}")]
    Broken(String),
}

/// Says what was being done when an I/O error came up.
pub(crate) trait Doing<T> {
    /// Names the deed and its object: `reading`, `/a/b`.
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
