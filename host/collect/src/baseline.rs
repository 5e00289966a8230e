//! The validators on the base revision: in a working tree of their own, once for each base and configuration.

use std::path::Path;

use adjudicate_evidence::collect::{
    OwnedCollectionState, OwnedConfiguration, OwnedMissingEvidence, OwnedObservation, OwnedStoredBaseline,
};

use crate::{
    CollectError, CollectOptions,
    command::End,
    git::{self, BaseTree},
    state::{self, RunFolder},
    system::System,
    validators::{self, Place, STOPPED},
};

/// The name of the baseline among the evidence that could not be collected.
const BASELINE: &str = "baseline";

/// The most bytes of the log of a setup that are read for its last line.
const MAX_LOG_BYTES: u64 = 1 << 20;

/// Returns the results of the validators on the base revision. They run unless the stored ones are of this base and configuration, or if
/// `again` is true.
///
/// # Errors
///
/// [`CollectError::Baseline`] if the base cannot be checked out, if the setup fails or if the host stops the validators. Errors of the
/// folder of the run, and of a base that is no commit.
pub async fn baseline(
    system: &System,
    root: &Path,
    configuration: &OwnedConfiguration,
    again: bool,
    options: &CollectOptions<'_>,
) -> Result<OwnedStoredBaseline, CollectError> {
    let folder = RunFolder::lock(system, root, options.wait).await?;
    let state = folder.read(options.new_run).await?;
    let base = base(system, root, configuration, &state, options).await?.map_err(CollectError::Baseline)?;
    match stored(&folder, &base, configuration).await {
        Some(stored) if !again => Ok(stored),
        _ => run(system, &folder, root, &base, configuration).await,
    }
}

/// Returns the baseline of a collection: the stored one, or that of validators that run first. Adds the reason to `missing` if the
/// configuration asks for a baseline and there is none.
pub(crate) async fn of_collection(
    system: &System,
    folder: &RunFolder<'_>,
    root: &Path,
    base: Option<&str>,
    configuration: &OwnedConfiguration,
    options: &CollectOptions<'_>,
    missing: &mut Vec<OwnedMissingEvidence>,
) -> Option<OwnedStoredBaseline> {
    let stored = match base {
        Some(base) => stored(folder, base, configuration).await,
        None => None,
    };
    if stored.is_some() || configuration.baseline.is_none() {
        return stored;
    }
    let reason = match base {
        Some(base) if options.may_run_baseline => {
            match run(system, folder, root, base, configuration).await {
                Ok(stored) => return Some(stored),
                Err(CollectError::Baseline(reason)) => reason,
                Err(error) => error.to_string(),
            }
        }
        Some(_) => "the validators did not run on the base; to run them: `adjudicate baseline`".into(),
        None => "git knows no base".into(),
    };
    missing.push(git::missing(BASELINE, reason));
    None
}

/// Returns the stored results, if they are those of this base and configuration.
async fn stored(
    folder: &RunFolder<'_>,
    base: &str,
    configuration: &OwnedConfiguration,
) -> Option<OwnedStoredBaseline> {
    let stored = folder.baseline().await?;
    let digest = configuration.baseline_digest().ok()?;
    (stored.base == base && stored.configuration == digest).then_some(stored)
}

/// Runs the validators on the base, and stores their results.
async fn run(
    system: &System,
    folder: &RunFolder<'_>,
    root: &Path,
    base: &str,
    configuration: &OwnedConfiguration,
) -> Result<OwnedStoredBaseline, CollectError> {
    let logs = folder.baseline_logs().await?;
    let tree = BaseTree::add(system, root, base).await.map_err(CollectError::Baseline)?;
    let place = Place { files: &tree.folder, root, logs, label: " (base)" };
    let observed = observe(system, &place, configuration).await;
    let id = format!("git:{}", tree.tree);
    let removed = tree.remove().await.map_err(CollectError::Baseline);
    let stored = OwnedStoredBaseline::new(base, &id, configuration, &observed?);
    let stored = stored.map_err(|error| CollectError::Document("baseline".into(), error))?;
    folder.write_baseline(&stored).await?;
    removed.map(|()| stored)
}

async fn observe(
    system: &System,
    place: &Place<'_>,
    configuration: &OwnedConfiguration,
) -> Result<OwnedObservation, CollectError> {
    // Validators expect the folder of reports.
    state::create_folders(system, place.files).await?;
    setup(system, place, configuration).await?;
    let results = validators::run_all(system, place, configuration, None).await?;
    match results.interrupted {
        Some(_) => Err(CollectError::Baseline(STOPPED.into())),
        None => Ok(OwnedObservation {
            root: place.files.to_str().map(ToOwned::to_owned),
            validators: Some(results.runs),
            ..OwnedObservation::default()
        }),
    }
}

async fn setup(
    system: &System,
    place: &Place<'_>,
    configuration: &OwnedConfiguration,
) -> Result<(), CollectError> {
    let Some(settings) = &configuration.baseline else { return Ok(()) };
    let Some(command) = settings.setup() else { return Ok(()) };
    // No id of a validator begins like this.
    let log = place.log("_setup", "log");
    let files = validators::streams(system, place.root, &log, None).await?;
    let limit = settings.timeout_seconds();
    place.started(system, "setup", 0, configuration.validators.len()).await;
    let ended = system.run(validators::process(place.files, command, limit, files)).await;
    let problem = match ended.map(|ended| ended.end) {
        Ok(End::Exited(0)) => None,
        Ok(End::Exited(code)) => Some(format!("`baseline.setup` ended with {code}")),
        Ok(End::TimedOut) => Some(format!("`baseline.setup` did not end within {limit} s")),
        Ok(End::Stopped) => Some(STOPPED.into()),
        Err(error) => Some(format!("`baseline.setup` cannot run: {error}")),
    };
    let Some(problem) = problem else { return Ok(()) };
    let text = system.read(&place.root.join(&log), MAX_LOG_BYTES).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty());
    let last = last.map(|line| format!(": {line}")).unwrap_or_default();
    Err(CollectError::Baseline(format!("{problem}, with the log `{log}`{last}")))
}

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
