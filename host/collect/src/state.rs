//! The folder of a run: its lock, its logs and its state, which is written atomically.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use adjudicate_evidence::collect::OwnedState;

use crate::{
    CollectError,
    system::{FileKind, System},
};

/// The folder below the root.
pub(crate) const FOLDER: &str = ".adjudicate";

/// The most bytes of a state: far more than any envelope.
const MAX_STATE_BYTES: u64 = 64 << 20;

/// The locked folder of a run. The lock ends with the collection.
pub(crate) struct RunFolder<'a> {
    system: &'a System,
    folder: PathBuf,
}

impl<'a> RunFolder<'a> {
    /// Creates and locks the folder.
    pub(crate) async fn lock(system: &'a System, root: &Path, wait: Duration) -> Result<Self, CollectError> {
        let folder = root.join(FOLDER);
        for path in [folder.clone(), folder.join("logs"), folder.join("reports")] {
            let created = match system.create_folder(&path).await {
                Ok(()) => expect(system, &path, FileKind::Folder).await,
                Err(error) => Err(error),
            };
            created.map_err(CollectError::file("create", &path))?;
        }
        let ignored = folder.join(".gitignore");
        if expect(system, &ignored, FileKind::File).await.is_err() {
            let written = system.write(&ignored, b"*\n".to_vec()).await;
            written.map_err(CollectError::file("write", &ignored))?;
        }
        let path = folder.join("lock");
        match expect(system, &path, FileKind::File).await {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(CollectError::file("open", &path)(error));
            }
            _ => {}
        }
        match system.lock(&path, wait).await.map_err(CollectError::file("lock", &path))? {
            true => Ok(Self { system, folder }),
            false => Err(CollectError::Busy(path.display().to_string())),
        }
    }

    /// Returns the path of a log, below the root.
    pub(crate) fn log(validator: &str, extension: &str) -> String {
        format!("{FOLDER}/logs/{validator}.{extension}")
    }

    /// Reads the state, or begins a run. A damaged state is an error, because a new one would forget what was spent.
    pub(crate) async fn read(&self, new_run: bool) -> Result<OwnedState, CollectError> {
        let path = self.path();
        let text = match expect(self.system, &path, FileKind::File).await {
            Ok(()) => self.system.read(&path, MAX_STATE_BYTES).await,
            Err(error) => Err(error),
        };
        match text {
            old if new_run => {
                let old = old.ok().and_then(|text| OwnedState::from_json(&text).ok());
                let id = self.run_id().await?;
                Ok(OwnedState { created: old.and_then(|old| old.created), ..OwnedState::new(id) })
            }
            Ok(text) => OwnedState::from_json(&text)
                .map_err(|error| CollectError::Document(path.display().to_string(), error)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok(OwnedState::new(self.run_id().await?))
            }
            Err(error) => Err(CollectError::file("read", &path)(error)),
        }
    }

    /// Replaces the state. When this returns, the state is on the disk.
    pub(crate) async fn write(&self, state: &OwnedState) -> Result<(), CollectError> {
        let path = self.path();
        let draft = self.folder.join("state.json.new");
        let written = self.system.replace(&draft, &path, state.to_json().into_bytes()).await;
        written.map_err(CollectError::file("write", &path))
    }

    /// Returns an id that no earlier run of this folder has.
    async fn run_id(&self) -> Result<String, CollectError> {
        let now = self.system.time().await.map_err(CollectError::file("name a run in", &self.folder))?;
        Ok(format!("run-{}-{:09}", now.as_secs(), now.subsec_nanos()))
    }

    fn path(&self) -> PathBuf {
        self.folder.join("state.json")
    }
}

/// Checks the kind of a file. A link is none of the others: it could lead out of the folder.
async fn expect(system: &System, path: &Path, kind: FileKind) -> io::Result<()> {
    match system.about(path, false).await?.kind == kind {
        true => Ok(()),
        false => Err(io::Error::other("something else has this name, for example a link")),
    }
}
