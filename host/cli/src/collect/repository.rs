//! The configuration of a repository, and the documents that it names.

use std::{
    env, io,
    path::{Path, PathBuf},
};

use adjudicate_collect::{BaseDocuments, CollectError, goal};
use adjudicate_core::{Error, Policy};
use adjudicate_evidence::collect::{OwnedConfiguration, OwnedGoal};

use crate::{
    codes,
    environment::Environment,
    input::{Source, to_json},
    output,
};

/// The name of the documents of a goal.
const GOAL_NAME: &str = ".adjudicate/goal.json";

/// A repository with a configuration.
#[derive(Clone)]
pub(crate) struct Repository {
    pub(crate) root: PathBuf,
    documents: DocumentSource,
    /// The name of the configuration below the root.
    pub(crate) name: String,
    pub(crate) configuration: OwnedConfiguration,
    /// The active goal. Its documents stand over those of the repository.
    goal: Option<OwnedGoal>,
}

/// The source of the configuration and of its documents.
#[derive(Clone)]
enum DocumentSource {
    Folder(PathBuf),
    Base(BaseDocuments),
}

impl DocumentSource {
    /// Reads a document as JSON text.
    fn read(&self, name: &str, env: &Environment) -> Result<Vec<u8>, Error> {
        match self {
            Self::Folder(folder) => Source::File(folder.join(name)).part(name, None, env),
            Self::Base(base) => {
                let text = base.read(name).map_err(|reason| {
                    let message = format!("cannot read `{name}` of the base: {reason}");
                    Error::new(codes::UNREADABLE_INPUT, message)
                })?;
                to_json(text, Source::File(name.into()).format(None)).map_err(|error| error.within(name))
            }
        }
    }
}

impl Repository {
    /// Opens the repository around a folder, with the documents of the active goal, if there is one.
    pub(crate) fn open(folder: &Path, env: &Environment) -> Result<Self, Error> {
        let own = Self::open_documents(folder, env);
        let root = match &own {
            Ok(own) => Some(own.root.as_path()),
            Err(_) => goal::find(folder),
        };
        let goal = root.map(goal::active).transpose().map_err(error)?.flatten();
        let (Some(goal), Some(root)) = (goal, root) else { return own };
        let root = root.to_owned();
        Ok(Self {
            documents: DocumentSource::Folder(root.clone()),
            name: own.map_or_else(|_| GOAL_NAME.into(), |own| own.name),
            configuration: goal.configuration.clone(),
            goal: Some(goal),
            root,
        })
    }

    /// Opens the repository around a folder, without its goal.
    pub(crate) fn open_documents(folder: &Path, env: &Environment) -> Result<Self, Error> {
        Self::of_file(&adjudicate_collect::locate(folder).map_err(error)?, env)
    }

    /// Opens the repository with this configuration, an absolute path.
    pub(crate) fn of_file(file: &Path, env: &Environment) -> Result<Self, Error> {
        let root = file.parent().unwrap_or(file).to_owned();
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self::with(DocumentSource::Folder(root.clone()), root, name, env)
    }

    /// Opens the repository around a folder, with the configuration and the documents of a revision. Without a configuration there, those
    /// of the folder count.
    pub(super) fn open_revision(folder: &Path, revision: &str, env: &Environment) -> Result<Self, Error> {
        match BaseDocuments::find(folder, revision).map_err(error)? {
            Some(base) => {
                let (root, name) = (base.root().to_owned(), base.name().to_owned());
                Self::with(DocumentSource::Base(base), root, name, env)
            }
            None => {
                let message =
                    format!("warning: `{revision}` has no configuration, so that of the change decides");
                output::error_line(env, &message);
                Self::open(folder, env)
            }
        }
    }

    fn with(
        documents: DocumentSource,
        root: PathBuf,
        name: String,
        env: &Environment,
    ) -> Result<Self, Error> {
        let json = documents.read(&name, env)?;
        let configuration = OwnedConfiguration::from_json(&json).map_err(|error| error.within(&name))?;
        Ok(Self { root, name, documents, configuration, goal: None })
    }

    /// Returns the time at which the active goal was set.
    pub(crate) fn goal_set_at(&self) -> Option<u64> {
        self.goal.as_ref().map(|goal| goal.set_at)
    }

    /// Returns another working tree of the repository, with the configuration and the documents of this one.
    pub(crate) fn at(&self, root: PathBuf) -> Self {
        Self { root, ..self.clone() }
    }

    /// Returns the JSON text of the policy. A damaged policy is an error before validators run.
    pub(crate) fn policy(&self, env: &Environment) -> Result<Option<String>, Error> {
        if let Some(goal) = &self.goal {
            Policy::parse(goal.policy.as_bytes()).map_err(|error| error.within(GOAL_NAME))?;
            return Ok(Some(goal.policy.clone()));
        }
        let Some(name) = &self.configuration.policy else { return Ok(None) };
        let json = self.documents.read(name, env)?;
        Policy::parse(&json).map_err(|error| error.within(name))?;
        Ok(Some(String::from_utf8_lossy(&json).into_owned()))
    }

    /// Returns the JSON text of the guardrails.
    pub(crate) fn guardrails(&self, env: &Environment) -> Result<Option<String>, Error> {
        let Some(name) = &self.configuration.guardrails else { return Ok(None) };
        let json = self.documents.read(name, env)?;
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
pub(crate) fn error(error: CollectError) -> Error {
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
