//! The configuration of a repository, and the documents that it names.

use std::{
    env, io,
    path::{Path, PathBuf},
};

use adjudicate_collect::CollectError;
use adjudicate_core::{Error, Policy};
use adjudicate_evidence::collect::OwnedConfiguration;

use crate::{codes, environment::Environment, input::Source};

/// A repository with a configuration.
pub(crate) struct Repository {
    pub(crate) root: PathBuf,
    /// The name of the configuration below the root.
    pub(crate) name: String,
    pub(crate) configuration: OwnedConfiguration,
}

impl Repository {
    /// Opens the repository around a folder.
    pub(crate) fn open(folder: &Path, env: &Environment) -> Result<Self, Error> {
        let file = adjudicate_collect::locate(folder).map_err(error)?;
        let root = file.parent().unwrap_or(folder).to_owned();
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let json = Source::File(file).part(&name, None, env)?;
        let configuration = OwnedConfiguration::from_json(&json).map_err(|error| error.within(&name))?;
        Ok(Self { root, name, configuration })
    }

    /// Returns the JSON text of the policy. A damaged policy is an error before validators run.
    pub(crate) fn policy(&self, env: &Environment) -> Result<Option<String>, Error> {
        let Some(name) = &self.configuration.policy else { return Ok(None) };
        let json = Source::File(self.root.join(name)).part(name, None, env)?;
        Policy::parse(&json).map_err(|error| error.within(name))?;
        Ok(Some(String::from_utf8_lossy(&json).into_owned()))
    }

    /// Returns the JSON text of the guardrails.
    pub(crate) fn guardrails(&self, env: &Environment) -> Result<Option<String>, Error> {
        let Some(name) = &self.configuration.guardrails else { return Ok(None) };
        let json = Source::File(self.root.join(name)).part(name, None, env)?;
        Ok(Some(String::from_utf8_lossy(&json).into_owned()))
    }
}

/// Returns the current folder.
pub(crate) fn folder(env: &Environment) -> Result<PathBuf, Error> {
    let folder = match env.folder.as_os_str().is_empty() {
        true => env::current_dir(),
        false => Ok(env.folder.clone()),
    };
    folder.map_err(|error: io::Error| {
        Error::caused_by(codes::UNREADABLE_INPUT, "the current folder cannot be read", error)
    })
}

/// Returns the error of the command for an error of a collection.
pub(super) fn error(error: CollectError) -> Error {
    let message = error.to_string();
    match error {
        CollectError::File(text, error) => Error::caused_by(codes::UNWRITABLE_OUTPUT, text, error),
        CollectError::Exists(_) => Error::new(codes::UNWRITABLE_OUTPUT, message),
        CollectError::Baseline(_) | CollectError::Busy(_) | CollectError::NoConfiguration => {
            Error::new(codes::UNREADABLE_INPUT, message)
        }
        CollectError::Document(path, error) => error.within(file_name(&path)),
        CollectError::Base(..) | CollectError::SeveralConfigurations(_) => {
            Error::new(codes::INVALID_VALUE, message)
        }
    }
}

fn file_name(path: &str) -> &str {
    Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path)
}
