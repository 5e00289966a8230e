//! The configuration and its documents in a commit, for a change that must not choose its own rules.

use std::path::{Path, PathBuf};

use crate::{CollectError, CollectOptions, find::CONFIGURATION_NAMES, git, native::drive, system::System};

/// The documents of a commit.
#[derive(Clone, Debug)]
pub struct BaseDocuments {
    root: PathBuf,
    name: String,
    commit: String,
}

impl BaseDocuments {
    /// Finds the configuration that a revision has in the nearest folder, from `folder` upwards to the top folder of the repository.
    /// Returns `None` if it has none.
    ///
    /// # Errors
    ///
    /// [`CollectError::Base`] if git does not know the revision or cannot read it, and [`CollectError::SeveralConfigurations`].
    pub fn find(folder: &Path, revision: &str) -> Result<Option<Self>, CollectError> {
        let system = System::default();
        let unreadable = |message| CollectError::Base(revision.to_owned(), message);
        drive(&system, &CollectOptions::default(), async {
            // The folders above the target of a link are those of the repository.
            let folder = &system.real_path(folder).await.map_err(|error| unreadable(error.to_string()))?;
            let commit = git::commit(&system, folder, Some(revision)).await.map_err(unreadable)?;
            for root in folder.ancestors() {
                let listed =
                    git::listed(&system, root, &commit, &CONFIGURATION_NAMES).await.map_err(unreadable)?;
                match listed.as_slice() {
                    [name] => {
                        let (root, name) = (root.to_owned(), name.clone());
                        return Ok(Some(Self { root, name, commit }));
                    }
                    [_, _, ..] => return Err(CollectError::SeveralConfigurations(listed)),
                    [] if root.join(".git").exists() => break,
                    [] => {}
                }
            }
            Ok(None)
        })
    }

    /// Returns the folder of the configuration. It is the root of collections.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the name of the configuration below the root.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads a document by its path below the root.
    ///
    /// # Errors
    ///
    /// The message of git.
    pub fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let system = System::default();
        drive(&system, &CollectOptions::default(), git::file(&system, &self.root, &self.commit, path))
    }
}
