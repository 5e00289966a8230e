//! Collects, decides, and stores the new state.

use std::path::Path;

use adjudicate_core::owned::{Evaluation, Revision};
use adjudicate_evidence::collect::OwnedConfiguration;

use crate::{
    CollectError, CollectOptions,
    collection::{Collected, collect_in, judged_name},
    state::RunFolder,
    system::System,
};

/// The decision on a collection.
#[derive(Clone, Debug)]
pub struct Decided {
    /// The envelope and the observation.
    pub collected: Collected,
    /// The answer of `evaluate`.
    pub evaluation: Evaluation,
    /// The answer of `refine`.
    pub revision: Revision,
}

/// Collects the evidence, lets the host evaluate and refine it, and stores the new state of the run. `policy` is the JSON text of a policy
/// document.
///
/// The new state is on the disk when this returns. So a decision that a caller has seen is always part of the state.
///
/// # Errors
///
/// Those of [`collect`](super::requests::collect()), and [`CollectError::Document`] if the policy is damaged.
pub async fn run(
    system: &System,
    root: &Path,
    configuration: &OwnedConfiguration,
    policy: Option<&str>,
    options: &CollectOptions<'_>,
) -> Result<Decided, CollectError> {
    check_policy(system, configuration, policy).await?;
    let folder = RunFolder::lock(system, root, options.wait).await?;
    run_in(system, &folder, root, configuration, policy, options).await
}

/// Checks a policy, so that no validator runs for a damaged one.
pub(crate) async fn check_policy(
    system: &System,
    configuration: &OwnedConfiguration,
    policy: Option<&str>,
) -> Result<(), CollectError> {
    let Some(policy) = policy else { return Ok(()) };
    let name = configuration.policy.as_deref().unwrap_or("policy");
    let checked =
        system.check_policy(name, policy).await.map_err(CollectError::file("check", Path::new(name)))?;
    checked.map_err(|error| CollectError::Document(name.into(), error))
}

/// The same as [`run`] with a checked policy, and with the lock held.
pub(crate) async fn run_in(
    system: &System,
    folder: &RunFolder<'_>,
    root: &Path,
    configuration: &OwnedConfiguration,
    policy: Option<&str>,
    options: &CollectOptions<'_>,
) -> Result<Decided, CollectError> {
    let (collected, mut state) = collect_in(system, folder, root, configuration, options).await?;
    let (evaluation, revision) = match decide(system, &collected, policy).await {
        Ok(answers) => answers,
        Err(error) => {
            // Without the mark of this collection, which was not killed.
            folder.write(&state).await?;
            return Err(error);
        }
    };
    state.take(collected.envelope.clone(), &evaluation, &revision);
    // The policy behind another program may change, and a later collection may have other external evidence.
    let is_repeatable = options.decide.is_none() && options.external.is_none();
    let tree = collected.envelope.evidence.tree.as_deref().filter(|_| is_repeatable);
    state.judged = tree.and_then(|tree| judged_name(tree, configuration, policy));
    folder.write(&state).await?;
    Ok(Decided { collected, evaluation, revision })
}

async fn decide(
    system: &System,
    collected: &Collected,
    policy: Option<&str>,
) -> Result<(Evaluation, Revision), CollectError> {
    let documents = "envelope and policy";
    let answers = system.decide(collected.envelope.to_json(), policy).await;
    let answers = answers.map_err(CollectError::file("decide on", Path::new(documents)))?;
    let read = |(evaluation, revision): (String, String)| {
        Ok((Evaluation::from_json(evaluation.as_bytes())?, Revision::from_json(revision.as_bytes())?))
    };
    answers.and_then(read).map_err(|error| CollectError::Document(documents.into(), error))
}
