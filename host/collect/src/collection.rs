//! One collection: validators, git, files, and the envelope.

use std::{fs, io, path::Path};

use adjudicate_core::owned::Envelope;
use adjudicate_evidence::collect::{
    OwnedConfiguration, OwnedMissingEvidence, OwnedObservation, OwnedReportFile, OwnedState, assemble,
};

use crate::{
    CollectError, Options, git,
    reports::{self, Found},
    state::RunFolder,
    validators,
};

/// The most bytes of a file of claims.
const MAX_CLAIMS_BYTES: u64 = 1 << 20;

/// The envelope of a collection, and its observation.
#[derive(Clone, Debug)]
pub struct Collected {
    /// The envelope.
    pub envelope: Envelope,
    /// The results of validators, the output of git, and the reports.
    pub observation: OwnedObservation,
}

/// Collects the evidence, and returns the envelope. The state keeps the id and the base of the run, and spends nothing.
///
/// # Errors
///
/// [`CollectError`] if the state cannot be read or written, if another process collects in the same root, or if the base is no commit.
pub fn collect(
    root: &Path,
    configuration: &OwnedConfiguration,
    options: &Options<'_>,
) -> Result<Collected, CollectError> {
    let folder = RunFolder::lock(root, options.wait)?;
    let (collected, state) = collect_in(&folder, root, configuration, options)?;
    folder.write(&state)?;
    Ok(collected)
}

/// Collects the evidence with the lock held. Returns the state from before the collection, with the base of the run.
pub(crate) fn collect_in(
    folder: &RunFolder,
    root: &Path,
    configuration: &OwnedConfiguration,
    options: &Options<'_>,
) -> Result<(Collected, OwnedState), CollectError> {
    let mut state = folder.read(options.new_run)?;
    let base = base(root, configuration, &state, options)?;
    // Without git there is no base, and the next collection looks again.
    state.base = base.as_ref().ok().cloned();
    let mut marked = state.clone();
    marked.begin();
    folder.write(&marked)?;
    let observation = observe(root, configuration, &state, base, options)?;
    let envelope = assemble(configuration, &observation, &state);
    Ok((Collected { envelope, observation }, state))
}

/// Begins a run if there is none, so that later commits are changes. Returns the base, or the reason why git has none.
pub(crate) fn begin(
    root: &Path,
    configuration: &OwnedConfiguration,
    options: &Options<'_>,
) -> Result<Result<String, String>, CollectError> {
    let folder = RunFolder::lock(root, options.wait)?;
    let mut state = folder.read(options.new_run)?;
    let base = base(root, configuration, &state, options)?;
    if state.base.is_none() {
        state.base = base.as_ref().ok().cloned();
        folder.write(&state)?;
    }
    Ok(base)
}

/// Returns true if git knows of no change since the base of the run, and everything was collected.
pub(crate) fn is_unchanged(
    root: &Path,
    configuration: &OwnedConfiguration,
    options: &Options<'_>,
) -> Result<bool, CollectError> {
    let Ok(base) = begin(root, configuration, options)? else { return Ok(false) };
    let mut missing = Vec::new();
    let workspace = git::workspace(root, &base, &mut missing);
    let is_empty = |output: &Option<String>| output.as_ref().is_some_and(String::is_empty);
    Ok(missing.is_empty()
        && workspace.uncollected.is_none()
        && is_empty(&workspace.raw)
        && is_empty(&workspace.status))
}

/// Returns the commit to compare with. The inner error is the reason why git has none.
fn base(
    root: &Path,
    configuration: &OwnedConfiguration,
    state: &OwnedState,
    options: &Options<'_>,
) -> Result<Result<String, String>, CollectError> {
    if let Some(revision) = options.base {
        let known = git::commit(root, Some(revision));
        return known.map(Ok).map_err(|message| CollectError::Base(revision.to_owned(), message));
    }
    // The base of a run stays, so commits during the run remain a part of the diff.
    Ok(match &state.base {
        Some(base) => Ok(base.clone()),
        None => git::commit(root, configuration.base.as_deref()),
    })
}

fn observe(
    root: &Path,
    configuration: &OwnedConfiguration,
    state: &OwnedState,
    base: Result<String, String>,
    options: &Options<'_>,
) -> Result<OwnedObservation, CollectError> {
    let results = validators::run_all(root, configuration, options)?;
    let mut missing = Vec::new();
    // Validators may change files, so git comes after them.
    let mut observation = OwnedObservation {
        run_id: state.run_id.clone(),
        root: fs::canonicalize(root).ok().and_then(|root| root.to_str().map(ToOwned::to_owned)),
        validators: Some(results.runs),
        interrupted: results.interrupted,
        agent: options.agent.cloned(),
        ..OwnedObservation::default()
    };
    match base {
        Ok(base) => observation.workspace = git::workspace(root, &base, &mut missing),
        Err(reason) => observation.workspace.uncollected = Some(reason),
    }
    let Found { files, problems } =
        reports::find(root, configuration.artifacts.as_deref().unwrap_or_default());
    observation.artifacts = Some(results.artifacts.into_iter().chain(files.into_keys()).collect());
    missing.extend(problems.into_iter().map(|problem| git::missing("artifacts", problem)));
    observation.claims = optional(root, configuration.claims.as_deref(), &mut missing, claims);
    let review = configuration.review.as_deref();
    let text = optional(root, review, &mut missing, reports::text);
    observation.review = review.zip(text).map(|(path, text)| OwnedReportFile {
        path: path.to_owned(),
        text,
        extra: Default::default(),
    });
    observation.uncollected = Some(missing);
    Ok(observation)
}

/// Reads a file that may be absent.
fn optional(
    root: &Path,
    path: Option<&str>,
    missing: &mut Vec<OwnedMissingEvidence>,
    read: fn(&Path) -> Result<String, String>,
) -> Option<String> {
    let path = path?;
    let file = root.join(path);
    let is_absent = fs::metadata(&file).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
    if is_absent {
        return None;
    }
    read(&file).map_err(|reason| missing.push(git::missing(&format!("file `{path}`"), reason))).ok()
}

fn claims(file: &Path) -> Result<String, String> {
    let bytes = fs::metadata(file).map_err(|error| error.to_string())?.len();
    if bytes > MAX_CLAIMS_BYTES {
        return Err(format!("the file has {bytes} bytes; the limit is {MAX_CLAIMS_BYTES}"));
    }
    fs::read_to_string(file).map_err(|error| error.to_string())
}
