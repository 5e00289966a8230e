//! Errors that end a collection.

use std::{error::Error, fmt, io, path::Path};

use crate::find::CONFIGURATION_NAMES;

/// An error that ends a collection without a decision.
#[derive(Debug)]
pub enum CollectError {
    /// A file cannot be read or written. The text names the file.
    File(String, io::Error),
    /// The folder and those above it have no configuration.
    NoConfiguration,
    /// The folder has several configurations, with these names.
    SeveralConfigurations(Vec<String>),
    /// Another process collects in the same root.
    Busy(String),
    /// A document is damaged: its path, and the error of its reader.
    Document(String, adjudicate_core::Error),
    /// `init` would replace a file.
    Exists(String),
    /// The base is no commit: the revision, and the message of git.
    Base(String, String),
    /// The validators cannot run on the base revision: the reason.
    Baseline(String),
}

impl CollectError {
    pub(crate) fn file(action: &str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let text = format!("cannot {action} `{}`", path.display());
        move |error| Self::File(text, error)
    }
}

impl fmt::Display for CollectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(text, error) => write!(f, "{text}: {error}"),
            Self::NoConfiguration => write!(
                f,
                "there is no `{}` in this folder or above it; to write one: `adjudicate init`",
                CONFIGURATION_NAMES[0]
            ),
            Self::SeveralConfigurations(names) => {
                write!(f, "the folder has several configurations: `{}`; keep one", names.join("`, `"))
            }
            Self::Busy(lock) => {
                write!(f, "another process collects here and holds `{lock}`; try again later")
            }
            Self::Document(path, error) => write!(f, "`{path}`: {error}"),
            Self::Exists(path) => write!(f, "`{path}` exists; remove it to write a new one"),
            Self::Baseline(reason) => write!(f, "the base cannot be checked: {reason}"),
            Self::Base(revision, message) => write!(f, "`{revision}` is no commit: {message}"),
        }
    }
}

impl Error for CollectError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::File(_, error) => Some(error),
            Self::Document(_, error) => Some(error),
            _ => None,
        }
    }
}
