//! One collection: validators, git, files, and the envelope.

use std::{fs, io, path::Path};

use adjudicate_core::{
    json::{self, Limits, OwnedValue},
    owned::Envelope,
};
use adjudicate_evidence::collect::{
    OwnedConfiguration, OwnedMissingEvidence, OwnedObservation, OwnedReportFile, OwnedState, assemble,
};

use crate::{
    CollectError, Options,
    git::{self, Trees},
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
    let known = base.clone().ok();
    let trees = known.as_deref().map(|base| trees(root, base, configuration, &state)).transpose();
    let (mut trees, no_tree) = match trees {
        Ok(trees) => (trees, None),
        Err(reason) => (None, Some(reason)),
    };
    let mut observation = observe(root, configuration, &state, base, trees.as_mut(), options)?;
    if let Some(trees) = trees {
        state.created = Some(trees.into_created()).filter(|created| !created.is_empty());
    }
    observation.workspace.no_tree = observation.workspace.no_tree.or(no_tree);
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
    let workspace = git::workspace(root, &base, None, &mut missing);
    let is_empty = |output: &Option<String>| output.as_ref().is_some_and(String::is_empty);
    Ok(missing.is_empty()
        && workspace.uncollected.is_none()
        && is_empty(&workspace.raw)
        && is_empty(&workspace.status))
}

/// Returns the trees of a run.
fn trees<'a>(
    root: &'a Path,
    base: &'a str,
    configuration: &OwnedConfiguration,
    state: &OwnedState,
) -> Result<Trees<'a>, String> {
    let ignore = configuration.tree_ignore.as_deref().unwrap_or_default();
    Trees::new(root, base, ignore, state.created.as_deref().unwrap_or_default())
}

/// Returns true if the latest decision was a success on the tree as it is now, under the same configuration and policy.
pub(crate) fn is_judged(
    root: &Path,
    configuration: &OwnedConfiguration,
    policy: Option<&str>,
    options: &Options<'_>,
) -> Result<bool, CollectError> {
    let folder = RunFolder::lock(root, options.wait)?;
    let state = folder.read(options.new_run)?;
    let (Some(base), Some(judged)) = (&state.base, &state.judged) else { return Ok(false) };
    let tree = trees(root, base, configuration, &state).and_then(|mut trees| trees.take());
    let name = |tree| judged_name(&format!("git:{tree}"), configuration, policy);
    Ok(tree.ok().and_then(name).as_ref() == Some(judged))
}

/// Returns the name of a tree under a configuration and a policy, unless these are too long for a digest.
pub(crate) fn judged_name(
    tree: &str,
    configuration: &OwnedConfiguration,
    policy: Option<&str>,
) -> Option<String> {
    let documents = [configuration.to_json(), policy.unwrap_or_default().to_owned()];
    let text = json::write(&OwnedValue::texts(documents));
    let documents = json::read(text.as_bytes(), Limits::ANSWER).ok()?;
    Some(format!("{tree} {}", json::digest(documents.root())))
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
    trees: Option<&mut Trees<'_>>,
    options: &Options<'_>,
) -> Result<OwnedObservation, CollectError> {
    let index = trees.as_ref().map(|trees| trees.index().to_owned());
    let results = validators::run_all(root, configuration, options, trees)?;
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
        Ok(base) => observation.workspace = git::workspace(root, &base, index.as_deref(), &mut missing),
        Err(reason) => observation.workspace.uncollected = Some(reason),
    }
    observation.workspace.tree = results.tree;
    observation.workspace.no_tree = results.no_tree;
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
