//! The active goal, in the folder of the run.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use adjudicate_core::codes::Status;
use adjudicate_evidence::collect::{OwnedCollectionState, OwnedConfiguration, OwnedGoal};

use super::GoalDocuments;
use crate::{
    CollectError, CollectOptions,
    baseline::base,
    collection,
    native::drive,
    state::{FOLDER, GOAL_FILE, RunFolder, state_file},
    system::System,
};

/// An active goal, and what its run has shown.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GoalStatus {
    /// The goal.
    pub goal: OwnedGoal,
    /// The status of the latest decision. `None` before the first one.
    pub status: Option<Status>,
    /// True if the latest decision is about the files as they are now.
    pub is_current: bool,
    /// The number of decisions since the goal was set.
    pub rounds: u64,
}

/// Returns the nearest folder upwards that has an active goal.
#[must_use]
pub fn find(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| goal_file(folder).is_file())
}

/// Returns the active goal.
///
/// # Errors
///
/// [`CollectError`] if its file is damaged or cannot be read, because other documents could be laxer.
pub fn active(root: &Path) -> Result<Option<OwnedGoal>, CollectError> {
    let Some(text) = read(&goal_file(root))? else { return Ok(None) };
    let goal = OwnedGoal::from_json(&text);
    goal.map(Some).map_err(|error| CollectError::Document(format!("{FOLDER}/{GOAL_FILE}"), error))
}

/// Sets the active goal, and begins a new run.
///
/// # Errors
///
/// [`CollectError`] if the folder of the run cannot be locked or written.
pub fn set(
    root: &Path,
    text: &str,
    documents: GoalDocuments,
    options: &CollectOptions<'_>,
) -> Result<(), CollectError> {
    let system = System::default();
    let set = async {
        let folder = RunFolder::lock(&system, root, options.wait).await?;
        let now = system.time().await.map_err(CollectError::file("name a run in", root))?;
        let GoalDocuments { configuration, policy } = documents;
        begin(&system, &folder, root, &configuration, options).await?;
        folder.write_goal(&OwnedGoal::new(text.to_owned(), now.as_secs(), configuration, policy)).await
    };
    drive(&system, options, set)
}

/// Removes the active goal, and ends its run. Returns false if there is none.
///
/// # Errors
///
/// [`CollectError`] if the folder of the run cannot be locked or written.
pub fn clear(root: &Path, options: &CollectOptions<'_>) -> Result<bool, CollectError> {
    let system = System::default();
    let cleared = async {
        let folder = RunFolder::lock(&system, root, options.wait).await?;
        let file = goal_file(root);
        match fs::remove_file(&file) {
            Ok(()) => {
                folder.write(&folder.read(true).await?).await?;
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(CollectError::file("remove", &file)(error)),
        }
    };
    drive(&system, options, cleared)
}

/// Returns the active goal with the status of its latest decision.
///
/// # Errors
///
/// Those of [`active`], and [`CollectError`] if the state of the run is damaged.
pub fn status(root: &Path) -> Result<Option<GoalStatus>, CollectError> {
    let Some(goal) = active(root)? else { return Ok(None) };
    let file = state_file(root);
    let state = read(&file)?.map(|text| OwnedCollectionState::from_json(&text));
    let state =
        state.transpose().map_err(|error| CollectError::Document(file.display().to_string(), error))?;
    let Some(state) = state else {
        return Ok(Some(GoalStatus { goal, status: None, is_current: false, rounds: 0 }));
    };
    let history = state.envelope.as_ref().and_then(|envelope| envelope.evaluate_history.as_ref());
    let status = history.and_then(|history| history.last()).and_then(|entry| entry.status);
    let system = System::default();
    let current = drive(&system, &CollectOptions::default(), async {
        collection::judged_status(&system, root, &goal.configuration, Some(&goal.policy), &state).await
    });
    Ok(Some(GoalStatus { is_current: current.is_some(), status, rounds: state.evaluations(), goal }))
}

async fn begin(
    system: &System,
    folder: &RunFolder<'_>,
    root: &Path,
    configuration: &OwnedConfiguration,
    options: &CollectOptions<'_>,
) -> Result<(), CollectError> {
    let mut state = folder.read(true).await?;
    state.base = base(system, root, configuration, &state, options).await?.ok();
    folder.write(&state).await
}

fn goal_file(root: &Path) -> PathBuf {
    root.join(FOLDER).join(GOAL_FILE)
}

/// Reads a file that may be absent. A link is refused, because it could lead out of the folder.
fn read(file: &Path) -> Result<Option<Vec<u8>>, CollectError> {
    match fs::symlink_metadata(file) {
        Ok(about) if about.is_file() => fs::read(file).map(Some).map_err(CollectError::file("read", file)),
        Ok(_) => Err(CollectError::file("read", file)(io::Error::other("it is no file"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(CollectError::file("read", file)(error)),
    }
}
