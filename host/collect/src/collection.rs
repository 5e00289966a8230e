//! One collection: validators, git, files, and the envelope.

use std::{
    io,
    path::{Path, PathBuf},
};

use adjudicate_core::{
    json::{self, OwnedValue, ReadLimits},
    owned::Envelope,
};
use adjudicate_evidence::collect::{
    GOAL_FIELD, OwnedCollectionState, OwnedConfiguration, OwnedObservation, OwnedReportFile, assemble,
};

use crate::{
    CollectError, CollectOptions,
    baseline::{self, base},
    find::CONFIGURATION_NAMES,
    git::{self, Trees},
    reports::{self, Found},
    state::RunFolder,
    system::{System, SystemFileKind},
    validators::{self, Place},
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
pub async fn collect(
    system: &System,
    root: &Path,
    configuration: &OwnedConfiguration,
    options: &CollectOptions<'_>,
) -> Result<Collected, CollectError> {
    let folder = RunFolder::lock(system, root, options.wait).await?;
    let (collected, state) = collect_in(system, &folder, root, configuration, options).await?;
    folder.write(&state).await?;
    Ok(collected)
}

/// Collects the evidence with the lock held. Returns the state from before the collection, with the base of the run.
pub(crate) async fn collect_in(
    system: &System,
    folder: &RunFolder<'_>,
    root: &Path,
    configuration: &OwnedConfiguration,
    options: &CollectOptions<'_>,
) -> Result<(Collected, OwnedCollectionState), CollectError> {
    let mut state = folder.read(options.new_run).await?;
    let base = base(system, root, configuration, &state, options).await?;
    // Without git there is no base, and the next collection looks again.
    state.base = base.as_ref().ok().cloned();
    let known = base.clone().ok();
    let mut missing = Vec::new();
    let baseline =
        baseline::of_collection(system, folder, root, known.as_deref(), configuration, options, &mut missing)
            .await;
    let mut marked = state.clone();
    marked.begin();
    folder.write(&marked).await?;
    let (mut trees, no_tree) = match &known {
        Some(base) => match trees(system, root, base, configuration, &state).await {
            Ok(trees) => (Some(trees), None),
            Err(reason) => (None, Some(reason)),
        },
        None => (None, None),
    };
    let mut observation = observe(system, root, configuration, &state, base, trees.as_mut(), options).await?;
    if let Some(trees) = trees {
        state.created = Some(trees.into_created()).filter(|created| !created.is_empty());
    }
    observation.baseline = baseline;
    observation.uncollected.get_or_insert_default().extend(missing);
    observation.workspace.no_tree = observation.workspace.no_tree.or(no_tree);
    let mut envelope = assemble(configuration, &observation, &state);
    if let Some(set_at) = options.goal_set_at {
        let now = system.time().await.map_err(CollectError::file("take the time in", root))?;
        let minutes = OwnedValue::count(now.as_secs().saturating_sub(set_at) / 60);
        envelope.extra.insert(GOAL_FIELD.into(), OwnedValue::object([("minutes", minutes)]));
    }
    Ok((Collected { envelope, observation }, state))
}

/// Begins a run if there is none, so that later commits are changes. Returns the base, or the reason why git has none.
#[cfg(not(target_os = "unknown"))]
pub(crate) async fn begin(
    system: &System,
    folder: &RunFolder<'_>,
    root: &Path,
    configuration: &OwnedConfiguration,
    options: &CollectOptions<'_>,
) -> Result<Result<String, String>, CollectError> {
    let mut state = folder.read(options.new_run).await?;
    let base = base(system, root, configuration, &state, options).await?;
    if state.base.is_none() {
        state.base = base.as_ref().ok().cloned();
        folder.write(&state).await?;
    }
    Ok(base)
}

/// Returns true if git knows of no change since the base of the run, and everything was collected.
#[cfg(not(target_os = "unknown"))]
pub(crate) async fn is_unchanged(
    system: &System,
    folder: &RunFolder<'_>,
    root: &Path,
    configuration: &OwnedConfiguration,
    options: &CollectOptions<'_>,
) -> Result<bool, CollectError> {
    let Ok(base) = begin(system, folder, root, configuration, options).await? else { return Ok(false) };
    let mut missing = Vec::new();
    let workspace = git::workspace(system, root, &base, None, &mut missing).await;
    let is_empty = |output: &Option<String>| output.as_ref().is_some_and(String::is_empty);
    Ok(missing.is_empty()
        && workspace.uncollected.is_none()
        && is_empty(&workspace.raw)
        && is_empty(&workspace.status))
}

/// Returns the trees of a run.
async fn trees<'a>(
    system: &'a System,
    root: &'a Path,
    base: &'a str,
    configuration: &OwnedConfiguration,
    state: &OwnedCollectionState,
) -> Result<Trees<'a>, String> {
    let ignore = configuration.tree_ignore.as_deref().unwrap_or_default();
    Trees::new(system, root, base, ignore, state.created.as_deref().unwrap_or_default()).await
}

