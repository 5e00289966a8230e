//! The folder of a run: its lock, its logs and its state, which is written atomically.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use adjudicate_core::Error;
#[cfg(not(target_os = "unknown"))]
use adjudicate_evidence::collect::OwnedGoal;
use adjudicate_evidence::collect::{OwnedCollectionState, OwnedStoredBaseline};

use crate::{
    CollectError,
    system::{System, SystemFileKind},
};

/// The folder below the root.
pub(crate) const FOLDER: &str = ".adjudicate";

/// The name of the file with the latest baseline.
const BASELINE: &str = "baseline.json";

/// Makes git ignore the folder.
const IGNORE_FILE: &str = ".gitignore";

const LOCK_FILE: &str = "lock";

const STATE_FILE: &str = "state.json";

/// The active goal.
pub(crate) const GOAL_FILE: &str = "goal.json";

/// The logs of validators.
const LOGS: &str = "logs";

/// A folder for the reports of validators.
const REPORTS: &str = "reports";

/// Returns true for a file or a folder of the state by its path below the root. Folders end with `/`, as git lists them.
pub(crate) fn is_own(path: &[u8]) -> bool {
    let Some(name) = path.strip_prefix(FOLDER.as_bytes()).and_then(|name| name.strip_prefix(b"/")) else {
        return false;
    };
    let is_among = |names: &[&str], name: &[u8]| names.iter().any(|own| own.as_bytes() == name);
    match name.strip_suffix(b"/") {
        Some(folder) => is_among(&[LOGS, REPORTS], folder),
        None => is_among(&[IGNORE_FILE, LOCK_FILE, STATE_FILE, BASELINE, GOAL_FILE], name),
    }
}

/// Returns the path of the state below a root.
#[cfg(not(target_os = "unknown"))]
pub(crate) fn state_file(root: &Path) -> PathBuf {
    root.join(FOLDER).join(STATE_FILE)
}

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
        let folder = create_folders(system, root).await?;
        let path = folder.join(LOCK_FILE);
        match expect(system, &path, SystemFileKind::File).await {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(CollectError::file("open", &path)(error));
            }
            _ => {}
        }
        if !system.lock(&path, wait).await.map_err(CollectError::file("lock", &path))? {
            return Err(CollectError::Busy(path.display().to_string()));
        }
        let ignored = folder.join(IGNORE_FILE);
        if expect(system, &ignored, SystemFileKind::File).await.is_err() {
            let written = system.write(&ignored, b"*\n".to_vec()).await;
            written.map_err(CollectError::file("write", &ignored))?;
        }
        Ok(Self { system, folder })
    }

    /// Returns the stored baseline. A damaged one is none, because its validators can run again.
    pub(crate) async fn baseline(&self) -> Option<OwnedStoredBaseline> {
        let path = self.folder.join(BASELINE);
        expect(self.system, &path, SystemFileKind::File).await.ok()?;
        let text = self.system.read(&path, MAX_STATE_BYTES).await.ok()?;
        OwnedStoredBaseline::from_json(&text).ok()
    }

    /// Replaces the stored baseline.
    pub(crate) async fn write_baseline(&self, baseline: &OwnedStoredBaseline) -> Result<(), CollectError> {
        let (path, draft) = (self.folder.join(BASELINE), self.folder.join("baseline.json.new"));
        let written = self.system.replace(&draft, &path, baseline.to_json().into_bytes()).await;
        written.map_err(CollectError::file("write", &path))
    }

    /// Replaces the active goal.
    #[cfg(not(target_os = "unknown"))]
    pub(crate) async fn write_goal(&self, goal: &OwnedGoal) -> Result<(), CollectError> {
        let (path, draft) = (self.folder.join(GOAL_FILE), self.folder.join("goal.json.new"));
        let written = self.system.replace(&draft, &path, goal.to_json().into_bytes()).await;
        written.map_err(CollectError::file("write", &path))
    }

    /// Creates the folder for the logs of a baseline, and returns its path below the root.
    pub(crate) async fn baseline_logs(&self) -> Result<String, CollectError> {
        create(self.system, &self.folder.join(LOGS).join("baseline")).await?;
        Ok(format!("{FOLDER}/{LOGS}/baseline"))
    }

    /// Returns the path of the logs, below the root.
    pub(crate) fn logs() -> String {
        format!("{FOLDER}/{LOGS}")
    }

    /// Reads the state, or begins a run. A damaged state is an error, because a new one would forget what was spent.
    pub(crate) async fn read(&self, new_run: bool) -> Result<OwnedCollectionState, CollectError> {
        let path = self.path();
        let text = match expect(self.system, &path, SystemFileKind::File).await {
            Ok(()) => self.system.read(&path, MAX_STATE_BYTES).await,
            Err(error) => Err(error),
        };
        match text {
            old if new_run => {
                let old = old.ok().and_then(|text| OwnedCollectionState::from_json(&text).ok());
                let id = self.run_id().await?;
                Ok(OwnedCollectionState {
                    created: old.and_then(|old| old.created),
                    ..OwnedCollectionState::new(id)
                })
            }
            Ok(text) => OwnedCollectionState::from_json(&text).map_err(|error| {
                let message = format!("{}; to begin a new run: `adjudicate run --new-run`", error.message());
                let error = Error::new(error.code(), message).at(error.path());
                CollectError::Document(path.display().to_string(), error)
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok(OwnedCollectionState::new(self.run_id().await?))
            }
            Err(error) => Err(CollectError::file("read", &path)(error)),
        }
    }

    /// Replaces the state. When this returns, the state is on the disk.
    pub(crate) async fn write(&self, state: &OwnedCollectionState) -> Result<(), CollectError> {
        let path = self.path();
        let draft = self.folder.join(format!("{STATE_FILE}.new"));
        let written = self.system.replace(&draft, &path, state.to_json().into_bytes()).await;
        written.map_err(CollectError::file("write", &path))
    }

    /// Returns an id that no earlier run of this folder has.
    async fn run_id(&self) -> Result<String, CollectError> {
        let now = self.system.time().await.map_err(CollectError::file("name a run in", &self.folder))?;
        Ok(format!("run-{}-{:09}", now.as_secs(), now.subsec_nanos()))
    }

    fn path(&self) -> PathBuf {
        self.folder.join(STATE_FILE)
    }
}

/// Creates the folder below a root, with its own folders, and returns its path.
pub(crate) async fn create_folders(system: &System, root: &Path) -> Result<PathBuf, CollectError> {
    let folder = root.join(FOLDER);
    for path in [folder.clone(), folder.join(LOGS), folder.join(REPORTS)] {
        create(system, &path).await?;
    }
    Ok(folder)
}

async fn create(system: &System, path: &Path) -> Result<(), CollectError> {
    let created = match system.create_folder(path).await {
        Ok(()) => expect(system, path, SystemFileKind::Folder).await,
        Err(error) => Err(error),
    };
    created.map_err(CollectError::file("create", path))
}

/// Checks the kind of a file. A link is none of the others: it could lead out of the folder.
async fn expect(system: &System, path: &Path, kind: SystemFileKind) -> io::Result<()> {
    match system.about(path, false).await?.kind == kind {
        true => Ok(()),
        false => Err(io::Error::other("something else has this name, for example a link")),
    }
}
