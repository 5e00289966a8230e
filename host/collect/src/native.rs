//! Collections on the host of this process, and the documents of a commit.

use std::{
    future::Future,
    path::{Path, PathBuf},
    pin::pin,
};

use adjudicate_evidence::collect::{OwnedConfiguration, OwnedStoredBaseline};

use crate::{
    CollectError, CollectOptions, Collected, Decided, collection, decide,
    find::CONFIGURATION_NAMES,
    git,
    host::Host,
    system::{Step, System},
};

/// Collects the evidence, and returns the envelope. The state keeps the id and the base of the run, and spends nothing.
///
/// # Errors
///
/// [`CollectError`] if the state cannot be read or written, if another process collects in the same root, or if the base is no commit.
pub fn collect(
    root: &Path,
    configuration: &OwnedConfiguration,
    options: &CollectOptions<'_>,
) -> Result<Collected, CollectError> {
    let system = System::default();
    drive(&system, options, collection::collect(&system, root, configuration, options))
}

/// Returns the results of the validators on the base revision. They run unless the stored ones are of this base and configuration, or if
/// `again` is true.
///
/// # Errors
///
/// [`CollectError::Baseline`] if the base cannot be checked out, if the setup fails or if the host stops the validators. Errors of the
/// folder of the run, and of a base that is no commit.
pub fn baseline(
    root: &Path,
    configuration: &OwnedConfiguration,
    again: bool,
    options: &CollectOptions<'_>,
) -> Result<OwnedStoredBaseline, CollectError> {
    let system = System::default();
    drive(&system, options, crate::baseline::baseline(&system, root, configuration, again, options))
}

/// Collects the evidence, evaluates and refines it with the native engine, and stores the new state of the run. `policy` is the JSON text
/// of a policy document.
///
/// The new state is on the disk when this returns. So a decision that a caller has seen is always part of the state.
///
/// # Errors
///
/// Those of [`collect`], and [`CollectError::Document`] if the policy is damaged.
pub fn run(
    root: &Path,
    configuration: &OwnedConfiguration,
    policy: Option<&str>,
    options: &CollectOptions<'_>,
) -> Result<Decided, CollectError> {
    let system = System::default();
    drive(&system, options, decide::run(&system, root, configuration, policy, options))
}

/// Returns the configuration file of the nearest folder, from `folder` upwards. Its parent is the root.
///
/// # Errors
///
/// [`CollectError::NoConfiguration`] and [`CollectError::SeveralConfigurations`].
pub fn locate(folder: &Path) -> Result<PathBuf, CollectError> {
    let system = System::default();
    drive(&system, &CollectOptions::default(), collection::locate(&system, folder))
}

/// Answers the requests of a collection until it ends.
pub(crate) fn drive<T>(
    system: &System,
    options: &CollectOptions<'_>,
    collection: impl Future<Output = T>,
) -> T {
    let mut host = Host::new(options);
    let mut collection = pin!(collection);
    let mut answer = None;
    loop {
        match system.resume(collection.as_mut(), answer.take()) {
            Step::Call(request) => answer = Some(host.answer(request)),
            Step::End(end) => return end,
        }
    }
}

/// The documents of a commit, for a change that must not choose its own rules.
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
