//! The base of a run: the commit to compare with.

use std::path::Path;

use adjudicate_evidence::collect::{OwnedCollectionState, OwnedConfiguration};

use crate::{CollectError, CollectOptions, git, system::System};

/// Returns the commit to compare with. The inner error is the reason why git has none.
pub(crate) async fn base(
    system: &System,
    root: &Path,
    configuration: &OwnedConfiguration,
    state: &OwnedCollectionState,
    options: &CollectOptions<'_>,
) -> Result<Result<String, String>, CollectError> {
    if let Some(revision) = options.base {
        let known = git::commit(system, root, Some(revision)).await;
        return known.map(Ok).map_err(|message| CollectError::Base(revision.to_owned(), message));
    }
    // The base of a run stays, so commits during the run remain a part of the diff.
    Ok(match &state.base {
        Some(base) => Ok(base.clone()),
        None => git::commit(system, root, configuration.base.as_deref()).await,
    })
}