/// Returns the status of the latest decision, if it was about the tree as it is now, under the same configuration and policy.
#[cfg(not(target_os = "unknown"))]
pub(crate) async fn judged_status(
    system: &System,
    root: &Path,
    configuration: &OwnedConfiguration,
    policy: Option<&str>,
    state: &OwnedCollectionState,
) -> Option<adjudicate_core::codes::Status> {
    let (base, judged) = (state.base.as_ref()?, state.judged.as_ref()?);
    let history = state.envelope.as_ref()?.evaluate_history.as_ref()?;
    let tree = match trees(system, root, base, configuration, state).await {
        Ok(mut trees) => trees.take_exact().await.ok().flatten(),
        Err(_) => None,
    };
    let name = judged_name(&format!("git:{}", tree?), configuration, policy)?;
    history.last().filter(|_| name == *judged).and_then(|entry| entry.status)
}

/// Returns the name of a tree under a configuration and a policy, unless these are too long for a digest.
pub(crate) fn judged_name(
    tree: &str,
    configuration: &OwnedConfiguration,
    policy: Option<&str>,
) -> Option<String> {
    let documents = [configuration.to_json(), policy.unwrap_or_default().to_owned()];
    let text = json::write(&OwnedValue::texts(documents));
    let documents = json::read(text.as_bytes(), ReadLimits::ANSWER).ok()?;
    Some(format!("{tree} {}", json::digest(documents.root())))
}

async fn observe(
    system: &System,
    root: &Path,
    configuration: &OwnedConfiguration,
    state: &OwnedCollectionState,
    base: Result<String, String>,
    mut trees: Option<&mut Trees<'_>>,
    options: &CollectOptions<'_>,
) -> Result<OwnedObservation, CollectError> {
    let place = Place { files: root, root, logs: RunFolder::logs(), label: "" };
    let results = validators::run_all(system, &place, configuration, trees.as_deref_mut()).await?;
    let mut missing = Vec::new();
    // Validators may change files, so git comes after them.
    let mut observation = OwnedObservation {
        run_id: state.run_id.clone(),
        root: system.real_path(root).await.ok().and_then(|root| root.to_str().map(ToOwned::to_owned)),
        validators: Some(results.runs),
        interrupted: results.interrupted,
        agent: options.agent.cloned(),
        external: options.external.cloned(),
        ..OwnedObservation::default()
    };
    match base {
        Ok(base) => {
            observation.workspace = git::workspace(system, root, &base, trees.as_deref(), &mut missing).await;
        }
        Err(reason) => observation.workspace.uncollected = Some(reason),
    }
    observation.workspace.tree = results.tree;
    observation.workspace.no_tree = results.no_tree;
    let Found { files, problems } =
        reports::find(system, root, configuration.artifacts.as_deref().unwrap_or_default()).await;
    observation.artifacts = Some(results.artifacts.into_iter().chain(files.into_keys()).collect());
    missing.extend(problems.into_iter().map(|problem| git::missing("artifacts", problem)));
    if let Some(path) = present(system, root, configuration.claims.as_deref()).await {
        match claims(system, &root.join(path)).await {
            Ok(claims) => observation.claims = Some(claims),
            Err(reason) => missing.push(git::missing(&format!("file `{path}`"), reason)),
        }
    }
    if let Some(path) = present(system, root, configuration.review.as_deref()).await {
        match reports::text(system, &root.join(path)).await {
            Ok(text) => {
                let path = path.to_owned();
                observation.review = Some(OwnedReportFile { path, text, extra: Default::default() });
            }
            Err(reason) => missing.push(git::missing(&format!("file `{path}`"), reason)),
        }
    }
    observation.uncollected = Some(missing);
    Ok(observation)
}

/// Returns the path of a file that may be absent, unless it is.
async fn present<'a>(system: &System, root: &Path, path: Option<&'a str>) -> Option<&'a str> {
    let about = system.about(&root.join(path?), true).await;
    path.filter(|_| !about.is_err_and(|error| error.kind() == io::ErrorKind::NotFound))
}

async fn claims(system: &System, file: &Path) -> Result<String, String> {
    let bytes = reports::bounded(system, file, MAX_CLAIMS_BYTES).await?;
    String::from_utf8(bytes).map_err(|_| "stream did not contain valid UTF-8".to_owned())
}

/// Returns the configuration file of the nearest folder, from `folder` upwards. Its parent is the root.
///
/// # Errors
///
/// [`CollectError::NoConfiguration`], and [`CollectError::SeveralConfigurations`] if two names exist in that folder.
pub async fn locate(system: &System, folder: &Path) -> Result<PathBuf, CollectError> {
    for folder in folder.ancestors() {
        let mut found = Vec::new();
        let mut is_file = false;
        for name in CONFIGURATION_NAMES {
            if let Ok(about) = system.about(&folder.join(name), true).await {
                is_file |= about.kind == SystemFileKind::File;
                found.push(name.to_owned());
            }
        }
        match found.as_slice() {
            [name] if is_file => return Ok(folder.join(name)),
            [_, _, ..] if is_file => return Err(CollectError::SeveralConfigurations(found)),
            _ => {}
        }
    }
    Err(CollectError::NoConfiguration)
}
